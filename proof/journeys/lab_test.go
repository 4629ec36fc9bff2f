package journeys_test

import (
	"context"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/workflows"
)

// patience is how long an experiment may take to end here, its date included.

// experiments writes down one that became active an hour ago, and promises nothing.
func (w *world) experiments(t *testing.T) experiment.Experiment {
	t.Helper()
	return w.begins(t, w.submits(t))
}

// promises writes down one whose date comes after a while. It was registered long before, as
// the rules want it.
func (w *world) promises(t *testing.T, m experiment.Metric, threshold float64, after time.Duration) experiment.Experiment {
	t.Helper()
	e := w.submits(t)
	e, err := w.db.Experiments.RegisterMetric(t.Context(), e.ID, e.Version, &experiment.Registration{
		Metric: m, Threshold: threshold, DueAt: time.Now().Add(after),
	}, time.Now().Add(-2*time.Hour))
	require.NoError(t, err)
	return w.begins(t, e)
}

func (w *world) submits(t *testing.T) experiment.Experiment {
	t.Helper()
	id := xid.New().String()
	e, err := experiment.New(id, experiment.Submission{
		Title: "Journey " + id, Problem: "Nobody knows whether runs end.", Hypothesis: "If we look, then we know, because it shows.",
		Impact: "Everybody knows.",
	}, experiment.FromFounder, nil, experiment.ReviewAll, time.Now().Add(-3*time.Hour))
	require.NoError(t, err)
	e, err = w.db.Experiments.SubmitExperiment(t.Context(), e, "")
	require.NoError(t, err)
	return e
}

func (w *world) begins(t *testing.T, e experiment.Experiment) experiment.Experiment {
	t.Helper()
	e, err := w.db.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, experiment.Active, "", time.Now().Add(-time.Hour))
	require.NoError(t, err)
	return e
}

// moves does as a founder does, and tells nobody.
func (w *world) moves(t *testing.T, e experiment.Experiment, to experiment.Status) {
	t.Helper()
	_, err := w.db.Experiments.MoveExperiment(t.Context(), e.ID, w.experiment(t, e).Version, to, "It says so here.", time.Now())
	require.NoError(t, err)
}

// votes lets as many new members vote.
func (w *world) votes(t *testing.T, e experiment.Experiment, values ...int) {
	t.Helper()
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
	t.Helper()
	row, err := w.db.Experiments.ExperimentRow(t.Context(), e.ID)
	require.NoError(t, err)
	return row
}

// carried waits until a run other than the given one carries the experiment, and names it.
func (w *world) carried(t *testing.T, e experiment.Experiment, other string) (runID string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		row, err := w.db.Experiments.ExperimentRow(t.Context(), e.ID)
		require.NoError(c, err)
		require.NotEmpty(c, row.RunID)
		require.NotEqual(c, other, row.RunID)
		runID = row.RunID
	}, patience, 20*time.Millisecond)
	return runID
}

// counted waits until the votes are counted and the run has ended, and holds what it says
// against the row.
func (w *world) counted(t *testing.T, e experiment.Experiment) (result workflows.ExperimentResult, row experiment.Experiment) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		row = w.experiment(t, e)
		require.NotNil(c, row.VotesClosedAt)
	}, patience, 20*time.Millisecond)
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
	t.Helper()
	seen, err := w.temporal.DescribeWorkflowExecution(t.Context(), workflows.ExperimentID(e.ID), "")
	require.NoError(t, err)
	return seen.WorkflowExecutionInfo.Execution.RunId
}
