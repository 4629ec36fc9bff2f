package activities

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/verification"
)

// Verification holds the activities of site checks.
type Verification struct {
	Store      VerificationStore
	Shots      ScreenshotStore
	ModelCalls ModelCalls
	Browser    Browser     // nil if there is none
	Vision     VisionModel // nil if only the built-in analysis reviews
	Pictures   Pictures
	// HTTP calls the endpoints. It can only reach the configured sites.
	HTTP  *http.Client
	Sites []string // origins that may be checked; the first is this site
	// Timeout bounds one viewport of a page; defaultViewTimeout if 0.
	Timeout time.Duration
	Now     func() time.Time
}

// VerificationStore stores runs. *store.Verifications implements it.
type VerificationStore interface {
	RequestVerification(ctx context.Context, r verification.Run, asker account.Asker) error
	BeginVerification(ctx context.Context, id, workflowID, runID string) (verification.Run, error)
	MoveVerification(ctx context.Context, id string, stage verification.Stage) error
	CommentVerification(ctx context.Context, id string, c verification.Comment, callID *string) error
	EndVerification(ctx context.Context, id string, o verification.Outcome, front bool, at time.Time) (verification.Run, error)
	Verification(ctx context.Context, id string) (verification.Run, error)
	PruneVerifications(ctx context.Context, keep int) (removed int, err error)
}

// ScreenshotStore stores screenshots, baselines and the browser's state. *store.Verifications implements
// it.
type ScreenshotStore interface {
	SaveScreenshot(ctx context.Context, shot verification.Shot) error
	Screenshots(ctx context.Context, runIDs ...string) ([]verification.Shot, error)
	SaveComparison(ctx context.Context, shot verification.Shot) error
	CurrentBaselines(ctx context.Context, path string) ([]verification.Baseline, error)
	ImagesInUse(ctx context.Context, chaosRuns int) (map[string]bool, error)
	Browser(ctx context.Context) (verification.BrowserState, error)
	NoteBrowser(ctx context.Context, b verification.BrowserState) error
}

// Browser opens pages. *browser.Browser implements it: its problems are final, other errors may be
// retried.
type Browser interface {
	Look(ctx context.Context, l verification.PageRequest) (verification.Capture, error)
}

// Pictures stores PNGs by content. *blob.Store implements it.
type Pictures interface {
	Put(ctx context.Context, data []byte) (key string, err error)
	Get(ctx context.Context, key string) ([]byte, error)
	Sweep(ctx context.Context, keep map[string]bool, olderThan time.Time) (removed int, err error)
}

// VerificationRef identifies a stored run; its row holds the page and the requester.
type VerificationRef struct{ VerificationID string }

// VerificationState is the state of a run.
type VerificationState struct {
	VerificationID   string
	Ended            bool
	Checked, Verdict verification.Verdict
	ViewTimeout      time.Duration `json:",omitempty"` // set when the run begins
}

func verificationState(r verification.Run) VerificationState {
	return VerificationState{VerificationID: r.ID, Ended: r.Stage == verification.Ended, Checked: r.ChecksVerdict, Verdict: r.Verdict}
}

// BeginVerification stores the workflow run, unless the verification has ended. Without an ID it first
// creates the scheduled run.
func (a *Verification) BeginVerification(ctx context.Context, in VerificationRef) (VerificationState, error) {
	execution := activity.GetInfo(ctx).WorkflowExecution
	if in.VerificationID == "" {
		in.VerificationID = execution.RunID // so that a repeat finds it
		if err := a.request(ctx, in.VerificationID); err != nil {
			return VerificationState{}, err
		}
	}
	run, err := a.Store.BeginVerification(ctx, in.VerificationID, execution.ID, execution.RunID)
	begun := verificationState(run)
	begun.ViewTimeout = cmp.Or(a.Timeout, defaultViewTimeout)
	return begun, err
}

