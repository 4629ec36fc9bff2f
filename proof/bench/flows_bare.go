package main

import (
	"context"
	"time"

	"github.com/rs/xid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const bareQueue = "bench"

// bareFlow asks of Temporal what the run of a post does, and does nothing with it: a step in
// the worker that runs it, and one that is tried once.
func bareFlow(ctx workflow.Context) error {
	here := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 5 * time.Second})
	if err := workflow.ExecuteLocalActivity(here, bareStep).Get(here, nil); err != nil {
		return err
	}
	once := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 15 * time.Second, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	return workflow.ExecuteActivity(once, bareStep).Get(once, nil)
}

func bareStep(context.Context) error { return nil }

// bareFlows is a worker that knows nothing else, on the server of the product that it is
// measured beside.
type bareFlows struct {
	temporal client.Client
	worker   worker.Worker
}

func startBare(c client.Client) (*bareFlows, error) {
	w := worker.New(c, bareQueue, worker.Options{MaxConcurrentActivityExecutionSize: 32}) // as the product's
	w.RegisterWorkflow(bareFlow)
	w.RegisterActivity(bareStep)
	return &bareFlows{c, w}, w.Start()
}

// run carries one flow to its end.
func (b *bareFlows) run(ctx context.Context) error {
	run, err := b.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: "bare:" + xid.New().String(), TaskQueue: bareQueue, EnableEagerStart: true,
	}, bareFlow)
	if err != nil {
		return err
	}
	return run.Get(ctx, nil)
}
