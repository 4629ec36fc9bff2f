package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/store"
	"customerzero/workflows"
)

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
	t.Helper()
	e := &trial{stage: newStage(t), id: "e1"}
	e.play()
	idea, err := experiment.New(e.id, experiment.Submission{
		Title: "More posts by night", Problem: "Nobody reads what goes out while we sleep.",
		Hypothesis: "If we post by night, then more will read us, because others are awake.", Impact: "More people read what members write.",
	}, experiment.FromFounder, nil, experiment.ReviewAll, begin.Add(-2*time.Hour))
	require.NoError(t, err)
	_, err = e.db.Experiments.SubmitExperiment(t.Context(), idea, "")
	require.NoError(t, err)
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
	t.Helper()
	_, err := e.db.Experiments.RegisterMetric(t.Context(), e.id, e.row(t).Version, &experiment.Registration{
		Metric: m, Threshold: threshold, DueAt: due,
	}, begin.Add(-time.Hour))
	require.NoError(t, err)
}

func (e *trial) move(t *testing.T, to experiment.Status) {
	t.Helper()
	_, err := e.db.Experiments.MoveExperiment(t.Context(), e.id, e.row(t).Version, to, "It says so here.", e.env.Now())
	require.NoError(t, err)
}

// tells moves it as the API does: the run hears of it.
func (e *trial) tells(t *testing.T, to experiment.Status) {
	t.Helper()
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
	_, err := e.db.Experiments.CastVote(t.Context(), e.id, id, vote, at)
	require.NoError(t, err)
}

func (e *trial) row(t *testing.T) experiment.Experiment {
	t.Helper()
	row, err := e.db.Experiments.ExperimentRow(t.Context(), e.id)
	require.NoError(t, err)
	return row
}

func (e *trial) progress(t *testing.T) (progress workflows.ExperimentProgress) {
	t.Helper()
	answer, err := e.env.QueryWorkflow(workflows.QueryProgress)
	require.NoError(t, err)
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
