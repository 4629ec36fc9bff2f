package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/workflows"
)

func TestExperimentEnds(t *testing.T) {
	t.Parallel()
	promising := func(threshold float64) func(*testing.T, *trial) {
		return func(t *testing.T, e *trial) { e.promise(t, experiment.Members, threshold) }
	}
	for name, tt := range map[string]struct {
		given    func(t *testing.T, e *trial) // before it is active
		then     func(t *testing.T, e *trial) // when it is
		status   experiment.Status
		verdict  experiment.Verdict
		measured bool
		after    time.Duration
	}{
		"met": {
			given: promising(3), status: experiment.Completed, verdict: experiment.Met, measured: true, after: 48 * time.Hour,
		},
		"missed": {
			given: promising(4), status: experiment.Completed, verdict: experiment.Missed, measured: true, after: 48 * time.Hour,
		},
		"nothing to measure": {
			given:  func(t *testing.T, e *trial) { e.promise(t, experiment.HealTime, 2) },
			status: experiment.Completed, verdict: experiment.Unmeasured, after: 48 * time.Hour,
		},
		"tested before its date": {
			given: promising(3),
			then: func(t *testing.T, e *trial) {
				e.after(time.Hour, func() { e.tells(t, experiment.Testing) })
				e.after(2*time.Hour, func() { e.tells(t, experiment.Active) })
				e.after(3*time.Hour, func() { e.tells(t, experiment.Testing) })
			},
			status: experiment.Completed, verdict: experiment.Met, measured: true, after: 48 * time.Hour,
		},
		"given up before its date": {
			given:  promising(3),
			then:   func(t *testing.T, e *trial) { e.after(5*time.Hour, func() { e.tells(t, experiment.Declined) }) },
			status: experiment.Declined, verdict: experiment.Abandoned, after: 5 * time.Hour,
		},
		"given up, and its run not told": {
			given:  promising(3),
			then:   func(t *testing.T, e *trial) { e.after(5*time.Hour, func() { e.move(t, experiment.Declined) }) },
			status: experiment.Declined, verdict: experiment.Abandoned, after: 24 * time.Hour,
		},
		"given up in the last moment": {
			given: promising(3),
			then: func(t *testing.T, e *trial) {
				e.after(48*time.Hour-time.Second, func() { e.move(t, experiment.Declined) })
			},
			status: experiment.Declined, verdict: experiment.Abandoned, after: 48 * time.Hour,
		},
		"completed by a founder, nothing promised": {
			then:   func(t *testing.T, e *trial) { e.after(240*time.Hour, func() { e.tells(t, experiment.Completed) }) },
			status: experiment.Completed, after: 240 * time.Hour,
		},
		"completed by a founder, and its run not told": {
			then:   func(t *testing.T, e *trial) { e.after(30*time.Hour, func() { e.move(t, experiment.Completed) }) },
			status: experiment.Completed, after: 48 * time.Hour,
		},
		"completed and shipped before its run began": {
			then: func(t *testing.T, e *trial) {
				e.move(t, experiment.Completed)
				e.move(t, experiment.Shipped)
			},
			status: experiment.Shipped,
		},
		"completed while its run begins": {
			then: func(t *testing.T, e *trial) {
				e.begun = func() { e.tells(t, experiment.Completed) }
			},
			status: experiment.Completed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newTrial(t)
			if tt.given != nil {
				tt.given(t, e)
			}
			e.move(t, experiment.Active)
			e.join(t, "ada", begin, 1)
			e.join(t, "ben", begin, -1)
			e.join(t, "cyd", begin, 1)
			if tt.then != nil {
				tt.then(t, e)
			}
			result := e.ends(t)
			require.Equal(t, tt.status, result.Status)
			require.Equal(t, tt.verdict, result.Verdict)
			require.Equal(t, tt.measured, result.Measured != nil)
			require.Equal(t, [2]int{2, 1}, [2]int{result.Up, result.Down})
			require.WithinDuration(t, begin.Add(tt.after), e.env.Now(), time.Second)
		})
	}
}

func TestExperimentIsMeasuredFromItsStartUntilItsDateHoweverLate(t *testing.T) {
	t.Parallel()
	e := newTrial(t)
	e.promise(t, experiment.Members, 1)
	e.join(t, "ada", begin, 1)
	e.move(t, experiment.Active)
	late := e.next(due.Add(72 * time.Hour))
	late.join(t, "ben", due.Add(time.Hour), 1)
	require.InDelta(t, 1, *late.ends(t).Measured, 0)
	require.Equal(t, [][2]time.Time{{begin, due}}, late.metered)
	require.Equal(t, due, late.row(t).EndedAt.UTC())
}

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
		must(e.db.Experiments.RegisterMetric(t.Context(), e.id, e.row(t).Version, nil, e.env.Now()))
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

