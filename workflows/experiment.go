package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/experiment"
)

var experimentActivities *activities.Experiment // nil: only names activities

// ExperimentInput names an experiment whose row is written.
type ExperimentInput = activities.ExperimentRef

// ExperimentResult is how an experiment ended. Up and Down are its votes, counted once.
type ExperimentResult struct {
	Status              experiment.Status
	Verdict             experiment.Verdict
	Measured, Threshold *float64
	Up, Down            int
}

// ExperimentProgress tells what a run waits for.
type ExperimentProgress struct {
	Status experiment.Status
	DueAt  time.Time // zero: for people only
	Reads  int       // of its row, in this run
}

// ExperimentID is the workflow ID of an experiment: one experiment, one flow.
func ExperimentID(id string) string { return "experiment:" + id }

// rereadEvery is how old what a run knows of its row may be. Whoever changes the row says so;
// this is for a word that was lost.
const rereadEvery = 24 * time.Hour

// Experiment carries one experiment from the day it became active to its end: by its verdict, at
// the date it promised, or by a founder. Then it counts the votes. The row says where it stands,
// so that a run begun anew, after whatever accident, goes on from there.
func Experiment(ctx workflow.Context, in ExperimentInput) (ExperimentResult, error) {
	flow := &experimentFlow{ref: in}
	if err := flow.listen(ctx); err != nil {
		return ExperimentResult{}, err
	}
	err := flow.read(ctx, experimentActivities.BeginExperiment)
	for err == nil && !flow.state.Ended {
		if err = flow.advance(ctx); err == nil && !flow.state.Ended && workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			err = workflow.NewContinueAsNewError(ctx, Experiment, in) // begins by reading the row
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

// experimentFlow is a run's memory of the row.
type experimentFlow struct {
	ref   activities.ExperimentRef
	state activities.ExperimentState
	reads int
	told  int // how often somebody said that the row has changed
	heard int // told, before the row was read
}

// listen hears of changes, and lets people see what the run waits for.
func (f *experimentFlow) listen(ctx workflow.Context) error {
	wakes := workflow.GetSignalChannel(ctx, SignalWoken)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for wakes.Receive(ctx, nil) {
			f.told++
		}
	})
	return workflow.SetQueryHandler(ctx, QueryProgress, func() (ExperimentProgress, error) {
		return ExperimentProgress{Status: f.state.Status, DueAt: f.state.DueAt, Reads: f.reads}, nil
	})
}

// advance waits until the row has changed, or its date has come, and does what is to be done then.
func (f *experimentFlow) advance(ctx workflow.Context) error {
	_, err := workflow.AwaitWithTimeout(ctx, f.wait(ctx), func() bool { return f.told != f.heard })
	if err != nil {
		return err
	}
	if f.due(ctx) {
		return f.read(ctx, experimentActivities.MeasureExperiment)
	}
	return f.read(ctx, experimentActivities.BeginExperiment)
}

// wait is the time until there is something to do without being told.
func (f *experimentFlow) wait(ctx workflow.Context) time.Duration {
	if f.state.DueAt.IsZero() {
		return rereadEvery
	}
	return min(rereadEvery, f.state.DueAt.Sub(workflow.Now(ctx)))
}

func (f *experimentFlow) due(ctx workflow.Context) bool {
	return !f.state.DueAt.IsZero() && !workflow.Now(ctx).Before(f.state.DueAt)
}

// read takes a step, and keeps what it found the row to be. Of what changes meanwhile the run is
// told again.
func (f *experimentFlow) read(ctx workflow.Context, step experimentStep) error {
	f.heard = f.told
	state, err := runLocal(ctx, step, f.ref)
	if err == nil {
		f.state = state
		f.reads++
	}
	return err
}

type experimentStep = func(context.Context, activities.ExperimentRef) (activities.ExperimentState, error)
