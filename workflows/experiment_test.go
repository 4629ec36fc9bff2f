package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/store"
	"customerzero/workflows"
)

func TestExperimentEnds(t *testing.T) {
	t.Parallel()
	type step = func(t *testing.T, e *experimentWorld)
	promising := func(m experiment.Metric, threshold float64) step {
		return func(t *testing.T, e *experimentWorld) { e.promise(t, m, threshold) }
	}
	moved := func(to experiment.Status) step { return func(t *testing.T, e *experimentWorld) { e.move(t, to) } }
	told := func(to experiment.Status) step {
		return func(t *testing.T, e *experimentWorld) { e.moveBySignal(t, to) }
	}
	in := func(d time.Duration, do step) step {
		return func(t *testing.T, e *experimentWorld) { e.after(d, func() { do(t, e) }) }
	}
	both := func(steps ...step) step {
		return func(t *testing.T, e *experimentWorld) {
			for _, do := range steps {
				do(t, e)
			}
		}
	}
	const due = 48 * time.Hour
	three := promising(experiment.Members, 3)
	tested := both(in(time.Hour, told(experiment.Testing)), in(2*time.Hour, told(experiment.Active)), in(3*time.Hour, told(experiment.Testing)))
	for name, c := range map[string]struct {
		given    step // before the activation
		then     step // after the activation
		status   experiment.Status
		verdict  experiment.Verdict
		measured bool
		after    time.Duration
	}{
		"met":                                          {three, nil, experiment.Completed, experiment.Met, true, due},
		"missed":                                       {promising(experiment.Members, 4), nil, experiment.Completed, experiment.Missed, true, due},
		"nothing to measure":                           {promising(experiment.HealTime, 2), nil, experiment.Completed, experiment.Unmeasured, false, due},
		"moved to testing before its due date":         {three, tested, experiment.Completed, experiment.Met, true, due},
		"declined before its due date":                 {three, in(5*time.Hour, told(experiment.Declined)), experiment.Declined, experiment.Abandoned, false, 5 * time.Hour},
		"declined, without a signal":                   {three, in(5*time.Hour, moved(experiment.Declined)), experiment.Declined, experiment.Abandoned, false, 24 * time.Hour},
		"declined at the last moment":                  {three, in(due-time.Second, moved(experiment.Declined)), experiment.Declined, experiment.Abandoned, false, due},
		"completed by a founder, without a metric":     {nil, in(240*time.Hour, told(experiment.Completed)), experiment.Completed, "", false, 240 * time.Hour},
		"completed by a founder, without a signal":     {nil, in(30*time.Hour, moved(experiment.Completed)), experiment.Completed, "", false, due},
		"completed and shipped before its run started": {nil, both(moved(experiment.Completed), moved(experiment.Shipped)), experiment.Shipped, "", false, 0},
		"completed while its run starts": {nil, func(t *testing.T, e *experimentWorld) {
			e.begun = func() { e.moveBySignal(t, experiment.Completed) }
		}, experiment.Completed, "", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newExperimentWorld(t)
			if c.given != nil {
				c.given(t, e)
			}
			e.move(t, experiment.Active)
			for id, vote := range map[string]int{"ada": 1, "ben": -1, "cyd": 1} {
				e.join(t, id, begin, vote)
			}
			if c.then != nil {
				c.then(t, e)
			}
			result := e.ends(t)
			require.Equal(t, []any{c.status, c.verdict, c.measured}, []any{result.Status, result.Verdict, result.Measured != nil})
			require.Equal(t, [2]int{2, 1}, [2]int{result.Up, result.Down})
			require.WithinDuration(t, begin.Add(c.after), e.env.Now(), time.Second)
		})
	}
}

func TestExperimentIsMeasuredUntilItsDueDate(t *testing.T) {
	t.Parallel()
	e := newExperimentWorld(t).running(t)
	late := e.next(due.Add(72 * time.Hour))
	late.join(t, "ben", due.Add(time.Hour), 1)
	require.InDelta(t, 1, *late.ends(t).Measured, 0)
	require.Equal(t, [][2]time.Time{{begin, due}}, late.metered)
	require.Equal(t, due, late.row(t).EndedAt.UTC())
}

// TestExperimentRetriesTheDatabase checks that failed activities are retried, and that nothing is done
// twice.
func TestExperimentRetriesTheDatabase(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"BeginExperiment", "MeasureExperiment", "CloseVotes"} {
		for asks, what := range map[bool]string{true: " does not arrive", false: " is not answered"} {
			t.Run(step+what, func(t *testing.T) {
				t.Parallel()
				e := newExperimentWorld(t).running(t)
				*e.network = network{loses: step, times: 5, asks: asks}
				result := e.ends(t)
				require.Equal(t, experiment.Met, result.Verdict)
				require.Equal(t, 1, result.Up)
				require.Equal(t, due, e.row(t).EndedAt.UTC())
			})
		}
	}
}

