package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/experiment"
)

// Experiment holds the activities of experiments. All of them touch only our own database.
type Experiment struct {
	Store ExperimentStore
	Now   func() time.Time
}

// ExperimentStore keeps the rows and reads the metrics. *store.Experiments implements it.
type ExperimentStore interface {
	BeginExperiment(ctx context.Context, id, workflowID, runID string) (experiment.Experiment, error)
	ExperimentRow(ctx context.Context, id string) (experiment.Experiment, error)
	ReadMetric(ctx context.Context, metric experiment.Metric, since, until time.Time) (experiment.Reading, error)
	// SettleExperiment sets the verdict of one that runs. The first end stays.
	SettleExperiment(ctx context.Context, id string, reading experiment.Reading, at time.Time) (experiment.Experiment, error)
	// CloseVotes counts the votes of one that has ended. The first count stays.
	CloseVotes(ctx context.Context, id, workflowID, runID string, at time.Time) (experiment.VoteCounts, error)
}

// ExperimentRef names an experiment. What is measured, and how it stands, says its row.
type ExperimentRef struct{ ExperimentID string }

// ExperimentState is what its run has to know of a row.
type ExperimentState struct {
	Status              experiment.Status
	Verdict             experiment.Verdict
	Ended               bool
	DueAt               time.Time // zero: nothing is measured, or not now
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

// measurable says whether a verdict is to be set: what has not begun, or is over, has none coming.
func measurable(e experiment.Experiment) bool {
	return e.Status.Runs() && e.DueAt != nil
}

// BeginExperiment notes which run carries the experiment, if it is under way, and says how it
// stands.
func (a *Experiment) BeginExperiment(ctx context.Context, in ExperimentRef) (ExperimentState, error) {
	carrier := activity.GetInfo(ctx).WorkflowExecution
	row, err := a.Store.BeginExperiment(ctx, in.ExperimentID, carrier.ID, carrier.RunID)
	return experimentState(row), err
}

// MeasureExperiment reads the metric from the day the experiment became active until the date
// it promised, and settles it by that. It says the same however late it comes, and when it is
// repeated.
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

// ClosedExperiment is an experiment whose votes are counted for good.
type ClosedExperiment struct {
	ExperimentState
	experiment.VoteCounts
}

// CloseVotes counts the votes and freezes the count, in the name of this run.
func (a *Experiment) CloseVotes(ctx context.Context, in ExperimentRef) (ClosedExperiment, error) {
	carrier := activity.GetInfo(ctx).WorkflowExecution
	tally, err := a.Store.CloseVotes(ctx, in.ExperimentID, carrier.ID, carrier.RunID, a.Now())
	if err != nil {
		return ClosedExperiment{}, err
	}
	row, err := a.Store.ExperimentRow(ctx, in.ExperimentID)
	return ClosedExperiment{experimentState(row), tally}, err
}
