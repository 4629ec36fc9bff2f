package activities

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/screenshot"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
)

// ChaosScreenshots holds the activities that take screenshots of the chaos target during a chaos run.
type ChaosScreenshots struct {
	Store     ChaosScreenshotStore
	Chaos     ChaosReader
	Target    Probed
	Browser   Browser // nil if there is none; then no screenshots are taken
	Pictures  TargetScreenshots
	TargetURL string // base URL of its pages
	Now       func() time.Time
}

// ChaosScreenshotStore stores the screenshots of chaos runs. *store.Verifications implements it.
type ChaosScreenshotStore interface {
	SaveChaosScreenshot(ctx context.Context, shot verification.TargetScreenshot) error
	ChaosScreenshots(ctx context.Context, chaosID string) ([]verification.TargetScreenshot, error)
}

// ChaosReader reads chaos runs. *store.Chaos implements it.
type ChaosReader interface {
	ChaosRun(ctx context.Context, id string) (chaos.Run, error)
}

// Probed probes the chaos target. *probe.Prober implements it.
type Probed interface {
	Probe(ctx context.Context) target.Sample
}

// TargetScreenshots stores PNGs by content. *blob.Store implements it.
type TargetScreenshots interface {
	Put(ctx context.Context, data []byte) (key string, err error)
	Get(ctx context.Context, key string) ([]byte, error)
}

// Time limits of a screenshot of the chaos target. A fault is healed within 2 seconds.
const (
	beforeWithin = 3 * time.Second
	brokenWithin = 1500 * time.Millisecond
	healedWithin = 5 * time.Second
)

const (
	// brokenPoll is how often the row is polled for the injection.
	brokenPoll = 25 * time.Millisecond
	// unhealthyPoll is how often the chaos target is then probed until it is unhealthy.
	unhealthyPoll = 50 * time.Millisecond
)

// healedFirst is the error of a screenshot that came too late.
const healedFirst = "The target recovered before a screenshot could be taken."

// CaptureHealthyTargetResult reports whether a browser can take more screenshots.
type CaptureHealthyTargetResult struct{ Ready bool }

// CaptureHealthyTarget takes a screenshot of the healthy chaos target. It is tried once, because the run
// does not depend on it.
func (a *ChaosScreenshots) CaptureHealthyTarget(ctx context.Context, in ChaosRef) (CaptureHealthyTargetResult, error) {
	if a.Browser == nil {
		return CaptureHealthyTargetResult{}, nil
	}
	run, err := a.Chaos.ChaosRun(ctx, in.ChaosID)
	if err != nil {
		return CaptureHealthyTargetResult{}, err
	}
	ready, err := a.take(ctx, run, verification.Before, a.Target.Probe(ctx), beforeWithin)
	return CaptureHealthyTargetResult{Ready: ready}, err
}

// CaptureBrokenTarget waits until the chaos target is broken and takes a screenshot, and another when it
// is healthy again.
func (a *ChaosScreenshots) CaptureBrokenTarget(ctx context.Context, in ChaosRef) (Done, error) {
	if a.Browser == nil {
		return Done{}, nil
	}
	var err error
	withHeartbeats(ctx, func() { err = a.capture(ctx, in.ChaosID) })
	return Done{}, err
}

func (a *ChaosScreenshots) capture(ctx context.Context, id string) error {
	run, err := a.awaitBroken(ctx, id)
	if err != nil || run.InjectedAt == nil {
		return err // nothing was broken
	}
	if ready, err := a.captureBroken(ctx, run); err != nil || !ready {
		return err
	}
	healthy, err := a.awaitProbe(ctx, id, target.ProbeEvery, target.Sample.Healthy)
	if err != nil {
		return err
	}
	_, err = a.take(ctx, run, verification.Healed, healthy, healedWithin)
	return err
}

func (a *ChaosScreenshots) captureBroken(ctx context.Context, run chaos.Run) (ready bool, err error) {
	unhealthy, err := a.awaitProbe(ctx, run.ID, unhealthyPoll, func(s target.Sample) bool { return !s.Healthy() })
	if err != nil {
		return false, err
	}
	if unhealthy.Healthy() {
		shot := a.shotOf(run, verification.During, unhealthy)
		shot.Error = healedFirst
		return true, a.Store.SaveChaosScreenshot(ctx, shot)
	}
	return a.take(ctx, run, verification.During, unhealthy, brokenWithin)
}