// trial is everything around one experiment, which becomes active when the flows begin.
type trial struct {
	*stage
	id string

	reads   int    // of its row, by BeginExperiment
	begun   func() // once, after the row was read and before the run is told
	metered [][2]time.Time
}

// due is when a trial's metric is read, if it has one.
var due = begin.Add(48 * time.Hour)

func newTrial(t *testing.T) *trial {
	e := &trial{stage: newStage(t), id: "e1"}
	e.play()
	idea := must(experiment.New(e.id, experiment.Submission{
		Title: "More posts by night", Problem: "Nobody reads what goes out while we sleep.",
		Hypothesis: "If we post by night, then more will read us, because others are awake.", Impact: "More people read what members write.",
	}, experiment.FromFounder, nil, experiment.ReviewAll, begin.Add(-2*time.Hour)))
	must(e.db.Experiments.SubmitExperiment(t.Context(), idea, ""))
	return e
}

// play lets the stage's worker know the activities.
func (e *trial) play() {
	e.begun = func() {}
	e.env.RegisterActivity(&activities.Experiment{Store: &witness{e.db.Experiments, e}, Now: e.env.Now})
}

// witness is the database, and notes what is asked of it.
type witness struct {
	*store.Experiments
	trial *trial
}

func (w *witness) BeginExperiment(ctx context.Context, id, workflowID, runID string) (experiment.Experiment, error) {
	row, err := w.Experiments.BeginExperiment(ctx, id, workflowID, runID)
	w.trial.reads++
	then := w.trial.begun
	w.trial.begun = func() {}
	then()
	return row, err
}

func (w *witness) ReadMetric(ctx context.Context, m experiment.Metric, since, until time.Time) (experiment.Reading, error) {
	w.trial.metered = append(w.trial.metered, [2]time.Time{since.UTC(), until.UTC()})
	return w.Experiments.ReadMetric(ctx, m, since, until)
}

// promise registers a metric, whose date is due.
func (e *trial) promise(t *testing.T, m experiment.Metric, threshold float64) {
	must(e.db.Experiments.RegisterMetric(t.Context(), e.id, e.row(t).Version, &experiment.Registration{
		Metric: m, Threshold: threshold, DueAt: due,
	}, begin.Add(-time.Hour)))
}

func (e *trial) move(t *testing.T, to experiment.Status) {
	must(e.db.Experiments.MoveExperiment(t.Context(), e.id, e.row(t).Version, to, "It says so here.", e.env.Now()))
}

// tells moves it as the API does: the run hears of it.
func (e *trial) tells(t *testing.T, to experiment.Status) {
	e.move(t, to)
	e.wake()
}

func (e *trial) wake() { e.env.SignalWorkflow(workflows.SignalWake, nil) }

// join lets somebody become a member, and vote.
func (e *trial) join(t *testing.T, id string, at time.Time, vote int) {
	t.Helper()
	require.NoError(t, e.db.Members.AddMember(t.Context(), member.Member{
		ID: id, Username: id, UsernameKey: id, Status: member.StatusActive, PaymentCents: member.FoundingFeeCents, JoinedAt: at,
	}, nil))
	must(e.db.Experiments.CastVote(t.Context(), e.id, id, vote, at))
}

func (e *trial) row(t *testing.T) experiment.Experiment {
	row := must(e.db.Experiments.ExperimentRow(t.Context(), e.id))
	return row
}

func (e *trial) progress(t *testing.T) (progress workflows.ExperimentProgress) {
	t.Helper()
	answer := must(e.env.QueryWorkflow(workflows.QueryProgress))
	require.NoError(t, answer.Get(&progress))
	return progress
}

// execute runs the flow until it ends, however that is.
func (e *trial) execute() {
	e.env.ExecuteWorkflow(workflows.Experiment, workflows.ExperimentInput{ExperimentID: e.id})
}

// ends runs the flow to its end, and holds what it says against the row.
func (e *trial) ends(t *testing.T) workflows.ExperimentResult {
	t.Helper()
	e.execute()
	require.NoError(t, e.env.GetWorkflowError())
	var result workflows.ExperimentResult
	require.NoError(t, e.env.GetWorkflowResult(&result))
	row := e.row(t)
	require.NotNil(t, row.EndedAt)
	require.NotNil(t, row.VotesClosedAt, "whatever came of it")
	require.Equal(t, [2]string{"default-test-workflow-id", "default-test-run-id"}, [2]string{row.WorkflowID, row.RunID})
	require.Equal(t, workflows.ExperimentResult{
		Status: row.Status, Verdict: row.Verdict, Measured: row.Measured, Threshold: row.Threshold, Up: *row.FinalUp, Down: *row.FinalDown,
	}, result)
	return result
}

// next is a run that is begun later on the same books.
func (e *trial) next(at time.Time) *trial {
	later := &trial{stage: stageFor(e.db, at), id: e.id}
	later.play()
	return later
}
