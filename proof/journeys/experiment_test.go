package journeys_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/workflows"
)

// comesDue is how long after its start an experiment is due. Its votes are cast before.
const comesDue = 12 * time.Second

// TestExperimentJourneys carries experiments to their ends, and counts their votes.
func TestExperimentJourneys(t *testing.T) {
	t.Parallel()
	tell(t, map[string]ending{
		"its date comes, and it kept its promise":         {"experiment-met", patient, promiseKept},
		"its date comes, and it did not":                  {"experiment-missed", patient, promiseBroken},
		"its date comes, and there is nothing to measure": {"experiment-unmeasured", patient, nothingMeasured},
		"a founder completes it":                          {"experiment-completed", patient, founderCompletes},
		"a founder gives it up before its date":           {"experiment-abandoned", patient, founderGivesUp},
		"somebody ends its run by force":                  {"experiment-again", patient, carriedAgain},
	})
}

func promiseKept(t *testing.T, w *world) string {
	e := w.promises(t, experiment.Members, 3, comesDue)
	w.votes(t, e, 1, 1, -1)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	result, row := w.counted(t, e)
	require.Equal(t, experiment.Met, result.Verdict)
	require.InDelta(t, 4, *result.Measured, 0, "the newcomer, and who voted")
	require.Equal(t, [2]int{2, 1}, [2]int{result.Up, result.Down})
	require.Equal(t, row.DueAt.UTC(), row.EndedAt.UTC())
	return row.WorkflowID
}

func promiseBroken(t *testing.T, w *world) string {
	e := w.promises(t, experiment.PostsPublished, 1, comesDue)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	result, row := w.counted(t, e)
	require.Equal(t, experiment.Missed, result.Verdict)
	require.Zero(t, *result.Measured)
	return row.WorkflowID
}

func nothingMeasured(t *testing.T, w *world) string {
	e := w.promises(t, experiment.HealTime, 2, comesDue)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	result, row := w.counted(t, e)
	require.Equal(t, experiment.Unmeasured, result.Verdict)
	require.Nil(t, result.Measured)
	return row.WorkflowID
}

func founderCompletes(t *testing.T, w *world) string {
	e := w.experiments(t)
	w.votes(t, e, 1, -1)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	w.carried(t, e, "")
	w.moves(t, e, experiment.Testing)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	w.moves(t, e, experiment.Completed)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	result, row := w.counted(t, e)
	require.Equal(t, workflows.ExperimentResult{Status: experiment.Completed, Up: 1, Down: 1}, result)
	return row.WorkflowID
}

func founderGivesUp(t *testing.T, w *world) string {
	e := w.promises(t, experiment.Members, 3, time.Hour)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	w.carried(t, e, "")
	w.moves(t, e, experiment.Declined)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	result, row := w.counted(t, e)
	require.Equal(t, experiment.Abandoned, result.Verdict)
	return row.WorkflowID
}

// carriedAgain ends a run in the console; the starter gives the experiment another.
func carriedAgain(t *testing.T, w *world) string {
	e := w.promises(t, experiment.Members, 1, 2*comesDue)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	lost := w.carried(t, e, "")
	require.NoError(t, w.temporal.TerminateWorkflow(t.Context(), workflows.ExperimentID(e.ID), lost, "a slip of the hand"))
	w.startStarter(t)
	again := w.carried(t, e, lost)
	result, row := w.counted(t, e)
	require.Equal(t, experiment.Met, result.Verdict)
	require.Equal(t, again, row.RunID)
	return row.WorkflowID
}

// A date that comes while no worker is there is kept when one is: what came later is not in it.
func TestAnExperimentsDateIsKeptWhileItsWorkerIsAway(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		e := w.promises(t, experiment.Members, 2, comesDue)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
		w.carried(t, e, "")
		w.stopWorker()
		require.Eventually(t, func() bool { return time.Now().After(e.DueAt.Add(time.Second)) }, patience, 50*time.Millisecond)
		w.votes(t, e, 1)
		w.startWorker(t)
		result, row := w.counted(t, e)
		require.Equal(t, experiment.Missed, result.Verdict)
		require.InDelta(t, 1, *result.Measured, 0, "who joined later is not counted")
		require.Equal(t, e.DueAt.UTC(), row.EndedAt.UTC())
		require.Equal(t, 1, result.Up, "votes were open until the verdict")
	})
}

// Whoever moved an experiment may die before they say so.
func TestTheStarterCountsTheVotesOfWhatNobodyToldOf(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		never, once := w.experiments(t), w.experiments(t)
		w.votes(t, never, 1)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), once.ID))
		w.carried(t, once, "")
		w.moves(t, never, experiment.Completed)
		w.moves(t, once, experiment.Completed)
		w.startStarter(t)
		result, _ := w.counted(t, never)
		require.Equal(t, 1, result.Up)
		w.counted(t, once)
	})
}

func TestAnExperimentHasOneRun(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		e := w.experiments(t)
		var tellers sync.WaitGroup
		for i := range 8 {
			tellers.Go(func() {
				tell := w.runs.NotifyExperiment
				if i%2 == 0 {
					tell = w.runs.CarryExperiment
				}
				assert.NoError(t, tell(t.Context(), e.ID)) // not require: it may not stop another goroutine's test
			})
		}
		tellers.Wait()
		w.carried(t, e, "")
		w.moves(t, e, experiment.Completed)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
		_, row := w.counted(t, e)

		w.moves(t, e, experiment.Shipped)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID), "a run that ended well has nothing to hear")
		eventually(t, func(c *assert.CollectT) {
			require.Len(c, w.found(t.Context(), c, `Flow="experiment" AND ExecutionStatus="Completed"`), 1)
		})
		require.Equal(t, row.RunID, w.newest(t, e), "nothing follows it")
	})
}

// A row from a backup may be older than the end of its run.
func TestAnExperimentThatIsOpenAgainGetsAnotherRun(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		e := w.experiments(t)
		w.moves(t, e, experiment.Completed)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
		first, row := w.counted(t, e)
		require.NoError(t, w.runs.CarryExperiment(t.Context(), e.ID))
		require.NotEqual(t, row.RunID, w.newest(t, e))
		again, still := w.counted(t, e)
		require.Equal(t, first, again)
		require.Equal(t, row.RunID, still.RunID, "the row names who counted")
	})
}
