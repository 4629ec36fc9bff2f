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

// ChaosScreenshots holds the activities that photograph the chaos target while it is broken on purpose.
type ChaosScreenshots struct {
	Store     ChaosScreenshotStore
	Chaos     ChaosReader
	Target    Probed
	Browser   Browser // nil: there is none, and no picture is taken
	Pictures  TargetScreenshots
	TargetURL string // where its pages are
	Now       func() time.Time
}

// ChaosScreenshotStore keeps the pictures of chaos runs. *store.Verifications implements it.
type ChaosScreenshotStore interface {
	SaveChaosScreenshot(ctx context.Context, shot verification.TargetScreenshot) error
	ChaosScreenshots(ctx context.Context, chaosID string) ([]verification.TargetScreenshot, error)
}

// ChaosReader knows how runs stand. *store.Chaos implements it.
type ChaosReader interface {
	ChaosRun(ctx context.Context, id string) (chaos.Run, error)
}

// Probed is the chaos target as probes see it. *prober.Prober implements it.
type Probed interface {
	Probe(ctx context.Context) target.Sample
}

// TargetScreenshots keeps PNGs by what is in them. *blob.Store implements it.
type TargetScreenshots interface {
	Put(ctx context.Context, data []byte) (key string, err error)
	Get(ctx context.Context, key string) ([]byte, error)
}

// How long a look at the chaos target may take. A fault is healed within two seconds.
const (
	beforeWithin = 3 * time.Second
	brokenWithin = 1500 * time.Millisecond
	healedWithin = 5 * time.Second
)

const (
	// brokenLooks is how often it is looked whether the chaos target was broken.
	brokenLooks = 25 * time.Millisecond
	// unhealthyProbes is how often it is looked whether that shows.
	unhealthyProbes = 50 * time.Millisecond
)

// healedFirst is what is said when there was nothing left to photograph.
const healedFirst = "It was healed before a picture could be taken."

// CaptureHealthyTargetResult says whether there is a browser that could take more pictures.
type CaptureHealthyTargetResult struct{ Ready bool }

// CaptureHealthyTarget takes a screenshot of the chaos target while it is healthy. It is tried once, as
// the run does not depend on it.
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

// CaptureBrokenTarget waits until the chaos target is broken and photographs it, and again when it is well.
func (a *ChaosScreenshots) CaptureBrokenTarget(ctx context.Context, in ChaosRef) (Done, error) {
	if a.Browser == nil {
		return Done{}, nil
	}
	var err error
	beating(ctx, func() { err = a.capture(ctx, in.ChaosID) })
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
	well, err := a.awaitProbe(ctx, id, target.ProbeEvery, target.Sample.Healthy)
	if err != nil {
		return err
	}
	_, err = a.take(ctx, run, verification.Healed, well, healedWithin)
	return err
}

func (a *ChaosScreenshots) captureBroken(ctx context.Context, run chaos.Run) (ready bool, err error) {
	sick, err := a.awaitProbe(ctx, run.ID, unhealthyProbes, func(s target.Sample) bool { return !s.Healthy() })
	if err != nil {
		return false, err
	}
	if sick.Healthy() {
		shot := a.shotOf(run, verification.During, sick)
		shot.Error = healedFirst
		return true, a.Store.SaveChaosScreenshot(ctx, shot)
	}
	return a.take(ctx, run, verification.During, sick, brokenWithin)
}

// awaitBroken returns when something was broken, or the run has ended.
func (a *ChaosScreenshots) awaitBroken(ctx context.Context, id string) (run chaos.Run, err error) {
	err = each(ctx, brokenLooks, func() (_ bool, err error) {
		run, err = a.Chaos.ChaosRun(ctx, id)
		return run.InjectedAt != nil || run.Stage == chaos.Ended, err
	})
	return run, err
}

// awaitProbe gives the first probe that is as wanted, or one made when the run has ended.
func (a *ChaosScreenshots) awaitProbe(ctx context.Context, id string, every time.Duration, wanted func(target.Sample) bool) (s target.Sample, err error) {
	err = each(ctx, every, func() (bool, error) {
		run, err := a.Chaos.ChaosRun(ctx, id)
		if err != nil {
			return false, err
		}
		s = a.Target.Probe(ctx)
		return ctx.Err() == nil && (wanted(s) || run.Stage == chaos.Ended), nil
	})
	return s, err
}

// take photographs the chaos target and keeps what came of it; before is the probe made just now. The
// moment passes, so nothing is tried again. ready says whether there is a browser at all.
func (a *ChaosScreenshots) take(ctx context.Context, run chaos.Run, moment verification.Moment, before target.Sample, within time.Duration) (ready bool, err error) {
	shot := a.shotOf(run, moment, before)
	looking, cancel := context.WithTimeout(ctx, within+time.Second) // for a browser that does not keep to it
	defer cancel()
	seen, looked := a.Browser.Look(looking, verification.PageRequest{
		URL: strings.TrimRight(a.TargetURL, "/") + shot.Path, View: verification.Views()[0], Quick: true, Within: within,
	})
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	refused, final := errors.AsType[*problem.Error](looked)
	if final && refused.Code == problem.BrowserMissing {
		return false, nil
	}
	after := a.Target.Probe(ctx)
	shot.Stable, shot.TakenAt = after.Healthy() == before.Healthy(), a.Now()
	switch {
	case looked == nil:
		if err := a.keep(ctx, &shot, seen); err != nil {
			return true, err
		}
	case moment == verification.During && after.Healthy():
		shot.Error = healedFirst
	case final:
		shot.Error = refused.Message
	default:
		slog.WarnContext(ctx, "the chaos target could not be looked at", "chaos_id", run.ID, "moment", moment, "error", looked)
		shot.Error = unlooked(looked)
	}
	return true, a.Store.SaveChaosScreenshot(ctx, shot)
}

func (a *ChaosScreenshots) shotOf(run chaos.Run, moment verification.Moment, seen target.Sample) verification.TargetScreenshot {
	return verification.TargetScreenshot{
		ChaosRunID: run.ID, Moment: moment, Path: chaos.PageOf(run.Fault), Failing: seen.Failing,
		Opinion: verification.LooksUnclear, ReviewedBy: verification.BuiltIn, TakenAt: a.Now(),
	}
}

// keep stores the picture, and says by it alone how the chaos target looks.
func (a *ChaosScreenshots) keep(ctx context.Context, shot *verification.TargetScreenshot, seen verification.Capture) (err error) {
	if shot.ImageHash, err = a.Pictures.Put(ctx, seen.PNG); err != nil {
		return err
	}
	shot.Width, shot.Height = seen.Facts.Width, seen.Facts.Height
	measured, err := screenshot.Measure(seen.PNG)
	if err != nil {
		slog.WarnContext(ctx, "a picture of the chaos target could not be measured", "chaos_id", shot.ChaosRunID, "error", err)
		shot.Review = "The picture could not be measured."
		return nil
	}
	shot.Opinion, shot.Review = verification.Opine(measured, a.changed(ctx, *shot, seen))
	return nil
}

// changed is the share of a picture that differs from the one before; nil: there is none.
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
		slog.WarnContext(ctx, "a picture of the chaos target could not be compared", "chaos_id", shot.ChaosRunID, "error", err)
		return nil
	}
	return &share
}
