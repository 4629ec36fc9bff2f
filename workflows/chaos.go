package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

var breaker *activities.Chaos // nil: only names activities

// ChaosInput names a run whose row is written. What is broken, and for whom, stays there.
type ChaosInput struct{ ChaosID string }

// ChaosResult is what a run came to; its row says why.
type ChaosResult struct {
	Verdict          chaos.Verdict
	DetectMS, HealMS *int
}

// ChaosID is the workflow ID of every chaos run: there is one cell, and one run at a time.
const ChaosID = "chaos:cell"

// SignalSwitchedOff says that the founders have thrown the kill switch.
const SignalSwitchedOff = "switched-off"

const (
	checkWithin = 15 * time.Second // until the cell is known to be well
	oneBreak    = 6 * time.Second
	breakWithin = 8 * time.Second // all tries together
	oneEnd      = 12 * time.Second
	endWithin   = 20 * time.Second // then the keeper takes the fault back by its own clock
	oneFinish   = 20 * time.Second
	// watchLonger is for a worker that was lost: another one goes on.
	watchLonger = 5 * time.Minute
)

// ChaosRun breaks the cell under a lease and looks on while others heal it. However it ends,
// the fault is taken back, and stored probes alone say what it came to.
func ChaosRun(ctx workflow.Context, in ChaosInput) (ChaosResult, error) {
	ending, _ := workflow.NewDisconnectedContext(ctx) // whatever came of it: the row must end
	run := &chaosRun{ref: activities.ChaosRef(in), ending: ending, stopped: "The run was cancelled by hand."}
	begun, err := ask(ending, breaker.BeginChaos, run.ref)
	if err != nil {
		return ChaosResult{}, err // it has ended already
	}
	run.lease = time.Duration(begun.LeaseMS) * time.Millisecond
	playing, stop := workflow.WithCancel(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) {
		workflow.GetSignalChannel(ctx, SignalSwitchedOff).Receive(ctx, nil)
		run.stopped = "The founders have switched chaos off."
		stop()
	})
	return run.finish(run.play(playing, stop))
}

// chaosRun is one run under way.
type chaosRun struct {
	ref     activities.ChaosRef
	ending  workflow.Context // is not cancelled with the run
	lease   time.Duration
	stopped string // why it was, if it was
}

// play breaks the cell and looks on until it is well or the lease is over. It says why it gave
// up, if it did. The watch begins before anything is broken.
func (r *chaosRun) play(ctx workflow.Context, stop workflow.CancelFunc) (aborted string) {
	check, err := call(atCell(ctx, oneBreak, checkWithin), breaker.CheckCell, r.ref)
	if err != nil {
		return r.why(err, "Nobody could look at the cell before the start.")
	}
	if check.Unfit != "" {
		return check.Unfit
	}
	pictures := false
	if workflow.GetVersion(ctx, "captures", workflow.DefaultVersion, 1) >= 1 {
		if pictures = r.photographBefore(ctx); ctx.Err() != nil {
			return r.stopped // a fault that nobody wants any more is not begun
		}
	}
	watch := workflow.ExecuteActivity(watching(ctx, r.lease+watchLonger), breaker.WatchCell, r.ref)
	if pictures {
		r.openAlbum(ctx)
	}
	if err := r.breakCell(); err != nil {
		aborted = r.why(err, "The order to break the cell got no clear answer, so the run was given up.")
		stop()
	}
	_ = workflow.Await(ctx, watch.IsReady)
	// The fault goes first. If the keeper does not hear of it, it still knows when the lease ends.
	_, _ = call(atCell(r.ending, oneEnd, endWithin), breaker.EndLease, r.ref)
	if err := watch.Get(r.ending, nil); err != nil && temporal.IsCanceledError(err) && aborted == "" {
		aborted = r.stopped
	}
	return aborted // a watch that was lost shows in its probes
}

// breakCell is carried out to its end, even when the run is stopped meanwhile: a fault is taken
// back only after it is known to be there or not.
func (r *chaosRun) breakCell() error {
	until := workflow.Now(r.ending).Add(breakWithin + r.lease)
	if _, err := ask(r.ending, breaker.LeaseChaos, activities.LeaseChaosInput{ChaosID: r.ref.ChaosID, Until: until}); err != nil {
		return err
	}
	_, err := call(atCell(r.ending, oneBreak, breakWithin), breaker.BreakCell, r.ref)
	return err
}

func (r *chaosRun) finish(aborted string) (ChaosResult, error) {
	end := activities.FinishChaosInput{ChaosID: r.ref.ChaosID, Aborted: aborted}
	result, err := call(atCell(r.ending, oneFinish, 0), breaker.FinishChaos, end)
	return ChaosResult(result), err
}

// why is the sentence of who refused, or the one given.
func (r *chaosRun) why(err error, otherwise string) string {
	if temporal.IsCanceledError(err) {
		return r.stopped
	}
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && problem.Known(refused.Type()) {
		return refused.Message()
	}
	return otherwise
}
