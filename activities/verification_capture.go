package activities

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"golang.org/x/sync/errgroup"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/screenshot"
	"customerzero/internal/domain/verification"
)

// CaptureTries is how often a viewport is captured if the browser crashes.
const CaptureTries = 3

const (
	// defaultViewTimeout bounds one viewport of a page.
	defaultViewTimeout = 15 * time.Second
	// overtime is for a browser that has to start first, which takes at most 30 s, or that exceeds its
	// timeout.
	overtime = 35 * time.Second
	// beatEvery is the heartbeat interval of a capture.
	beatEvery = time.Second
	// browserNotedEvery is how often an unchanged browser state is stored.
	browserNotedEvery = 5 * time.Minute
)

// Reasons for a missing screenshot that do not concern the page.
const (
	browserDied = "The browser crashed while it loaded the page."
	browserLate = "No browser was ready in time."
	workerLate  = "No worker finished opening the page in time."
)

// CapturePageInput identifies one viewport of a run's page.
type CapturePageInput struct {
	VerificationID string
	Theme          verification.Theme
	Viewport       string
}

// CapturePage captures the page and stores the screenshot. A page that can't be shown is a result; a page
// that timed out is opened once more, and a crashed browser is retried.
func (a *Verification) CapturePage(ctx context.Context, in CapturePageInput) (Done, error) {
	run, err := a.Store.Verification(ctx, in.VerificationID)
	if err != nil || run.Stage == verification.Ended {
		return Done{}, err
	}
	seen, err := a.capture(ctx, run.URL, in)
	shot := a.shotOf(in)
	if shot.Retried = problem.CodeOf(err) == problem.PageSlow; shot.Retried { // one slow load proves little
		seen, err = a.capture(ctx, run.URL, in)
	}
	a.noteBrowser(ctx, seen, err)
	switch refused, final := errors.AsType[*problem.Error](err); {
	case err == nil:
		shot.Facts = &seen.Facts
		if shot.ImageHash, err = a.Pictures.Put(ctx, seen.PNG); err != nil {
			return Done{}, err
		}
	case final:
		shot.Error, shot.Code = refused.Message, string(refused.Code)
	case ctx.Err() != nil || activity.GetInfo(ctx).Attempt < CaptureTries:
		return Done{}, err
	default:
		slog.WarnContext(ctx, "could not capture a page", "verification_id", run.ID, "error", err)
		shot.Error = captureFailure(err)
	}
	return Done{}, a.Shots.SaveScreenshot(ctx, shot)
}

// captureFailure returns the reason for a missing screenshot that does not concern the page. The browser
// reports a page that exceeds its timeout as a problem, so a deadline here means that the browser was
// late.
func captureFailure(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return browserLate
	}
	return browserDied
}

// GiveUpScreenshot stores why a viewport has no screenshot after all attempts were lost.
func (a *Verification) GiveUpScreenshot(ctx context.Context, in CapturePageInput) (Done, error) {
	shots, err := a.Shots.Screenshots(ctx, in.VerificationID)
	if err != nil {
		return Done{}, err
	}
	if slices.ContainsFunc(shots, func(s verification.Shot) bool { return s.Theme == in.Theme && s.Viewport == in.Viewport }) {
		return Done{}, nil // only the answer was lost
	}
	shot := a.shotOf(in)
	shot.Error = workerLate
	return Done{}, a.Shots.SaveScreenshot(ctx, shot)
}

func (a *Verification) shotOf(in CapturePageInput) verification.Shot {
	return verification.Shot{RunID: in.VerificationID, Theme: in.Theme, Viewport: in.Viewport, TakenAt: a.Now()}
}

func (a *Verification) capture(ctx context.Context, page string, in CapturePageInput) (seen verification.Capture, err error) {
	views := verification.Views()
	i := slices.IndexFunc(views, func(v verification.View) bool { return v.Theme == in.Theme && v.Viewport.Name == in.Viewport })
	if i < 0 {
		return seen, problem.New(problem.Invalid, "Unknown viewport.")
	}
	if a.Browser == nil {
		return seen, problem.New(problem.BrowserMissing, "No browser is configured.")
	}
	timeout := cmp.Or(a.Timeout, defaultViewTimeout)
	captureCtx, cancel := context.WithTimeout(ctx, timeout+overtime)
	defer cancel()
	withHeartbeats(ctx, func() {
		seen, err = a.Browser.Look(captureCtx, verification.PageRequest{URL: page, View: views[i], Axe: views[i].Examined(), Within: timeout})
	})
	return seen, err
}