// awaitBroken returns when a fault was injected or the run has ended.
func (a *ChaosScreenshots) awaitBroken(ctx context.Context, id string) (run chaos.Run, err error) {
	err = poll(ctx, brokenPoll, func() (_ bool, err error) {
		run, err = a.Chaos.ChaosRun(ctx, id)
		return run.InjectedAt != nil || run.Stage == chaos.Ended, err
	})
	return run, err
}

// awaitProbe returns the first probe that is as wanted, or one made after the run has ended.
func (a *ChaosScreenshots) awaitProbe(ctx context.Context, id string, every time.Duration, wanted func(target.Sample) bool) (s target.Sample, err error) {
	err = poll(ctx, every, func() (bool, error) {
		run, err := a.Chaos.ChaosRun(ctx, id)
		if err != nil {
			return false, err
		}
		s = a.Target.Probe(ctx)
		return ctx.Err() == nil && (wanted(s) || run.Stage == chaos.Ended), nil
	})
	return s, err
}

// take takes a screenshot and stores it; before is the preceding probe. It does not retry, because the
// moment has passed. ready reports whether there is a browser.
func (a *ChaosScreenshots) take(ctx context.Context, run chaos.Run, moment verification.Moment, before target.Sample, within time.Duration) (ready bool, err error) {
	shot := a.shotOf(run, moment, before)
	captureCtx, cancel := context.WithTimeout(ctx, within+time.Second) // in case the browser exceeds its own limit
	defer cancel()
	seen, captureErr := a.Browser.Look(captureCtx, verification.PageRequest{
		URL: strings.TrimRight(a.TargetURL, "/") + shot.Path, View: verification.Views()[0], Quick: true, Within: within,
	})
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	refused, final := errors.AsType[*problem.Error](captureErr)
	if final && refused.Code == problem.BrowserMissing {
		return false, nil
	}
	after := a.Target.Probe(ctx)
	shot.Stable, shot.TakenAt = after.Failing == before.Failing, a.Now()
	switch {
	case captureErr == nil:
		if err := a.keep(ctx, &shot, seen); err != nil {
			return true, err
		}
	case moment == verification.During && after.Healthy():
		shot.Error = healedFirst
	case final:
		shot.Error = refused.Message
	default:
		slog.WarnContext(ctx, "could not take a screenshot of the chaos target", "chaos_id", run.ID, "moment", moment, "error", captureErr)
		shot.Error = captureFailure(captureErr)
	}
	return true, a.Store.SaveChaosScreenshot(ctx, shot)
}

func (a *ChaosScreenshots) shotOf(run chaos.Run, moment verification.Moment, seen target.Sample) verification.TargetScreenshot {
	return verification.TargetScreenshot{
		ChaosRunID: run.ID, Moment: moment, Path: chaos.PageOf(run.Fault), Failing: seen.Failing,
		Opinion: verification.LooksUnclear, ReviewedBy: verification.BuiltIn, TakenAt: a.Now(),
	}
}

// keep stores the image and the opinion that the built-in analysis derives from it.
func (a *ChaosScreenshots) keep(ctx context.Context, shot *verification.TargetScreenshot, seen verification.Capture) (err error) {
	if shot.ImageHash, err = a.Pictures.Put(ctx, seen.PNG); err != nil {
		return err
	}
	shot.Width, shot.Height = seen.Facts.Width, seen.Facts.Height
	measured, err := screenshot.Measure(seen.PNG)
	if err != nil {
		slog.WarnContext(ctx, "could not analyze a screenshot of the chaos target", "chaos_id", shot.ChaosRunID, "error", err)
		shot.Review = "The screenshot could not be analyzed."
		return nil
	}
	shot.Opinion, shot.Review = verification.Opine(measured, a.changed(ctx, *shot, seen))
	return nil
}

// changed returns the share of the image that differs from the healthy one, or nil if there is none.
func (a *ChaosScreenshots) changed(ctx context.Context, shot verification.TargetScreenshot, seen verification.Capture) *float64 {
	if shot.Moment == verification.Before {
		return nil
	}
	shots, err := a.Store.ChaosScreenshots(ctx, shot.ChaosRunID)
	i := slices.IndexFunc(shots, func(s verification.TargetScreenshot) bool {
		return s.Moment == verification.Before && s.ImageHash != ""
	})
	if err == nil && i < 0 {
		return nil
	}
	var was []byte
	if err == nil {
		was, err = a.Pictures.Get(ctx, shots[i].ImageHash)
	}
	var share float64
	if err == nil {
		share, _, err = screenshot.Compare(was, seen.PNG, seen.Facts.Masks)
	}
	if err != nil {
		slog.WarnContext(ctx, "could not compare a screenshot of the chaos target", "chaos_id", shot.ChaosRunID, "error", err)
		return nil
	}
	return &share
}