// TestRestartedExperimentKeepsItsDueDate terminates a run; the next one resumes.
func TestRestartedExperimentKeepsItsDueDate(t *testing.T) {
	t.Parallel()
	e := newExperimentWorld(t).running(t)
	e.after(time.Hour, e.env.CancelWorkflow)
	err := e.fails()
	require.True(t, temporal.IsCanceledError(err), "%v", err)
	require.Equal(t, experiment.Active, e.row(t).Status)
	require.Nil(t, e.row(t).VotesClosedAt)

	again := e.next(begin.Add(10 * time.Hour))
	require.Equal(t, experiment.Met, again.ends(t).Verdict)
	require.WithinDuration(t, due, again.env.Now(), time.Second)
}

// TestExperimentIsCountedOnce starts another run after the end, which must keep the count.
func TestExperimentIsCountedOnce(t *testing.T) {
	t.Parallel()
	e := newExperimentWorld(t)
	e.move(t, experiment.Active)
	e.join(t, "ada", begin, 1)
	e.after(time.Hour, func() { e.moveBySignal(t, experiment.Completed) })
	first, closed := e.ends(t), *e.row(t).VotesClosedAt
	again := e.next(begin.Add(10 * time.Hour))
	require.Equal(t, first, again.ends(t))
	require.Equal(t, closed, *again.row(t).VotesClosedAt)
}

func TestDeclinedExperimentHasNoFinalVotes(t *testing.T) {
	t.Parallel()
	e := newExperimentWorld(t)
	e.join(t, "ada", begin, 1)
	e.move(t, experiment.Declined)
	require.Equal(t, workflows.ExperimentResult{Status: experiment.Declined, Up: 1}, e.run(t))
	require.Nil(t, e.row(t).VotesClosedAt)
}

// TestPlannedExperimentWaits starts a run before the activation: it waits, and reads the due date then.
func TestPlannedExperimentWaits(t *testing.T) {
	t.Parallel()
	e := newExperimentWorld(t)
	e.after(3*time.Hour, func() {
		require.Empty(t, e.row(t).RunID, "it carries nothing yet")
		e.promise(t, experiment.Members, 0)
		e.moveBySignal(t, experiment.Active)
	})
	e.after(4*time.Hour, func() { require.NotEmpty(t, e.row(t).RunID) })
	require.Equal(t, experiment.Met, e.ends(t).Verdict)
	require.WithinDuration(t, due, e.env.Now(), time.Second)
}

func TestPlannedExperimentPastItsDueDate(t *testing.T) {
	t.Parallel()
	e := newExperimentWorld(t)
	e.promise(t, experiment.Members, 0)
	e.after(time.Hour, func() { require.Zero(t, e.progress(t).DueAt) })
	e.after(49*time.Hour, func() {
		must(e.db.Experiments.RegisterMetric(t.Context(), e.id, e.row(t).Version, nil, e.env.Now()))
		e.moveBySignal(t, experiment.Active)
	})
	e.after(50*time.Hour, func() { e.moveBySignal(t, experiment.Completed) })
	require.Empty(t, e.ends(t).Verdict)
	require.Empty(t, e.metered)
}

// TestExperimentReadsItsRowWhenSignaled checks that signals received together are all handled.
func TestExperimentReadsItsRowWhenSignaled(t *testing.T) {
	t.Parallel()
	e := newExperimentWorld(t)
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
		require.Contains(t, []int{2, 3}, progress.Reads, "not once for each of 50")
		e.moveBySignal(t, experiment.Completed)
	})
	e.ends(t)
}

// TestExperimentContinuesAsNew checks that many signals do not let the history grow without bound.
func TestExperimentContinuesAsNew(t *testing.T) {
	t.Parallel()
	e := newExperimentWorld(t).running(t)
	e.env.SetContinueAsNewSuggested(true)
	e.after(time.Hour, func() { e.moveBySignal(t, experiment.Testing) })
	err := e.fails()
	require.True(t, workflow.IsContinueAsNewError(err), "%v", err)
	require.WithinDuration(t, begin.Add(time.Hour), e.env.Now(), time.Second)

	again := e.next(begin.Add(time.Hour))
	again.env.SetContinueAsNewSuggested(true)
	again.after(time.Hour, func() { again.moveBySignal(t, experiment.Declined) })
	require.Equal(t, experiment.Abandoned, again.ends(t).Verdict, "one that has ended ends")
}

// experimentWorld is an experiment, active from the start of the workflow, and its surroundings.
type experimentWorld struct {
	*stage
	id string

	reads   int    // calls of BeginExperiment
	begun   func() // runs once, between the read of the row and its result
	metered [][2]time.Time
}

// due is the due date of a experimentWorld's metric.
var due = begin.Add(48 * time.Hour)

