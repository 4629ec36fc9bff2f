package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// What the database does not answer is asked again, and what was done is not done twice.
func TestExperimentOutlivesItsDatabase(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"BeginExperiment", "MeasureExperiment", "CloseVotes"} {
		for asks, what := range map[bool]string{true: " does not arrive", false: " is not answered"} {
			t.Run(step+what, func(t *testing.T) {
				t.Parallel()
				e := newTrial(t)
				e.promise(t, experiment.Members, 1)
				e.move(t, experiment.Active)
				e.join(t, "ada", begin, 1)
				e.network.loses, e.network.times, e.network.asks = step, 5, asks
				result := e.ends(t)
				require.Equal(t, experiment.Met, result.Verdict)
				require.Equal(t, 1, result.Up)
				require.Equal(t, due, e.row(t).EndedAt.UTC())
			})
		}
	}
}

// A run that somebody ended leaves the experiment as it is; the next one goes on.
func TestExperimentThatIsBegunAgainKeepsItsDate(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.promise(t, experiment.Members, 1)
	e.move(t, experiment.Active)
	e.join(t, "ada", begin, 1)
	e.after(time.Hour, e.env.CancelWorkflow)
	e.execute()
	require.True(t, temporal.IsCanceledError(e.env.GetWorkflowError()), "%v", e.env.GetWorkflowError())
	require.Equal(t, experiment.Active, e.row(t).Status)
	require.Nil(t, e.row(t).VotesClosedAt)

	again := e.next(begin.Add(10 * time.Hour))
	require.Equal(t, experiment.Met, again.ends(t).Verdict)
	require.WithinDuration(t, due, again.env.Now(), time.Second)
}

// Begun once more, an experiment that is over stays as it was counted.
func TestExperimentIsCountedOnce(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.move(t, experiment.Active)
	e.join(t, "ada", begin, 1)
	e.after(time.Hour, func() { e.tells(t, experiment.Completed) })
	first := e.ends(t)
	closed := *e.row(t).VotesClosedAt
	again := e.next(begin.Add(10 * time.Hour))
	require.Equal(t, first, again.ends(t))
	require.Equal(t, closed, *again.row(t).VotesClosedAt)
}

// An idea that was turned down before it began has no votes that a run would freeze.
func TestExperimentThatNeverBeganFreezesNothing(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.join(t, "ada", begin, 1)
	e.move(t, experiment.Declined)
	e.execute()
	require.NoError(t, e.env.GetWorkflowError())
	var result workflows.ExperimentResult
	require.NoError(t, e.env.GetWorkflowResult(&result))
	require.Equal(t, workflows.ExperimentResult{Status: experiment.Declined, Up: 1}, result)
	require.Nil(t, e.row(t).VotesClosedAt)
}

func TestExperimentThatNobodyKnowsFailsAtOnce(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.id = "nobody"
	e.execute()
	var refused *temporal.ApplicationError
	require.ErrorAs(t, e.env.GetWorkflowError(), &refused)
	require.Equal(t, string(problem.NotFound), refused.Type())
}

// One that is told of before it begins waits, and takes its date up when it does.
func TestExperimentThatIsPlannedWaits(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.after(3*time.Hour, func() {
		require.Empty(t, e.row(t).RunID, "it carries nothing yet")
		e.promise(t, experiment.Members, 0)
		e.tells(t, experiment.Active)
	})
	e.after(4*time.Hour, func() { require.NotEmpty(t, e.row(t).RunID) })
	require.Equal(t, experiment.Met, e.ends(t).Verdict)
	require.WithinDuration(t, due, e.env.Now(), time.Second)
}

// A promise whose date passes before the experiment begins is nobody's to judge.
func TestExperimentThatIsPlannedPastItsDateIsNotMeasured(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.promise(t, experiment.Members, 0)
	e.after(time.Hour, func() { require.Zero(t, e.progress(t).DueAt) })
	e.after(49*time.Hour, func() {
		_, err := e.db.Experiments.RegisterMetric(t.Context(), e.id, e.row(t).Version, nil, e.env.Now())
		require.NoError(t, err)
		e.tells(t, experiment.Active)
	})
	e.after(50*time.Hour, func() { e.tells(t, experiment.Completed) })
	require.Empty(t, e.ends(t).Verdict)
	require.Empty(t, e.metered)
}

// Words that come together are one, and each is heard: it reads once more than it was told.
func TestExperimentReadsItsRowWhenItIsTold(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.move(t, experiment.Active)
	e.after(time.Hour, func() {
		for range 50 {
			e.wake()
		}
	})
	e.after(2*time.Hour, func() {
		progress := e.progress(t)
		require.Equal(t, experiment.Active, progress.Status)
		require.Equal(t, e.reads, progress.Reads)
		require.LessOrEqual(t, progress.Reads, 3, "not once for each of 50")
		require.Greater(t, progress.Reads, 1)
		e.tells(t, experiment.Completed)
	})
	e.ends(t)
}

// Somebody who moves an experiment back and forth for ever gets histories that end.
func TestExperimentGoesOnAnewWhenItsHistoryIsLong(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.promise(t, experiment.Members, 1)
	e.move(t, experiment.Active)
	e.join(t, "ada", begin, 1)
	e.env.SetContinueAsNewSuggested(true)
	e.after(time.Hour, func() { e.tells(t, experiment.Testing) })
	e.execute()
	require.True(t, workflow.IsContinueAsNewError(e.env.GetWorkflowError()), "%v", e.env.GetWorkflowError())
	require.WithinDuration(t, begin.Add(time.Hour), e.env.Now(), time.Second)

	anew := e.next(begin.Add(time.Hour))
	anew.env.SetContinueAsNewSuggested(true)
	anew.after(time.Hour, func() { anew.tells(t, experiment.Declined) })
	require.Equal(t, experiment.Abandoned, anew.ends(t).Verdict, "one that has ended ends")
}
