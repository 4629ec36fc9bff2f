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

// VerificationInput names a run whose row is written; empty: the schedule asks, and the flow
// writes it.
type VerificationInput = activities.VerificationRef

// VerificationResult is what a run came to; its row says why.
type VerificationResult struct {
	VerificationID   string
	Checked, Verdict verification.Verdict
	Refused          string // why the schedule got no run
}

// VerificationProgress tells how far a run is.
type VerificationProgress struct {
	Stage       verification.Stage
	Done, Total int // steps
}

// VerificationID is the workflow ID of a verification.
func VerificationID(id string) string { return "verification:" + id }

const (
	endpointsTimeout  = 10 * time.Second // of all endpoints, which are asked at once
	endpointsPatience = 30 * time.Second
	// afterTimeout is what a view takes beside its timeout: to start the browser, and to be stored.
	afterTimeout = 45 * time.Second
	// viewTurns is for all attempts at a view: two are open at a time, and each may take its whole time.
	viewTries      = 2 * activities.CaptureTries
	compareTimeout = 20 * time.Second
	// comparePatience is short: a look that is not compared is a check that could not be made.
	comparePatience = 30 * time.Second
	// oneComment is longer than a model may take, so that what it said is kept.
	reviewTimeout  = 40 * time.Second
	reviewPatience = time.Minute
)

// Verification looks at a page of ours and says whether it works. However it ends, its row ends:
// whoever asked waits for it.
func Verification(ctx workflow.Context, in VerificationInput) (VerificationResult, error) {
	ending, _ := workflow.NewDisconnectedContext(ctx)
	run := &verificationRun{ending: ending}
	if err := run.listen(ctx); err != nil {
		return VerificationResult{}, err
	}
	begun, err := runLocal(ending, verificationActivities.BeginVerification, in)
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && in.VerificationID == "" && problem.Known(refused.Type()) {
		return VerificationResult{Refused: refused.Message()}, nil // the next time will do
	}
	if err != nil || begun.Ended {
		return verificationResult(begun), err
	}
	run.ref.VerificationID = begun.VerificationID
	run.viewTimeout = begun.ViewTimeout
	ended, err := run.conclude(run.play(ctx))
	return verificationResult(ended), err
}

func verificationResult(s activities.VerificationState) VerificationResult {
	return VerificationResult{VerificationID: s.VerificationID, Checked: s.Checked, Verdict: s.Verdict}
}

// verificationRun is one run under way.
type verificationRun struct {
	ref      activities.VerificationRef
	ending   workflow.Context // is not cancelled with the run
	answers  []verification.Answer
	progress VerificationProgress

	viewTimeout time.Duration
}

// listen lets people see how far the run is.
func (r *verificationRun) listen(ctx workflow.Context) error {
	r.progress = VerificationProgress{Stage: verification.Requested, Total: len(verification.Views()) + 4}
	return workflow.SetQueryHandler(ctx, QueryProgress, func() (VerificationProgress, error) { return r.progress, nil })
}

// play looks, compares and comments. It says why it was stopped, if it was.
func (r *verificationRun) play(ctx workflow.Context) (stopped string) {
	for _, stage := range []struct {
		name verification.Stage
		do   func(workflow.Context)
	}{{verification.Capturing, r.captureAll}, {verification.Comparing, r.compare}, {verification.Reviewing, r.review}} {
		r.move(stage.name)
		stage.do(ctx)
		if ctx.Err() != nil {
			return "The run was cancelled by hand."
		}
	}
	return ""
}

// move notes where the run stands, for who looks on: nothing depends on it.
func (r *verificationRun) move(stage verification.Stage) {
	r.progress.Stage = stage
	_, _ = runLocal(r.ending, verificationActivities.MoveVerification, activities.MoveVerificationInput{VerificationID: r.ref.VerificationID, Stage: stage})
}

// captureAll asks the endpoints and opens the page in every view, all at once.
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

// checkEndpoints leaves the answers out when no worker came back with them.
func (r *verificationRun) checkEndpoints(ctx workflow.Context) {
	asked, err := call(atBrowser(ctx, endpointsTimeout, endpointsPatience), verificationActivities.CheckEndpoints, r.ref)
	if err == nil {
		r.answers = asked.Answers
	}
}

func (r *verificationRun) capture(ctx workflow.Context, view verification.View) {
	order := activities.CapturePageInput{VerificationID: r.ref.VerificationID, Theme: view.Theme, Viewport: view.Viewport.Name}
	if _, err := call(opening(ctx, r.viewTimeout+afterTimeout, viewTries*(r.viewTimeout+afterTimeout)), verificationActivities.CapturePage, order); err != nil && ctx.Err() == nil {
		_, _ = runLocal(ctx, verificationActivities.GiveUpScreenshot, order)
	}
}

func (r *verificationRun) compare(ctx workflow.Context) {
	_, _ = call(atBrowser(ctx, compareTimeout, comparePatience), verificationActivities.CompareScreenshots, r.ref) // what is not compared, a check says
	r.progress.Done++
}

// review asks once: a call costs money, and whether a lost one was made nobody can see.
func (r *verificationRun) review(ctx workflow.Context) {
	order := activities.ReviewPageInput{VerificationID: r.ref.VerificationID, Answers: r.answers}
	if _, err := call(once(ctx, QueueBrowser, reviewTimeout, reviewPatience), verificationActivities.ReviewPage, order); err != nil && ctx.Err() == nil {
		_, _ = runLocal(r.ending, verificationActivities.GiveUpReview, order)
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

// VerificationCleanupID names the schedule that removes old verifications, and its runs.
const VerificationCleanupID = "verification-cleanup"

const (
	cleanupTimeout  = time.Minute
	cleanupPatience = 5 * time.Minute
)

// VerificationCleanup removes the runs that are not kept, and the pictures that nothing names.
func VerificationCleanup(ctx workflow.Context) error {
	_, err := call(atBrowser(ctx, cleanupTimeout, cleanupPatience), verificationActivities.DeleteOldScreenshots, activities.NoInput{})
	return err
}
