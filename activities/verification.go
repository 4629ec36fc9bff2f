package activities

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/verification"
)

// Verification holds the activities of verifications.
type Verification struct {
	Store      VerificationStore
	Shots      ScreenshotStore
	ModelCalls ModelCalls
	Browser    Browser     // nil: there is none
	Vision     VisionModel // nil: only the built-in analysis comments
	Pictures   Pictures
	// HTTP asks the endpoints. It can reach our own sites, and nothing else.
	HTTP  *http.Client
	Sites []string // origins that may be looked at, the first is our own
	// Timeout is how long one view of a page may take; 0: defaultViewTimeout.
	Timeout time.Duration
	Now     func() time.Time
}

// VerificationStore keeps runs. *store.Verifications implements it.
type VerificationStore interface {
	RequestVerification(ctx context.Context, r verification.Run, visitor string) error
	BeginVerification(ctx context.Context, id, workflowID, runID string) (verification.Run, error)
	MoveVerification(ctx context.Context, id string, stage verification.Stage) error
	CommentVerification(ctx context.Context, id string, c verification.Comment, callID *string) error
	EndVerification(ctx context.Context, id string, o verification.Outcome, front bool, at time.Time) (verification.Run, error)
	Verification(ctx context.Context, id string) (verification.Run, error)
	PruneVerifications(ctx context.Context, keep int) (removed int, err error)
}

// ScreenshotStore keeps what was seen. *store.Verifications implements it.
type ScreenshotStore interface {
	SaveScreenshot(ctx context.Context, shot verification.Shot) error
	Screenshots(ctx context.Context, runIDs ...string) ([]verification.Shot, error)
	SaveComparison(ctx context.Context, shot verification.Shot) error
	CurrentBaselines(ctx context.Context, path string) ([]verification.Baseline, error)
	ImagesInUse(ctx context.Context, chaosRuns int) (map[string]bool, error)
	Browser(ctx context.Context) (verification.BrowserState, error)
	NoteBrowser(ctx context.Context, b verification.BrowserState) error
}

// Browser opens pages of ours. *browser.Browser implements it: its problems are final, every
// other error may be tried again.
type Browser interface {
	Look(ctx context.Context, l verification.PageRequest) (verification.Capture, error)
}

// Pictures keeps PNGs by what is in them. *blob.Store implements it.
type Pictures interface {
	Put(ctx context.Context, data []byte) (key string, err error)
	Get(ctx context.Context, key string) ([]byte, error)
	Sweep(ctx context.Context, keep map[string]bool, olderThan time.Time) (removed int, err error)
}

// VerificationRef names a run whose row is written. What is looked at, and for whom, stays
// there.
type VerificationRef struct{ VerificationID string }

// VerificationState is how a run stands.
type VerificationState struct {
	VerificationID   string
	Ended            bool
	Checked, Verdict verification.Verdict
	ViewTimeout      time.Duration `json:",omitempty"` // set when the run begins
}

func verificationState(r verification.Run) VerificationState {
	return VerificationState{VerificationID: r.ID, Ended: r.Stage == verification.Ended, Checked: r.ChecksVerdict, Verdict: r.Verdict}
}

// BeginVerification notes which workflow carries the run. Without a name it is the schedule's,
// and is written down first. One that has ended stays as it is.
func (a *Verification) BeginVerification(ctx context.Context, in VerificationRef) (VerificationState, error) {
	carrier := activity.GetInfo(ctx).WorkflowExecution
	if in.VerificationID == "" {
		in.VerificationID = carrier.RunID // a repeat finds it
		if err := a.request(ctx, in.VerificationID); err != nil {
			return VerificationState{}, err
		}
	}
	run, err := a.Store.BeginVerification(ctx, in.VerificationID, carrier.ID, carrier.RunID)
	begun := verificationState(run)
	begun.ViewTimeout = cmp.Or(a.Timeout, defaultViewTimeout)
	return begun, err
}

// request writes the schedule's run down: it looks at our own front page.
func (a *Verification) request(ctx context.Context, id string) error {
	front, err := verification.ParseTarget("", a.Sites)
	if err != nil {
		return err
	}
	key := verification.BySchedule
	return a.Store.RequestVerification(ctx, verification.Run{
		ID: id, URL: front.URL, Path: front.Path, RequestedBy: verification.Schedule, OpenKey: &key,
		Stage: verification.Requested, RequestedAt: a.Now(),
	}, "")
}

type MoveVerificationInput struct {
	VerificationID string
	Stage          verification.Stage
}

// MoveVerification notes how far the run is.
func (a *Verification) MoveVerification(ctx context.Context, in MoveVerificationInput) (Done, error) {
	return Done{}, a.Store.MoveVerification(ctx, in.VerificationID, in.Stage)
}

type ConcludeVerificationInput struct {
	VerificationID string
	Answers        []verification.Answer // of the endpoints
	Stopped        string                // why it ends before it is done; a sentence
}

// ConcludeVerification ends the run. What it came to, its checks say; the comment can only
// lower it. Safe to repeat: the first end stays.
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
	if len(in.Answers) == 0 && outcome.ChecksVerdict == verification.Active { // what nobody asked is not well
		outcome.ChecksVerdict, outcome.Verdict = verification.Warning, verification.Warning
		outcome.Reason = "The page is well, but nobody could ask the endpoints: the worker was lost."
	}
	return a.end(ctx, run, outcome, a.isFront(run))
}

func (a *Verification) end(ctx context.Context, run verification.Run, o verification.Outcome, front bool) (VerificationState, error) {
	run, err := a.Store.EndVerification(ctx, run.ID, o, front, a.Now())
	return verificationState(run), err
}

// stopped is what comes of a run that was not done: it says nothing good, and nothing bad.
func stopped(in ConcludeVerificationInput, shots []verification.Shot) verification.Outcome {
	return verification.Outcome{
		ChecksVerdict: verification.Warning, Verdict: verification.Warning, Reason: in.Stopped, Checks: checksOf(in.Answers, shots),
	}
}

// isFront says whether the run looks at our own front page: it tells how the site stands.
func (a *Verification) isFront(r verification.Run) bool {
	front, err := verification.ParseTarget("", a.Sites)
	return err == nil && r.URL == front.URL
}

const (
	// PicturedRuns is how many chaos runs keep their pictures.
	PicturedRuns = 50
	// unnamedFor is how long a picture may be in no row: it is kept before its row is.
	unnamedFor = time.Hour
)

// DeleteOldScreenshotsResult counts what was removed.
type DeleteOldScreenshotsResult struct{ Runs, Pictures int }

// DeleteOldScreenshots removes the runs beyond those that are kept, and the pictures that no row names.
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
