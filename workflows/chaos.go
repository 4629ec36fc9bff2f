package workflows

import (
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

var chaosActivities *activities.Chaos // nil: only names activities

// ChaosRunInput identifies a stored run; its row holds the fault and the requester.
type ChaosRunInput = activities.ChaosRef

// ChaosRunResult is the outcome of a run; its row holds the reason.
type ChaosRunResult = activities.FinishChaosRunResult

// ChaosRunID is the workflow ID of every chaos run: there is one chaos target, and one run at a time.
const ChaosRunID = "chaos:chaos-target"

// SignalSwitchedOff reports that the founders have switched chaos testing off.
const SignalSwitchedOff = "switched-off"

const (
	checkPatience  = 15 * time.Second // for the check before the fault
	injectTimeout  = 6 * time.Second
	injectPatience = 8 * time.Second // for all attempts together
	endTimeout     = 12 * time.Second
	endPatience    = 20 * time.Second // after that the supervisor reverts the fault by its own clock
	finishTimeout  = 20 * time.Second
	// watchMargin leaves time for another worker to continue after one was lost.
	watchMargin = 5 * time.Minute
)

// ChaosRun breaks the chaos target under a lease and watches while the healer repairs it. However it
// ends, the fault is reverted, and the stored probes decide the verdict.
func ChaosRun(ctx workflow.Context, in ChaosRunInput) (ChaosRunResult, error) {
	ending, _ := workflow.NewDisconnectedContext(ctx) // the row must end in any case
	run := &chaosRun{ref: in, ending: ending, stopped: "The run was cancelled."}
	begun, err := runLocal(ending, chaosActivities.BeginChaosRun, run.ref)
	if err != nil {
		return ChaosRunResult{}, err // the run has already ended
	}
	run.lease = time.Duration(begun.LeaseMS) * time.Millisecond
	runCtx, stop := workflow.WithCancel(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) {
		workflow.GetSignalChannel(ctx, SignalSwitchedOff).Receive(ctx, nil)
		run.stopped = "The founders have switched chaos testing off."
		stop()
	})
	return run.finish(run.breakAndWatch(runCtx, stop))
}

type chaosRun struct {
	ref     activities.ChaosRef
	ending  workflow.Context // not cancelled with the run
	lease   time.Duration
	stopped string // the reason, if it is stopped
}

// breakAndWatch breaks the chaos target and watches until it is healthy or the lease is over. It returns
// why it was aborted, if it was. The watch starts before the fault is injected.
func (r *chaosRun) breakAndWatch(ctx workflow.Context, stop workflow.CancelFunc) (aborted string) {
	check, err := call(atTarget(ctx, injectTimeout, checkPatience), chaosActivities.CheckTarget, r.ref)
	if err != nil {
		return r.reason(err, "The chaos target could not be checked, so no fault was injected.")
	}
	if check.Unfit != "" {
		return check.Unfit
	}
	pictures := r.captureHealthy(ctx)
	if ctx.Err() != nil {
		return r.stopped // stopped before the fault was injected
	}
	watch := workflow.ExecuteActivity(probing(ctx, r.lease+watchMargin), chaosActivities.WatchTarget, r.ref)
	if pictures {
		r.startScreenshots(ctx)
	}
	if err := r.injectFault(); err != nil {
		aborted = r.reason(err, "The supervisor did not confirm the fault, so the test was aborted.")
		stop()
	}
	_ = workflow.Await(ctx, watch.IsReady)
	// The fault is reverted first. If that fails, the supervisor reverts it when the lease ends.
	_, _ = call(atTarget(r.ending, endTimeout, endPatience), chaosActivities.EndLease, r.ref)
	if err := watch.Get(r.ending, nil); err != nil && temporal.IsCanceledError(err) && aborted == "" {
		aborted = r.stopped
	}
	return aborted // a lost watch shows in its probes
}

// injectFault is completed even if the run is stopped in between: a fault is reverted only once it is
// known whether it was injected.
func (r *chaosRun) injectFault() error {
	until := workflow.Now(r.ending).Add(injectPatience + r.lease)
	if _, err := runLocal(r.ending, chaosActivities.GrantLease, activities.GrantLeaseInput{ChaosID: r.ref.ChaosID, Until: until}); err != nil {
		return err
	}
	_, err := call(atTarget(r.ending, injectTimeout, injectPatience), chaosActivities.InjectFault, r.ref)
	return err
}

func (r *chaosRun) finish(aborted string) (ChaosRunResult, error) {
	end := activities.FinishChaosRunInput{ChaosID: r.ref.ChaosID, Aborted: aborted}
	return call(atTarget(r.ending, finishTimeout, 0), chaosActivities.FinishChaosRun, end)
}

// reason returns the message of a refusal, or otherwise.
func (r *chaosRun) reason(err error, otherwise string) string {
	if temporal.IsCanceledError(err) {
		return r.stopped
	}
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && problem.Known(refused.Type()) {
		return refused.Message()
	}
	return otherwise
}

// ChaosSweepID is the workflow ID of a sweep.
func ChaosSweepID(chaosID string) string { return "chaos-sweep:" + chaosID }

