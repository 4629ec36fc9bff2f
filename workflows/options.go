package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// QueueCore carries workflows and light activities. Task queues are cut by what the work
// needs, not by feature.
const QueueCore = "core"

// local is for steps that touch only our own database. They are retried until it is back:
// left out, the time for all tries would be that of one.
func local(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    5 * time.Second,
		ScheduleToCloseTimeout: 365 * 24 * time.Hour,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second},
	})
}

// remote is for a call to somebody else's API that is safe to repeat, for as long as patience lasts.
func remote(ctx workflow.Context, oneCall, patience time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout:    oneCall,
		ScheduleToCloseTimeout: patience,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second},
	})
}

// once is for an act that must not be repeated: one attempt. It may wait for a worker as
// long as it takes: what has not begun has not happened.
func once(ctx workflow.Context, timeout time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: timeout,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// How long one call to somebody else's server may take, deadlines of its client included.
const (
	askX       = 20 * time.Second
	oneLetter  = 40 * time.Second
	wakeWithin = 10 * time.Minute
)
