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

// CaptureTries is how often a view is looked at, when the browser dies.
const CaptureTries = 3

const (
	// defaultViewTimeout is how long one view of a page may take.
	defaultViewTimeout = 15 * time.Second
	// overtime is for a browser that has to start first, which takes at most 30 s, or that does not
	// keep to its timeout.
	overtime = 35 * time.Second
	// beatEvery is how often a look says that it goes on.
	beatEvery = time.Second
	// browserToldEvery is how old what is known of the browser may be that stays as it is.
	browserToldEvery = 5 * time.Minute
)

// Why there is no screenshot, though nothing is known to be wrong with the page.
const (
	browserDied = "The browser died while it looked."
	browserLate = "No browser was ready in time."
	workerLate  = "No worker finished opening the page in time."
)

// CapturePageInput names one view of a run's page.
type CapturePageInput struct {
	VerificationID string
	Theme          verification.Theme
	Viewport       string
}

// CapturePage looks at the page and keeps what it saw. That a page cannot be shown is something
// to see, too; only a browser that died is tried again.
func (a *Verification) CapturePage(ctx context.Context, in CapturePageInput) (Done, error) {
	run, err := a.Store.Verification(ctx, in.VerificationID)
	if err != nil || run.Stage == verification.Ended {
		return Done{}, err
	}
	seen, err := a.look(ctx, run.URL, in)
	a.noteBrowser(ctx, seen, err)
	shot := a.shotOf(in)
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
		slog.WarnContext(ctx, "a page could not be looked at", "verification_id", run.ID, "error", err)
		shot.Error = unlooked(err)
	}
	return Done{}, a.Shots.SaveScreenshot(ctx, shot)
}

// unlooked says why nothing was seen, though nothing is known to be wrong with the page. A look
// that had all its time and took too long says so itself: one that is cut off got its browser too late,
// or never.
func unlooked(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return browserLate
	}
	return browserDied
}

// GiveUpScreenshot says of a view that no try came back from why there is no picture of it.
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

func (a *Verification) look(ctx context.Context, page string, in CapturePageInput) (seen verification.Capture, err error) {
	views := verification.Views()
	i := slices.IndexFunc(views, func(v verification.View) bool { return v.Theme == in.Theme && v.Viewport.Name == in.Viewport })
	if i < 0 {
		return seen, problem.New(problem.Invalid, "There is no such view.")
	}
	if a.Browser == nil {
		return seen, problem.New(problem.BrowserMissing, "No browser is set up.")
	}
	timeout := cmp.Or(a.Timeout, defaultViewTimeout)
	looking, cancel := context.WithTimeout(ctx, timeout+overtime)
	defer cancel()
	beating(ctx, func() {
		seen, err = a.Browser.Look(looking, verification.PageRequest{URL: page, View: views[i], Axe: views[i].Examined(), Within: timeout})
	})
	return seen, err
}

// beating says that the activity goes on while something is done that takes long.
func beating(ctx context.Context, do func()) {
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

// noteBrowser writes down how the browser is, when that has changed or was long ago. No look
// depends on it.
func (a *Verification) noteBrowser(ctx context.Context, seen verification.Capture, looked error) {
	now := a.Now()
	state := verification.BrowserState{ID: verification.TheBrowser, Ready: true, Version: seen.Facts.Browser, SeenAt: &now}
	if looked != nil {
		switch problem.CodeOf(looked) {
		case problem.BrowserMissing:
			state.Ready, state.Message = false, looked.Error()
		case problem.Internal:
			return // it died: the next try tells more
		default: // the page's own trouble
		}
	}
	known, err := a.Shots.Browser(ctx)
	if err == nil {
		if state.Ready && state.Version == "" {
			state.Version = known.Version
		}
		if known.SeenAt != nil && now.Sub(*known.SeenAt) < browserToldEvery &&
			known.Ready == state.Ready && known.Version == state.Version && known.Message == state.Message {
			return
		}
		err = a.Shots.NoteBrowser(ctx, state)
	}
	if err != nil {
		slog.WarnContext(ctx, "how the browser is could not be written down", "error", err)
	}
}

// comparedAtOnce bounds the memory: a picture takes some megabytes when it is unpacked.
const comparedAtOnce = 2

// CompareScreenshots holds every view against the look that was approved for it. Safe to repeat.
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

// compare notes what one view was compared with, and what came of it. Pictures that are gone or cannot be
// read any more are no reason to try again: it is noted that the view could not be compared.
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
		slog.WarnContext(ctx, "two pictures could not be compared", "verification_id", shot.RunID, "baseline_id", approved.ID, "error", err)
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
