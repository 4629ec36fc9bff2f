package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/experiment"
)

// Experiment holds the activities of experiments. They only use the database.
type Experiment struct {
	Store ExperimentStore
	Now   func() time.Time
}

// ExperimentStore stores experiments and reads metrics. *store.Experiments implements it.
type ExperimentStore interface {
	BeginExperiment(ctx context.Context, id, workflowID, runID string) (experiment.Experiment, error)
	ExperimentRow(ctx context.Context, id string) (experiment.Experiment, error)
	ReadMetric(ctx context.Context, metric experiment.Metric, since, until time.Time) (experiment.Reading, error)
	// SettleExperiment sets the verdict of a running experiment. The first is kept.
	SettleExperiment(ctx context.Context, id string, reading experiment.Reading, at time.Time) (experiment.Experiment, error)
	// CloseVotes counts the votes of an ended experiment. The first count is kept.
	CloseVotes(ctx context.Context, id, workflowID, runID string, at time.Time) (experiment.VoteCounts, error)
}

// ExperimentRef identifies an experiment; its row holds the metric and the status.
type ExperimentRef struct{ ExperimentID string }

// ExperimentState is what the workflow needs to know of an experiment.
type ExperimentState struct {
	Status              experiment.Status
	Verdict             experiment.Verdict
	Ended               bool
	DueAt               time.Time // zero if there is nothing to measure
	Measured, Threshold *float64
}

func experimentState(e experiment.Experiment) ExperimentState {
	state := ExperimentState{
		Status: e.Status, Verdict: e.Verdict, Ended: e.EndedAt != nil, Measured: e.Measured, Threshold: e.Threshold,
	}
	if measurable(e) {
		state.DueAt = *e.DueAt
	}
	return state
}

// measurable reports whether a verdict is due: only a running experiment gets one.
func measurable(e experiment.Experiment) bool {
	return e.Status.Runs() && e.DueAt != nil
}

// BeginExperiment stores the run of a running experiment, and returns its state.
func (a *Experiment) BeginExperiment(ctx context.Context, in ExperimentRef) (ExperimentState, error) {
	execution := activity.GetInfo(ctx).WorkflowExecution
	row, err := a.Store.BeginExperiment(ctx, in.ExperimentID, execution.ID, execution.RunID)
	return experimentState(row), err
}

// MeasureExperiment reads the metric from the activation until the due date, and settles the experiment
// by it. A late or repeated call gives the same result.
func (a *Experiment) MeasureExperiment(ctx context.Context, in ExperimentRef) (ExperimentState, error) {
	row, err := a.Store.ExperimentRow(ctx, in.ExperimentID)
	if err != nil || !measurable(row) {
		return experimentState(row), err
	}
	reading, err := a.Store.ReadMetric(ctx, row.Metric, *row.StartedAt, *row.DueAt)
	if err != nil {
		return ExperimentState{}, err
	}
	row, err = a.Store.SettleExperiment(ctx, row.ID, reading, *row.DueAt)
	return experimentState(row), err
}

// ClosedExperiment is an experiment with its final votes.
type ClosedExperiment struct {
	ExperimentState
	experiment.VoteCounts
}

// CloseVotes freezes the vote count and stores the run that did.
func (a *Experiment) CloseVotes(ctx context.Context, in ExperimentRef) (ClosedExperiment, error) {
	execution := activity.GetInfo(ctx).WorkflowExecution
	counts, err := a.Store.CloseVotes(ctx, in.ExperimentID, execution.ID, execution.RunID, a.Now())
	if err != nil {
		return ClosedExperiment{}, err
	}
	row, err := a.Store.ExperimentRow(ctx, in.ExperimentID)
	return ClosedExperiment{experimentState(row), counts}, err
}