// request stores a scheduled run, which checks the front page.
func (a *Verification) request(ctx context.Context, id string) error {
	front, err := verification.ParseTarget("", a.Sites)
	if err != nil {
		return err
	}
	key := verification.BySchedule
	return a.Store.RequestVerification(ctx, verification.Run{
		ID: id, URL: front.URL, Path: front.Path, RequestedBy: verification.Schedule, OpenKey: &key,
		Stage: verification.Requested, RequestedAt: a.Now(),
	}, account.Asker{})
}

type MoveVerificationInput struct {
	VerificationID string
	Stage          verification.Stage
}

// MoveVerification stores the stage of a run.
func (a *Verification) MoveVerification(ctx context.Context, in MoveVerificationInput) (Done, error) {
	return Done{}, a.Store.MoveVerification(ctx, in.VerificationID, in.Stage)
}

type ConcludeVerificationInput struct {
	VerificationID string
	Answers        []verification.Answer // endpoint responses
	Stopped        string                // why it ends early, as a sentence
}

// ConcludeVerification ends the run with the verdict of its checks, which the AI review can only lower.
// Safe to repeat: the first end is kept.
func (a *Verification) ConcludeVerification(ctx context.Context, in ConcludeVerificationInput) (VerificationState, error) {
	run, err := a.Store.Verification(ctx, in.VerificationID)
	if err != nil || run.Stage == verification.Ended {
		return verificationState(run), err
	}
	shots, err := a.Shots.Screenshots(ctx, run.ID)
	if err != nil {
		return VerificationState{}, err
	}
	if in.Stopped != "" {
		return a.end(ctx, run, stopped(in, shots), false)
	}
	shots = everyView(run.ID, shots)
	outcome := verification.Judge(checksOf(in.Answers, shots), run.Comment)
	if !slices.ContainsFunc(shots, func(s verification.Shot) bool { return s.Facts != nil }) {
		outcome.Code = shots[0].Code
	}
	if len(in.Answers) == 0 && outcome.ChecksVerdict == verification.Active { // unchecked endpoints must not pass
		outcome.ChecksVerdict, outcome.Verdict = verification.Warning, verification.Warning
		outcome.Reason = "The page passed, but the endpoints were not checked because the worker was lost."
	}
	return a.end(ctx, run, outcome, a.isFront(run))
}

func (a *Verification) end(ctx context.Context, run verification.Run, o verification.Outcome, front bool) (VerificationState, error) {
	run, err := a.Store.EndVerification(ctx, run.ID, o, front, a.Now())
	return verificationState(run), err
}

// stopped is the outcome of an interrupted run: neither passed nor broken.
func stopped(in ConcludeVerificationInput, shots []verification.Shot) verification.Outcome {
	return verification.Outcome{
		ChecksVerdict: verification.Warning, Verdict: verification.Warning, Reason: in.Stopped, Checks: checksOf(in.Answers, shots),
	}
}

// isFront reports whether the run checks the front page, which determines the site's status.
func (a *Verification) isFront(r verification.Run) bool {
	front, err := verification.ParseTarget("", a.Sites)
	return err == nil && r.URL == front.URL
}

const (
	// PicturedRuns is how many chaos runs keep their screenshots.
	PicturedRuns = 50
	// unnamedFor is how long an image may be without a row: it is stored before its row.
	unnamedFor = time.Hour
)

// DeleteOldScreenshotsResult counts what was deleted.
type DeleteOldScreenshotsResult struct{ Runs, Pictures int }

// DeleteOldScreenshots deletes runs beyond the retention, and images that no row refers to.
func (a *Verification) DeleteOldScreenshots(ctx context.Context, _ NoInput) (result DeleteOldScreenshotsResult, err error) {
	if result.Runs, err = a.Store.PruneVerifications(ctx, verification.Kept); err != nil {
		return result, err
	}
	kept, err := a.Shots.ImagesInUse(ctx, PicturedRuns)
	if err != nil {
		return result, err
	}
	result.Pictures, err = a.Pictures.Sweep(ctx, kept, a.Now().Add(-unnamedFor))
	return result, err
}
