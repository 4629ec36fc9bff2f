package e2e

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/workflows"
)

func TestExperimentEndings(t *testing.T) {
	runEndings(t, map[string]ending{"its run is terminated": {"experiment-again", longSend, carriedAgain}})
}

// carriedAgain terminates a run; the dispatcher starts another, which measures the experiment at its date.
func carriedAgain(t *testing.T, w *world) string {
	e := w.submits(t)
	registered := experiment.Registration{Metric: experiment.Members, Threshold: 1, DueAt: time.Now().Add(24 * time.Second)}
	e, err := w.db.Experiments.RegisterMetric(t.Context(), e.ID, e.Version, &registered, time.Now().Add(-2*time.Hour)) // in the past, long before its date
	require.NoError(t, err)
	e = w.begins(t, e)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	lost := w.carried(t, e, "")
	w.terminate(t, workflows.ExperimentID(e.ID))
	w.startDispatcher(t)
	again := w.carried(t, e, lost)
	result, row := w.counted(t, e)
	require.Equal(t, experiment.Met, result.Verdict)
	require.Equal(t, again, row.RunID)
	return row.WorkflowID
}

func TestExperimentHasOneRun(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		e := w.experiments(t)
		var notifying sync.WaitGroup
		for i := range 8 {
			notifying.Go(func() {
				notify := w.runs.NotifyExperiment
				if i%2 == 0 {
					notify = w.runs.StartExperiment
				}
				assert.NoError(t, notify(t.Context(), e.ID)) // require must not be used in other goroutines
			})
		}
		notifying.Wait()
		w.carried(t, e, "")
		w.moves(t, e, experiment.Completed)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
		_, row := w.counted(t, e)

		w.moves(t, e, experiment.Shipped)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID), "a completed run needs no signal")
		eventually(t, func(c *assert.CollectT) {
			require.Len(c, w.found(t.Context(), c, `Flow="experiment" AND ExecutionStatus="Completed"`), 1)
		})
		require.Equal(t, row.RunID, w.newest(t, e), "no other run follows")
	})
}

// A row from a backup may be older than the end of its run.
func TestReopenedExperimentGetsAnotherRun(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		e := w.experiments(t)
		w.moves(t, e, experiment.Completed)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
		first, row := w.counted(t, e)
		require.NoError(t, w.runs.StartExperiment(t.Context(), e.ID))
		require.NotEqual(t, row.RunID, w.newest(t, e))
		again, still := w.counted(t, e)
		require.Equal(t, first, again)
		require.Equal(t, row.RunID, still.RunID, "the row names the run that counted")
	})
}

// experiments stores an experiment that became active an hour ago, without a metric.
func (w *world) experiments(t *testing.T) experiment.Experiment {
	return w.begins(t, w.submits(t))
}

func (w *world) submits(t *testing.T) experiment.Experiment {
	id := xid.New().String()
	e, err := experiment.New(id, experiment.Submission{
		Title: "E2e " + id, Problem: "It is unknown whether runs end.", Hypothesis: "If we test it, then we know, because tests show it.",
		Impact: "We know it.",
	}, experiment.FromFounder, nil, experiment.ReviewAll, time.Now().Add(-3*time.Hour))
	require.NoError(t, err)
	e, err = w.db.Experiments.SubmitExperiment(t.Context(), e, account.Asker{Founder: true})
	require.NoError(t, err)
	return e
}

func (w *world) begins(t *testing.T, e experiment.Experiment) experiment.Experiment {
	e, err := w.db.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, experiment.Active, "", time.Now().Add(-time.Hour))
	require.NoError(t, err)
	return e
}

// moves changes the status as a founder does, without a signal to the run.
func (w *world) moves(t *testing.T, e experiment.Experiment, to experiment.Status) {
	_, err := w.db.Experiments.MoveExperiment(t.Context(), e.ID, w.experiment(t, e).Version, to, "For this test.", time.Now())
	require.NoError(t, err)
}

func (w *world) experiment(t *testing.T, e experiment.Experiment) experiment.Experiment {
	return fetch(t, w.db.Experiments.ExperimentRow, e.ID)
}

// carried waits until the row names another run than the given one, and returns its ID.
func (w *world) carried(t *testing.T, e experiment.Experiment, other string) (runID string) {
	return once(t, w.db.Experiments.ExperimentRow, e.ID, func(c *assert.CollectT, row experiment.Experiment) {
		require.NotContains(c, []string{"", other}, row.RunID)
	}).RunID
}

// counted waits until the votes are counted and the run has ended, and compares its result with the row.
func (w *world) counted(t *testing.T, e experiment.Experiment) (result workflows.ExperimentResult, row experiment.Experiment) {
	row = once(t, w.db.Experiments.ExperimentRow, e.ID, func(c *assert.CollectT, row experiment.Experiment) { require.NotNil(c, row.VotesClosedAt) })
	waiting, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, w.temporal.GetWorkflow(waiting, row.WorkflowID, "").Get(waiting, &result))
	require.Equal(t, workflows.ExperimentResult{
		Status: row.Status, Verdict: row.Verdict, Measured: row.Measured, Threshold: row.Threshold, Up: *row.FinalUp, Down: *row.FinalDown,
	}, result)
	require.Equal(t, workflows.ExperimentID(e.ID), row.WorkflowID)
	return result, row
}

func (w *world) newest(t *testing.T, e experiment.Experiment) (runID string) {
	seen, err := w.temporal.DescribeWorkflowExecution(t.Context(), workflows.ExperimentID(e.ID), "")
	require.NoError(t, err)
	return seen.WorkflowExecutionInfo.Execution.RunId
}
