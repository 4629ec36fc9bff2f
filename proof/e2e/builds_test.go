package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"customerzero/activities"
	"customerzero/internal/store/testdb"
	"customerzero/worker"
	"customerzero/workflows"
)

// TestOfTwoFirstBuildsOneBecomesCurrent starts two builds of a deployment that has none at the
// same moment, as a deploy that was begun twice would.
// Proves: F26
func TestOfTwoFirstBuildsOneBecomesCurrent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, testdb.Kinds[0], patient)
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
	require.NoError(t, settling.Wait(), "nobody settled it")
	seen, err := w.runs.CurrentBuild(t.Context(), "e2e")
	require.NoError(t, err)
	require.Contains(t, []string{"a", "b"}, seen.Build)
	require.NoError(t, w.runs.RunCanary(t.Context()))

	other := map[string]string{"a": "b", "b": "a"}[seen.Build]
	require.NoError(t, w.promotion(worker.Deployment{Name: "e2e", Build: other}).Promote(t.Context()))
	w.promotion(worker.Deployment{Name: "e2e", Build: seen.Build}).Settle(t.Context())
	seen, err = w.runs.CurrentBuild(t.Context(), "e2e")
	require.NoError(t, err)
	require.Equal(t, other, seen.Build, "a build takes nothing back by itself")
}

func (w *world) promotion(d worker.Deployment) *worker.Promotion {
	return &worker.Promotion{
		Deployment: d, Runs: w.runs, Replayer: worker.NewReplayer(w.temporal), Wait: patience, Report: func(string, ...any) {},
	}
}

// TestABuildNobodyRunsIsNotPromoted asks for one that has no workers.
func TestABuildNobodyRunsIsNotPromoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, testdb.Kinds[0], patient)
	p := w.promotion(worker.Deployment{Name: "e2e", Build: "nobody"})
	p.Wait = time.Second
	require.EqualError(t, p.Promote(t.Context()), "no worker of build nobody asks for work; start one with WORKER_BUILD=nobody")
}

// TestAWorkerThatStopsTakesNoTaskAlong stops one worker after the other while canaries are sung. A
// task that was handed to one that no longer listens is repeated only when its time is up, two minutes
// later here: the server ends a worker's questions before, where it is set to.
func TestAWorkerThatStopsTakesNoTaskAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, testdb.Kinds[0], patient)
	w.stopWorker()
	crew := func() interface{ Stop() } {
		c := worker.New(w.temporal, worker.Activities{Canary: &activities.Canary{Database: w.db}}, patience, worker.NewTimings(), worker.Deployment{})
		require.NoError(t, c.Start())
		return c
	}
	working := crew()
	var singing errgroup.Group
	over := make(chan struct{})
	for range 4 {
		singing.Go(func() error {
			for {
				select {
				case <-over:
					return nil
				default:
				}
				run, err := w.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ // not eagerly: that asks nobody
					TaskQueue: workflows.QueueCore, WorkflowTaskTimeout: 2 * time.Minute, WorkflowExecutionTimeout: patience,
				}, workflows.Canary)
				if err == nil {
					err = errors.Join(run.Get(t.Context(), nil), w.sangAtOnce(t, run))
				}
				if err != nil {
					return err
				}
			}
		})
	}
	for range 30 {
		next := crew()
		working.Stop()
		working = next
	}
	close(over)
	require.NoError(t, singing.Wait())
	working.Stop()
}

// sangAtOnce sees that no task of a run had to be given to a second worker.
func (w *world) sangAtOnce(t *testing.T, run client.WorkflowRun) error {
	events := w.temporal.GetWorkflowHistory(t.Context(), run.GetID(), run.GetRunID(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return err
		}
		if event.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT || event.GetActivityTaskStartedEventAttributes().GetAttempt() > 1 {
			return fmt.Errorf("%s: %v", run.GetID(), event)
		}
	}
	return nil
}