// withHeartbeats records heartbeats while a long call runs.
func withHeartbeats(ctx context.Context, do func()) {
	done := make(chan struct{})
	var beats sync.WaitGroup
	defer beats.Wait()
	defer close(done)
	beats.Go(func() {
		for tick := time.Tick(beatEvery); ; {
			activity.RecordHeartbeat(ctx)
			select {
			case <-tick:
			case <-done:
				return
			}
		}
	})
	do()
}

// noteBrowser stores the browser's state when it has changed or is old. Captures do not depend on it.
func (a *Verification) noteBrowser(ctx context.Context, seen verification.Capture, captureErr error) {
	now := a.Now()
	state := verification.BrowserState{ID: verification.TheBrowser, Ready: true, Version: seen.Facts.Browser, SeenAt: &now}
	if captureErr != nil {
		switch problem.CodeOf(captureErr) {
		case problem.BrowserMissing:
			state.Ready, state.Message = false, captureErr.Error()
		case problem.Internal:
			return // it crashed: the next attempt shows more
		default: // a problem of the page
		}
	}
	known, err := a.Shots.Browser(ctx)
	if err == nil {
		if state.Ready && state.Version == "" {
			state.Version = known.Version
		}
		if known.SeenAt != nil && now.Sub(*known.SeenAt) < browserNotedEvery &&
			known.Ready == state.Ready && known.Version == state.Version && known.Message == state.Message {
			return
		}
		err = a.Shots.NoteBrowser(ctx, state)
	}
	if err != nil {
		slog.WarnContext(ctx, "could not store the browser's state", "error", err)
	}
}

// comparedAtOnce bounds memory: a decoded image takes some megabytes.
const comparedAtOnce = 2

// CompareScreenshots compares every screenshot with its baseline. Safe to repeat.
func (a *Verification) CompareScreenshots(ctx context.Context, in VerificationRef) (Done, error) {
	run, err := a.Store.Verification(ctx, in.VerificationID)
	if err != nil || run.Stage == verification.Ended {
		return Done{}, err
	}
	approved, err := a.Shots.CurrentBaselines(ctx, run.Path)
	if err != nil || len(approved) == 0 {
		return Done{}, err
	}
	shots, err := a.Shots.Screenshots(ctx, run.ID)
	if err != nil {
		return Done{}, err
	}
	comparing, ctx := errgroup.WithContext(ctx)
	comparing.SetLimit(comparedAtOnce)
	for _, shot := range shots {
		i := slices.IndexFunc(approved, func(b verification.Baseline) bool { return b.Theme == shot.Theme && b.Viewport == shot.Viewport })
		if i >= 0 && shot.ImageHash != "" && shot.Facts != nil {
			comparing.Go(func() error { return a.compare(ctx, shot, approved[i]) })
		}
	}
	return Done{}, comparing.Wait()
}

// compare stores the comparison of one screenshot. A missing or unreadable image is not retried: the row
// shows that it could not be compared.
func (a *Verification) compare(ctx context.Context, shot verification.Shot, approved verification.Baseline) error {
	shot.BaselineID, shot.ChangedShare, shot.DiffHash = &approved.ID, nil, ""
	was, err := a.Pictures.Get(ctx, approved.ImageHash)
	var is, marked []byte
	if err == nil {
		is, err = a.Pictures.Get(ctx, shot.ImageHash)
	}
	if err != nil && problem.CodeOf(err) != problem.NotFound {
		return err
	}
	var changed float64
	if err == nil {
		changed, marked, err = screenshot.Compare(was, is, slices.Concat(approved.Masks, shot.Facts.Masks))
	}
	if err != nil {
		slog.WarnContext(ctx, "could not compare two screenshots", "verification_id", shot.RunID, "baseline_id", approved.ID, "error", err)
		return a.Shots.SaveComparison(ctx, shot)
	}
	if len(marked) > 0 {
		if shot.DiffHash, err = a.Pictures.Put(ctx, marked); err != nil {
			return err
		}
	}
	shot.ChangedShare = &changed
	return a.Shots.SaveComparison(ctx, shot)
}
