package e2e

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/workflows"
)

// comesDue is how long after its start an experiment is due. Its votes are cast before.
const comesDue = 12 * time.Second

// TestExperimentEndings carries experiments to their ends, and counts their votes.
func TestExperimentEndings(t *testing.T) {
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
	w.terminate(t, workflows.ExperimentID(e.ID))
	w.startStarter(t)
	again := w.carried(t, e, lost)
	result, row := w.counted(t, e)
	require.Equal(t, experiment.Met, result.Verdict)
	require.Equal(t, again, row.RunID)
	return row.WorkflowID
}

// A date that comes while no worker is there is kept when one is: what came later is not in it.
func TestAnExperimentsDateIsKeptWhileItsWorkerIsAway(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		e := w.promises(t, experiment.Members, 2, comesDue)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
		w.carried(t, e, "")
		w.stopWorker()
		await(t, func() bool { return time.Now().After(e.DueAt.Add(time.Second)) })
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
	each(t, patient, func(t *testing.T, w *world) {
		e := w.experiments(t)
		var tellers sync.WaitGroup
		for i := range 8 {
			tellers.Go(func() {
				tell := w.runs.NotifyExperiment
				if i%2 == 0 {
					tell = w.runs.StartExperiment
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
	each(t, patient, func(t *testing.T, w *world) {
		e := w.experiments(t)
		w.moves(t, e, experiment.Completed)
		require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
		first, row := w.counted(t, e)
		require.NoError(t, w.runs.StartExperiment(t.Context(), e.ID))
		require.NotEqual(t, row.RunID, w.newest(t, e))
		again, still := w.counted(t, e)
		require.Equal(t, first, again)
		require.Equal(t, row.RunID, still.RunID, "the row names who counted")
	})
}

// experiments writes down one that became active an hour ago, and promises nothing.
func (w *world) experiments(t *testing.T) experiment.Experiment {
	return w.begins(t, w.submits(t))
}

// promises writes down one whose date comes after a while. It was registered long before, as the rules want it.
func (w *world) promises(t *testing.T, m experiment.Metric, threshold float64, after time.Duration) experiment.Experiment {
	e := w.submits(t)
	e, err := w.db.Experiments.RegisterMetric(t.Context(), e.ID, e.Version, &experiment.Registration{
		Metric: m, Threshold: threshold, DueAt: time.Now().Add(after),
	}, time.Now().Add(-2*time.Hour))
	require.NoError(t, err)
	return w.begins(t, e)
}

func (w *world) submits(t *testing.T) experiment.Experiment {
	id := xid.New().String()
	e, err := experiment.New(id, experiment.Submission{
		Title: "E2e " + id, Problem: "Nobody knows whether runs end.", Hypothesis: "If we look, then we know, because it shows.",
		Impact: "Everybody knows.",
	}, experiment.FromFounder, nil, experiment.ReviewAll, time.Now().Add(-3*time.Hour))
	require.NoError(t, err)
	e, err = w.db.Experiments.SubmitExperiment(t.Context(), e, "")
	require.NoError(t, err)
	return e
}

func (w *world) begins(t *testing.T, e experiment.Experiment) experiment.Experiment {
	e, err := w.db.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, experiment.Active, "", time.Now().Add(-time.Hour))
	require.NoError(t, err)
	return e
}

// moves does as a founder does, and tells nobody.
func (w *world) moves(t *testing.T, e experiment.Experiment, to experiment.Status) {
	_, err := w.db.Experiments.MoveExperiment(t.Context(), e.ID, w.experiment(t, e).Version, to, "It says so here.", time.Now())
	require.NoError(t, err)
}

// votes lets as many new members vote.
func (w *world) votes(t *testing.T, e experiment.Experiment, values ...int) {
	for _, value := range values {
		id := xid.New().String()
		require.NoError(t, w.db.Members.AddMember(t.Context(), member.Member{
			ID: id, Username: id, UsernameKey: id, Status: member.StatusActive, PaymentCents: member.FoundingFeeCents, JoinedAt: time.Now(),
		}, nil))
		_, err := w.db.Experiments.CastVote(t.Context(), e.ID, id, value, time.Now())
		require.NoError(t, err)
	}
}

func (w *world) experiment(t *testing.T, e experiment.Experiment) experiment.Experiment {
	return fetch(t, w.db.Experiments.ExperimentRow, e.ID)
}

// carried waits until a run other than the given one carries the experiment, and names it.
func (w *world) carried(t *testing.T, e experiment.Experiment, other string) (runID string) {
	return once(t, w.db.Experiments.ExperimentRow, e.ID, func(c *assert.CollectT, row experiment.Experiment) {
		require.NotContains(c, []string{"", other}, row.RunID)
	}).RunID
}

// counted waits until the votes are counted and the run has ended, and holds what it says against the row.
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

// newest names the latest run of an experiment.
func (w *world) newest(t *testing.T, e experiment.Experiment) (runID string) {
	seen, err := w.temporal.DescribeWorkflowExecution(t.Context(), workflows.ExperimentID(e.ID), "")
	require.NoError(t, err)
	return seen.WorkflowExecutionInfo.Execution.RunId
}