// ChaosSweep ends a run that has no workflow any more or whose lease ended long ago: it reverts the
// fault, and the stored probes decide the verdict.
func ChaosSweep(ctx workflow.Context, in ChaosRunInput) (ChaosRunResult, error) {
	// Usually the supervisor has already done this by its own clock.
	_, _ = call(atTarget(ctx, endTimeout, endPatience), chaosActivities.EndLease, in)
	left, err := call(remote(ctx, 20*time.Second, 0), chaosActivities.StopChaosRun, in)
	if err != nil {
		return ChaosRunResult{}, err
	}
	end := activities.FinishChaosRunInput{ChaosID: in.ChaosID}
	if !left.Begun {
		end.Aborted = "No worker started the test in time."
	}
	return call(atTarget(ctx, finishTimeout, 0), chaosActivities.FinishChaosRun, end)
}

var screenshotActivities *activities.ChaosScreenshots // nil: only names activities

// ChaosScreenshotsInput identifies the chaos run.
type ChaosScreenshotsInput struct {
	ChaosID string
	Lease   time.Duration
}

// ChaosScreenshotsID is the workflow ID of the screenshots of a chaos run.
func ChaosScreenshotsID(chaosID string) string { return "chaos-screenshots:" + chaosID }

const (
	// healthyPatience is how long a chaos run waits for the screenshot before the fault, and healthyStart how
	// long for a worker to start it.
	healthyPatience = 5 * time.Second
	healthyStart    = time.Second
	// screenshotsStart is how long a chaos run waits for its ChaosScreenshots to start.
	screenshotsStart = time.Second
	// screenshotsMargin is the time that a run takes in addition to its lease.
	screenshotsMargin = 20 * time.Second
)

// ChaosScreenshots takes screenshots of the chaos target when it is broken and when it is healthy again.
// The chaos run starts it as a separate workflow, so that no repair waits for a screenshot.
func ChaosScreenshots(ctx workflow.Context, in ChaosScreenshotsInput) error {
	_, err := call(screenshotting(ctx, in.Lease+screenshotsMargin), screenshotActivities.CaptureBrokenTarget, activities.ChaosRef{ChaosID: in.ChaosID})
	return err
}

// captureHealthy takes the screenshot of the healthy chaos target, and reports whether a browser can
// take more.
func (r *chaosRun) captureHealthy(ctx workflow.Context) (ready bool) {
	taken, err := call(startingSoon(ctx, healthyPatience, healthyStart), screenshotActivities.CaptureHealthyTarget, r.ref)
	return err == nil && taken.Ready
}

// startScreenshots starts the workflow of the other screenshots and waits briefly until it has started.
func (r *chaosRun) startScreenshots(ctx workflow.Context) {
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(r.ending, workflow.ChildWorkflowOptions{
		WorkflowID: ChaosScreenshotsID(r.ref.ChaosID), TaskQueue: QueueCore, TypedSearchAttributes: FlowOf(ChaosScreenshotsID(r.ref.ChaosID)),
		ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON,
	}), ChaosScreenshots, ChaosScreenshotsInput{ChaosID: r.ref.ChaosID, Lease: r.lease})
	_, _ = workflow.AwaitWithTimeout(ctx, screenshotsStart, child.GetChildWorkflowExecution().IsReady)
}

// GameDayID is the ID of the schedule and, with a time, of its runs.
const GameDayID = "game-day"

// GameDayResult holds the run of a game day, or why there was none.
type GameDayResult struct {
	ChaosID string
	Run     ChaosRunResult
	Refused string
}

// GameDay runs a random fault and waits for the result.
func GameDay(ctx workflow.Context) (GameDayResult, error) {
	requested, err := runLocal(ctx, chaosActivities.RequestRandomFault, activities.NoInput{})
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && problem.Known(refused.Type()) {
		return GameDayResult{Refused: refused.Message()}, nil
	}
	if err != nil {
		return GameDayResult{}, err
	}
	result := GameDayResult{ChaosID: requested.ChaosID}
	err = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: ChaosRunID, TaskQueue: QueueCore, TypedSearchAttributes: FlowOf(ChaosRunID),
		WorkflowTaskTimeout: TargetTaskTimeout,
		ParentClosePolicy:   enums.PARENT_CLOSE_POLICY_ABANDON,
	}), ChaosRun, requested).Get(ctx, &result.Run)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) { // another run is just ending
		result.Refused, err = "Another run was still ending. The dispatcher starts this one shortly.", nil
	}
	return result, err
}

// HistoryCheckInput identifies a run of any workflow.
type HistoryCheckInput = activities.HistoryRef

// HistoryCheckID is the workflow ID of a history check.
func HistoryCheckID(workflowID, runID string) string {
	return "history-check:" + workflowID + ":" + runID
}

// HistoryCheck replays the stored history of a run with the current code.
func HistoryCheck(ctx workflow.Context, in HistoryCheckInput) (chaos.HistoryCheck, error) {
	return call(remote(ctx, 20*time.Second, time.Minute), chaosActivities.CheckHistory, in)
}
