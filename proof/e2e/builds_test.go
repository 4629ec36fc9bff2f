package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"customerzero/activities"
	"customerzero/internal/store/testdb"
	"customerzero/worker"
	"customerzero/workflows"
)

// TestOfTwoFirstBuildsOneBecomesCurrent starts two builds of a deployment without a current build at the same time.
// Proves: F26
func TestOfTwoFirstBuildsOneBecomesCurrent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, testdb.Kinds[0], longSend)
	w.stopWorker()
	var settling errgroup.Group
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, build := range []string{"a", "b"} {
		d := worker.Deployment{Name: "e2e", Build: build}
		crew := worker.New(w.temporal, worker.Activities{Canary: &activities.Canary{Database: w.db}}, time.Second, worker.NewTimings(), d)
		require.NoError(t, crew.Start())
		t.Cleanup(crew.Stop)
		settling.Go(func() error {
			w.promotion(d).Settle(ctx)
			return ctx.Err()
		})
	}
	require.NoError(t, settling.Wait(), "no build became current")
	seen, err := w.runs.CurrentBuild(t.Context(), "e2e")
	require.NoError(t, err)
	require.Contains(t, []string{"a", "b"}, seen.Build)
	require.NoError(t, w.runs.RunCanary(t.Context()))

	other := map[string]string{"a": "b", "b": "a"}[seen.Build]
	require.NoError(t, w.promotion(worker.Deployment{Name: "e2e", Build: other}).Promote(t.Context()))
	w.promotion(worker.Deployment{Name: "e2e", Build: seen.Build}).Settle(t.Context())
	seen, err = w.runs.CurrentBuild(t.Context(), "e2e")
	require.NoError(t, err)
	require.Equal(t, other, seen.Build, "a build does not replace the current one by itself")
}

func (w *world) promotion(d worker.Deployment) *worker.Promotion {
	return &worker.Promotion{
		Deployment: d, Runs: w.runs, Replayer: worker.NewReplayer(w.temporal), Wait: patience, Report: func(string, ...any) {},
	}
}

func TestBuildWithoutWorkersIsNotPromoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, testdb.Kinds[0], longSend)
	p := w.promotion(worker.Deployment{Name: "e2e", Build: "nobody"})
	p.Wait = time.Second
	require.EqualError(t, p.Promote(t.Context()), "no worker of build nobody is polling; start one with WORKER_BUILD=nobody")
}

// TestRunsEndWhileWorkersStop replaces a worker repeatedly while canaries run. The server cancels the polls of a
// stopping worker, so a task rarely goes to one that has stopped; such a task is retried after its timeout of 10 s,
// so every run ends.
func TestRunsEndWhileWorkersStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, testdb.Kinds[0], longSend)
	namespace, err := w.temporal.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	require.NoError(t, err)
	require.True(t, namespace.GetNamespaceInfo().GetCapabilities().GetWorkerPollCompleteOnShutdown(), "the server cancels the polls of a stopping worker")
	w.stopWorker()
	start := func() interface{ Stop() } {
		c := worker.New(w.temporal, worker.Activities{Canary: &activities.Canary{Database: w.db}}, patience, worker.NewTimings(), worker.Deployment{})
		require.NoError(t, c.Start())
		return c
	}
	working := start()
	var running errgroup.Group
	over := make(chan struct{})
	for range 4 {
		running.Go(func() error {
			for {
				select {
				case <-over:
					return nil
				default:
				}
				run, err := w.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ // not eager, because an eager start needs no poll
					TaskQueue: workflows.QueueCore, WorkflowExecutionTimeout: patience,
				}, workflows.Canary)
				if err != nil {
					return err
				}
				if err := run.Get(t.Context(), nil); err != nil {
					return err
				}
			}
		})
	}
	for range 30 {
		next := start()
		working.Stop()
		working = next
	}
	close(over)
	require.NoError(t, running.Wait())
	working.Stop()
}
