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

// ChaosRunInput names a run whose row is written. What is broken, and for whom, stays there.
type ChaosRunInput = activities.ChaosRef

// ChaosRunResult is what a run came to; its row says why.
type ChaosRunResult = activities.FinishChaosRunResult

// ChaosRunID is the workflow ID of every chaos run: there is one chaos target, and one run at a time.
const ChaosRunID = "chaos:chaos-target"

// SignalSwitchedOff says that the founders have thrown the kill switch.
const SignalSwitchedOff = "switched-off"

const (
	checkPatience  = 15 * time.Second // until the chaos target is known to be well
	injectTimeout  = 6 * time.Second
	injectPatience = 8 * time.Second // all tries together
	endTimeout     = 12 * time.Second
	endPatience    = 20 * time.Second // then the supervisor takes the fault back by its own clock
	finishTimeout  = 20 * time.Second
	// watchLonger is for a worker that was lost: another one goes on.
	watchMargin = 5 * time.Minute
)

// ChaosRun breaks the chaos target under a lease and looks on while others heal it. However it ends,
// the fault is taken back, and stored probes alone say what it came to.
func ChaosRun(ctx workflow.Context, in ChaosRunInput) (ChaosRunResult, error) {
	ending, _ := workflow.NewDisconnectedContext(ctx) // whatever came of it: the row must end
	run := &chaosRun{ref: in, ending: ending, stopped: "The run was cancelled by hand."}
	begun, err := runLocal(ending, chaosActivities.BeginChaosRun, run.ref)
	if err != nil {
		return ChaosRunResult{}, err // it has ended already
	}
	run.lease = time.Duration(begun.LeaseMS) * time.Millisecond
	playing, stop := workflow.WithCancel(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) {
		workflow.GetSignalChannel(ctx, SignalSwitchedOff).Receive(ctx, nil)
		run.stopped = "The founders have switched chaos testing off."
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

// play breaks the chaos target and looks on until it is well or the lease is over. It says why it gave
// up, if it did. The watch begins before anything is broken.
func (r *chaosRun) play(ctx workflow.Context, stop workflow.CancelFunc) (aborted string) {
	check, err := call(atTarget(ctx, injectTimeout, checkPatience), chaosActivities.CheckTarget, r.ref)
	if err != nil {
		return r.why(err, "Nobody could look at the chaos target before the start.")
	}
	if check.Unfit != "" {
		return check.Unfit
	}
	pictures := r.captureHealthy(ctx)
	if ctx.Err() != nil {
		return r.stopped // a fault that nobody wants any more is not begun
	}
	watch := workflow.ExecuteActivity(probing(ctx, r.lease+watchMargin), chaosActivities.WatchTarget, r.ref)
	if pictures {
		r.startScreenshots(ctx)
	}
	if err := r.injectFault(); err != nil {
		aborted = r.why(err, "The order to break the chaos target got no clear answer, so the run was given up.")
		stop()
	}
	_ = workflow.Await(ctx, watch.IsReady)
	// The fault goes first. If the supervisor does not hear of it, it still knows when the lease ends.
	_, _ = call(atTarget(r.ending, endTimeout, endPatience), chaosActivities.EndLease, r.ref)
	if err := watch.Get(r.ending, nil); err != nil && temporal.IsCanceledError(err) && aborted == "" {
		aborted = r.stopped
	}
	return aborted // a watch that was lost shows in its probes
}

// injectFault is carried out to its end, even when the run is stopped meanwhile: a fault is taken
// back only after it is known to be there or not.
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

// ChaosSweepID is the workflow ID of what ends a run that does not end itself.
func ChaosSweepID(chaosID string) string { return "chaos-sweep:" + chaosID }

// ChaosSweep ends a run that nobody carries any more, or whose lease is long over: its fault is
// taken back, and it comes to what its stored probes say.
func ChaosSweep(ctx workflow.Context, in ChaosRunInput) (ChaosRunResult, error) {
	// Most often the supervisor has done so by its own clock.
	_, _ = call(atTarget(ctx, endTimeout, endPatience), chaosActivities.EndLease, in)
	left, err := call(remote(ctx, 20*time.Second, 0), chaosActivities.StopChaosRun, in)
	if err != nil {
		return ChaosRunResult{}, err
	}
	end := activities.FinishChaosRunInput{ChaosID: in.ChaosID}
	if !left.Begun {
		end.Aborted = "Nobody was there to begin it."
	}
	return call(atTarget(ctx, finishTimeout, 0), chaosActivities.FinishChaosRun, end)
}

var screenshotActivities *activities.ChaosScreenshots // nil: only names activities

// ChaosScreenshotsInput names a chaos run whose chaos target is photographed.
type ChaosScreenshotsInput struct {
	ChaosID string
	Lease   time.Duration
}

// ChaosScreenshotsID is the workflow ID of the pictures of a chaos run.
func ChaosScreenshotsID(chaosID string) string { return "chaos-screenshots:" + chaosID }

const (
	// oneBefore is how long a chaos run waits for the picture before at most, and beginBefore
	// is how long for somebody to take it.
	healthyPatience = 5 * time.Second
	healthyStart    = time.Second
	// beginAlbum is how long a chaos run waits until its album is begun.
	screenshotsStart = time.Second
	// albumLonger is what a run takes beside its lease: to be broken, and to end.
	screenshotsMargin = 20 * time.Second
)

// ChaosScreenshots photographs the chaos target when it is broken and when it is well again. It is a flow of
// its own, which the chaos run starts and leaves to itself: no heal waits for a picture.
func ChaosScreenshots(ctx workflow.Context, in ChaosScreenshotsInput) error {
	_, err := call(screenshotting(ctx, in.Lease+screenshotsMargin), screenshotActivities.CaptureBrokenTarget, activities.ChaosRef{ChaosID: in.ChaosID})
	return err
}

// captureHealthy takes the picture of the chaos target while it is well, and says whether there is a
// browser to take more. Without one nothing is lost but a moment.
func (r *chaosRun) captureHealthy(ctx workflow.Context) (ready bool) {
	taken, err := call(startingSoon(ctx, healthyPatience, healthyStart), screenshotActivities.CaptureHealthyTarget, r.ref)
	return err == nil && taken.Ready
}

// startScreenshots starts the flow of the other pictures and waits a moment until it is begun.
func (r *chaosRun) startScreenshots(ctx workflow.Context) {
	album := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(r.ending, workflow.ChildWorkflowOptions{
		WorkflowID: ChaosScreenshotsID(r.ref.ChaosID), TaskQueue: QueueCore, TypedSearchAttributes: FlowOf(ChaosScreenshotsID(r.ref.ChaosID)),
		ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON,
	}), ChaosScreenshots, ChaosScreenshotsInput{ChaosID: r.ref.ChaosID, Lease: r.lease})
	_, _ = workflow.AwaitWithTimeout(ctx, screenshotsStart, album.GetChildWorkflowExecution().IsReady)
}

// GameDayID names the schedule and, with a time, its runs.
const GameDayID = "game-day"

// GameDayResult says which run a game day had, or why it had none.
type GameDayResult struct {
	ChaosID string
	Run     ChaosRunResult
	Refused string
}

// GameDay runs a fault that nobody chose, and waits for what it comes to.
func GameDay(ctx workflow.Context) (GameDayResult, error) {
	asked, err := runLocal(ctx, chaosActivities.RequestRandomFault, activities.NoInput{})
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && problem.Known(refused.Type()) {
		return GameDayResult{Refused: refused.Message()}, nil
	}
	if err != nil {
		return GameDayResult{}, err
	}
	result := GameDayResult{ChaosID: asked.ChaosID}
	err = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: ChaosRunID, TaskQueue: QueueCore, TypedSearchAttributes: FlowOf(ChaosRunID),
		WorkflowTaskTimeout: TargetTaskTimeout,
		ParentClosePolicy:   enums.PARENT_CLOSE_POLICY_ABANDON,
	}), ChaosRun, asked).Get(ctx, &result.Run)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) { // another run is ending just now
		result.Refused, err = "It is begun a little later, by whoever looks after runs that wait.", nil
	}
	return result, err
}

// HistoryCheckInput names a run of any workflow.
type HistoryCheckInput = activities.HistoryRef

// HistoryCheckID is the workflow ID of a check.
func HistoryCheckID(workflowID, runID string) string {
	return "history-check:" + workflowID + ":" + runID
}

// HistoryCheck replays the stored history of a run with the code of today.
func HistoryCheck(ctx workflow.Context, in HistoryCheckInput) (chaos.HistoryCheck, error) {
	return call(remote(ctx, 20*time.Second, time.Minute), chaosActivities.CheckHistory, in)
}