func newExperimentWorld(t *testing.T) *experimentWorld {
	e := &experimentWorld{stage: newStage(t), id: "e1"}
	e.play()
	idea := must(experiment.New(e.id, experiment.Submission{
		Title: "More posts by night", Problem: "Nobody reads what goes out while we sleep.",
		Hypothesis: "If we post by night, then more will read us, because others are awake.", Impact: "More people read what members write.",
	}, experiment.FromFounder, nil, experiment.ReviewAll, begin.Add(-2*time.Hour)))
	must(e.db.Experiments.SubmitExperiment(t.Context(), idea, account.Asker{Founder: true}))
	return e
}

func (e *experimentWorld) play() {
	e.begun = func() {}
	e.env.RegisterActivity(&activities.Experiment{Store: &recordingStore{e.db.Experiments, e}, Now: e.env.Now})
}

// recordingStore is the store, and records calls.
type recordingStore struct {
	*store.Experiments
	experimentWorld *experimentWorld
}

func (w *recordingStore) BeginExperiment(ctx context.Context, id, workflowID, runID string) (experiment.Experiment, error) {
	row, err := w.Experiments.BeginExperiment(ctx, id, workflowID, runID)
	w.experimentWorld.reads++
	then := w.experimentWorld.begun
	w.experimentWorld.begun = func() {}
	then()
	return row, err
}

func (w *recordingStore) ReadMetric(ctx context.Context, m experiment.Metric, since, until time.Time) (experiment.Reading, error) {
	w.experimentWorld.metered = append(w.experimentWorld.metered, [2]time.Time{since.UTC(), until.UTC()})
	return w.Experiments.ReadMetric(ctx, m, since, until)
}

func (e *experimentWorld) promise(t *testing.T, m experiment.Metric, threshold float64) {
	must(e.db.Experiments.RegisterMetric(t.Context(), e.id, e.row(t).Version, &experiment.Registration{
		Metric: m, Threshold: threshold, DueAt: due,
	}, begin.Add(-time.Hour)))
}

func (e *experimentWorld) move(t *testing.T, to experiment.Status) {
	must(e.db.Experiments.MoveExperiment(t.Context(), e.id, e.row(t).Version, to, "It says so here.", e.env.Now()))
}

// moveBySignal moves it as the API does.
func (e *experimentWorld) moveBySignal(t *testing.T, to experiment.Status) {
	e.move(t, to)
	e.wake()
}

func (e *experimentWorld) wake() { e.env.SignalWorkflow(workflows.SignalWoken, nil) }

// join adds a member who votes.
func (e *experimentWorld) join(t *testing.T, id string, at time.Time, vote int) {
	t.Helper()
	require.NoError(t, e.db.Members.AddMember(t.Context(), member.Member{
		ID: id, Username: id, UsernameKey: id, Status: member.StatusActive, PaymentCents: member.FoundingFeeCents, JoinedAt: at,
	}, nil))
	must(e.db.Experiments.CastVote(t.Context(), e.id, experiment.Voter{MemberID: id}, vote, at))
}

func (e *experimentWorld) row(t *testing.T) experiment.Experiment {
	row := must(e.db.Experiments.ExperimentRow(t.Context(), e.id))
	return row
}

func (e *experimentWorld) progress(t *testing.T) (progress workflows.ExperimentProgress) {
	t.Helper()
	answer := must(e.env.QueryWorkflow(workflows.QueryProgress))
	require.NoError(t, answer.Get(&progress))
	return progress
}

// fails runs the workflow and returns its error.
func (e *experimentWorld) fails() error {
	e.env.ExecuteWorkflow(workflows.Experiment, workflows.ExperimentInput{ExperimentID: e.id})
	return e.env.GetWorkflowError()
}

func (e *experimentWorld) run(t *testing.T) workflows.ExperimentResult {
	t.Helper()
	return run[workflows.ExperimentResult](t, e.env, workflows.Experiment, workflows.ExperimentInput{ExperimentID: e.id})
}

// running activates it with a metric of one member and ada's vote.
func (e *experimentWorld) running(t *testing.T) *experimentWorld {
	e.promise(t, experiment.Members, 1)
	e.move(t, experiment.Active)
	e.join(t, "ada", begin, 1)
	return e
}

// ends runs the workflow, and compares its result with the row.
func (e *experimentWorld) ends(t *testing.T) workflows.ExperimentResult {
	t.Helper()
	result := e.run(t)
	row := e.row(t)
	require.NotNil(t, row.EndedAt)
	require.NotNil(t, row.VotesClosedAt, "whatever came of it")
	require.Equal(t, [2]string{"default-test-workflow-id", "default-test-run-id"}, [2]string{row.WorkflowID, row.RunID})
	require.Equal(t, workflows.ExperimentResult{
		Status: row.Status, Verdict: row.Verdict, Measured: row.Measured, Threshold: row.Threshold, Up: *row.FinalUp, Down: *row.FinalDown,
	}, result)
	return result
}

// next prepares a later run on the same database.
func (e *experimentWorld) next(at time.Time) *experimentWorld {
	later := &experimentWorld{stage: stageFor(e.db, at), id: e.id}
	later.play()
	return later
}
