package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

var verificationActivities *activities.Verification // nil: only names activities

// VerificationInput identifies a stored run; empty for a scheduled run, which the workflow stores.
type VerificationInput = activities.VerificationRef

// VerificationResult is the outcome of a run; its row holds the reason.
type VerificationResult struct {
	VerificationID   string
	Checked, Verdict verification.Verdict
	Refused          string // why a scheduled run was refused
}

// VerificationProgress is the progress of a run.
type VerificationProgress struct {
	Stage       verification.Stage
	Done, Total int // steps
}

// VerificationID is the workflow ID of a verification.
func VerificationID(id string) string { return "verification:" + id }

const (
	endpointsTimeout  = 10 * time.Second // of all concurrent endpoint calls
	endpointsPatience = 30 * time.Second
	// afterTimeout is what a capture takes in addition to its two timeouts: to start the browser and to store it.
	afterTimeout = 45 * time.Second
	// viewTries bounds a viewport's captures: two run at a time, and each attempt may take its full timeout.
	viewTries      = 2 * activities.CaptureTries
	compareTimeout = 20 * time.Second
	// comparePatience is short, because a missing comparison only skips a check.
	comparePatience = 30 * time.Second
	// reviewTimeout is longer than a model may take, so that its answer is stored.
	reviewTimeout  = 40 * time.Second
	reviewPatience = time.Minute
)

// Verification checks a page. However it ends, it ends its row, because the requester waits for it.
func Verification(ctx workflow.Context, in VerificationInput) (VerificationResult, error) {
	ending, _ := workflow.NewDisconnectedContext(ctx)
	run := &verificationRun{ending: ending}
	if err := run.setHandlers(ctx); err != nil {
		return VerificationResult{}, err
	}
	begun, err := runLocal(ending, verificationActivities.BeginVerification, in)
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && in.VerificationID == "" && problem.Known(refused.Type()) {
		return VerificationResult{Refused: refused.Message()}, nil // the next scheduled run retries
	}
	if err != nil || begun.Ended {
		return verificationResult(begun), err
	}
	run.ref.VerificationID = begun.VerificationID
	run.viewTimeout = begun.ViewTimeout
	ended, err := run.conclude(run.runStages(ctx))
	return verificationResult(ended), err
}

func verificationResult(s activities.VerificationState) VerificationResult {
	return VerificationResult{VerificationID: s.VerificationID, Checked: s.Checked, Verdict: s.Verdict}
}

type verificationRun struct {
	ref      activities.VerificationRef
	ending   workflow.Context // not cancelled with the run
	answers  []verification.Answer
	progress VerificationProgress

	viewTimeout time.Duration
}

func (r *verificationRun) setHandlers(ctx workflow.Context) error {
	r.progress = VerificationProgress{Stage: verification.Requested, Total: len(verification.Views()) + 4}
	return workflow.SetQueryHandler(ctx, QueryProgress, func() (VerificationProgress, error) { return r.progress, nil })
}

// runStages captures, compares and reviews. It returns why it was stopped, if it was.
func (r *verificationRun) runStages(ctx workflow.Context) (stopped string) {
	for _, stage := range []struct {
		name verification.Stage
		do   func(workflow.Context)
	}{{verification.Capturing, r.captureAll}, {verification.Comparing, r.compare}, {verification.Reviewing, r.review}} {
		r.move(stage.name)
		stage.do(ctx)
		if ctx.Err() != nil {
			return "The run was cancelled."
		}
	}
	return ""
}

// move stores the stage for display; nothing depends on it.
func (r *verificationRun) move(stage verification.Stage) {
	r.progress.Stage = stage
	_, _ = runLocal(r.ending, verificationActivities.MoveVerification, activities.MoveVerificationInput{VerificationID: r.ref.VerificationID, Stage: stage})
}

// captureAll calls the endpoints and captures every viewport, concurrently.
func (r *verificationRun) captureAll(ctx workflow.Context) {
	steps := workflow.NewWaitGroup(ctx)
	begin := func(step func(workflow.Context)) {
		steps.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			step(ctx)
			r.progress.Done++
			steps.Done()
		})
	}
	begin(r.checkEndpoints)
	for _, view := range verification.Views() {
		begin(func(ctx workflow.Context) { r.capture(ctx, view) })
	}
	steps.Wait(r.ending)
}

// checkEndpoints leaves the answers empty if no worker returned them.
func (r *verificationRun) checkEndpoints(ctx workflow.Context) {
	endpoints, err := call(atBrowser(ctx, endpointsTimeout, endpointsPatience), verificationActivities.CheckEndpoints, r.ref)
	if err == nil {
		r.answers = endpoints.Answers
	}
}

func (r *verificationRun) capture(ctx workflow.Context, view verification.View) {
	input := activities.CapturePageInput{VerificationID: r.ref.VerificationID, Theme: view.Theme, Viewport: view.Viewport.Name}
	timeout := 2*r.viewTimeout + afterTimeout // a page that timed out is opened once more
	if _, err := call(opening(ctx, timeout, viewTries*timeout), verificationActivities.CapturePage, input); err != nil && ctx.Err() == nil {
		_, _ = runLocal(ctx, verificationActivities.GiveUpScreenshot, input)
	}
}

func (r *verificationRun) compare(ctx workflow.Context) {
	_, _ = call(atBrowser(ctx, compareTimeout, comparePatience), verificationActivities.CompareScreenshots, r.ref) // a check reports a missing comparison
	r.progress.Done++
}

// review calls the model once: a call costs money, and whether a lost one was made is unknown.
func (r *verificationRun) review(ctx workflow.Context) {
	input := activities.ReviewPageInput{VerificationID: r.ref.VerificationID, Answers: r.answers}
	if _, err := call(once(ctx, QueueBrowser, reviewTimeout, reviewPatience), verificationActivities.ReviewPage, input); err != nil && ctx.Err() == nil {
		_, _ = runLocal(r.ending, verificationActivities.GiveUpReview, input)
	}
	r.progress.Done++
}

func (r *verificationRun) conclude(stopped string) (activities.VerificationState, error) {
	ended, err := runLocal(r.ending, verificationActivities.ConcludeVerification, activities.ConcludeVerificationInput{
		VerificationID: r.ref.VerificationID, Answers: r.answers, Stopped: stopped,
	})
	r.progress.Stage = verification.Ended
	r.progress.Done++
	return ended, err
}

// VerificationCleanupID is the ID of the schedule that deletes old verifications, and of its runs.
const VerificationCleanupID = "verification-cleanup"

const (
	cleanupTimeout  = time.Minute
	cleanupPatience = 5 * time.Minute
)

// VerificationCleanup deletes runs beyond the retention, and images that no row refers to.
func VerificationCleanup(ctx workflow.Context) error {
	_, err := call(atBrowser(ctx, cleanupTimeout, cleanupPatience), verificationActivities.DeleteOldScreenshots, activities.NoInput{})
	return err
}
