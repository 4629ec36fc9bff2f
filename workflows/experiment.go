package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/experiment"
)

var experimentActivities *activities.Experiment // nil: only names activities

// ExperimentInput identifies a stored experiment.
type ExperimentInput = activities.ExperimentRef

// ExperimentResult is the outcome of an experiment. Up and Down are its final votes.
type ExperimentResult struct {
	Status              experiment.Status
	Verdict             experiment.Verdict
	Measured, Threshold *float64
	Up, Down            int
}

// ExperimentProgress shows what a run waits for.
type ExperimentProgress struct {
	Status experiment.Status
	DueAt  time.Time // zero if only a founder can end it
	Reads  int       // reads of its row in this run
}

// ExperimentID is the workflow ID of an experiment.
func ExperimentID(id string) string { return "experiment:" + id }

// rereadEvery is how often the row is read without a signal, in case one was lost.
const rereadEvery = 24 * time.Hour

// Experiment carries an experiment from its activation to its end: by its verdict at the due date, or by
// a founder. Then it counts the votes. The row holds the state, so that a restarted run resumes from
// there.
func Experiment(ctx workflow.Context, in ExperimentInput) (ExperimentResult, error) {
	flow := &experimentFlow{ref: in}
	if err := flow.setHandlers(ctx); err != nil {
		return ExperimentResult{}, err
	}
	err := flow.read(ctx, experimentActivities.BeginExperiment)
	for err == nil && !flow.state.Ended {
		if err = flow.advance(ctx); err == nil && !flow.state.Ended && workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			err = workflow.NewContinueAsNewError(ctx, Experiment, in) // which starts by reading the row
		}
	}
	if err != nil {
		return ExperimentResult{}, err
	}
	closed, err := runLocal(ctx, experimentActivities.CloseVotes, flow.ref)
	return ExperimentResult{
		Status: closed.Status, Verdict: closed.Verdict, Measured: closed.Measured, Threshold: closed.Threshold,
		Up: closed.Up, Down: closed.Down,
	}, err
}

// experimentFlow is a run's copy of the row.
type experimentFlow struct {
	ref     activities.ExperimentRef
	state   activities.ExperimentState
	reads   int
	signals int // signals that the row has changed
	handled int // signals before the last read
}

func (f *experimentFlow) setHandlers(ctx workflow.Context) error {
	wakes := workflow.GetSignalChannel(ctx, SignalWoken)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for wakes.Receive(ctx, nil) {
			f.signals++
		}
	})
	return workflow.SetQueryHandler(ctx, QueryProgress, func() (ExperimentProgress, error) {
		return ExperimentProgress{Status: f.state.Status, DueAt: f.state.DueAt, Reads: f.reads}, nil
	})
}

// advance waits until the row has changed or the due date has come, and then reads or measures.
func (f *experimentFlow) advance(ctx workflow.Context) error {
	_, err := workflow.AwaitWithTimeout(ctx, f.wait(ctx), func() bool { return f.signals != f.handled })
	if err != nil {
		return err
	}
	if f.due(ctx) {
		return f.read(ctx, experimentActivities.MeasureExperiment)
	}
	return f.read(ctx, experimentActivities.BeginExperiment)
}

// wait is the time until there is something to do without a signal.
func (f *experimentFlow) wait(ctx workflow.Context) time.Duration {
	if f.state.DueAt.IsZero() {
		return rereadEvery
	}
	return min(rereadEvery, f.state.DueAt.Sub(workflow.Now(ctx)))
}

func (f *experimentFlow) due(ctx workflow.Context) bool {
	return !f.state.DueAt.IsZero() && !workflow.Now(ctx).Before(f.state.DueAt)
}

// read runs a step and keeps the state that it returns. A change during the step sends another signal.
func (f *experimentFlow) read(ctx workflow.Context, step experimentStep) error {
	f.handled = f.signals
	state, err := runLocal(ctx, step, f.ref)
	if err == nil {
		f.state = state
		f.reads++
	}
	return err
}

type experimentStep = func(context.Context, activities.ExperimentRef) (activities.ExperimentState, error)
