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

// take photographs the cell and keeps what came of it; before is the probe made just now. The
// moment passes, so nothing is tried again. ready says whether there is a browser at all.
func (a *CellShots) take(ctx context.Context, run chaos.Run, moment verification.Moment, before target.Sample, within time.Duration) (ready bool, err error) {
	shot := a.shotOf(run, moment, before)
	looking, cancel := context.WithTimeout(ctx, within+time.Second) // for a browser that does not keep to it
	defer cancel()
	seen, looked := a.Browser.Look(looking, verification.Look{
		URL: strings.TrimRight(a.CellURL, "/") + shot.Path, View: verification.Views()[0], Quick: true, Within: within,
	})
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	refused, final := errors.AsType[*problem.Error](looked)
	if final && refused.Code == problem.BrowserMissing {
		return false, nil
	}
	after := a.Cell.Probe(ctx)
	shot.Steady, shot.TakenAt = after.Healthy() == before.Healthy(), a.Now()
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
		slog.WarnContext(ctx, "the cell could not be looked at", "chaos_id", run.ID, "moment", moment, "error", looked)
		shot.Error = unlooked(looked)
	}
	return true, a.Book.SaveCellShot(ctx, shot)
}

func (a *CellShots) shotOf(run chaos.Run, moment verification.Moment, seen target.Sample) verification.CellShot {
	return verification.CellShot{
		ChaosID: run.ID, Moment: moment, Path: chaos.PageOf(run.Fault), Failing: seen.Failing,
		Opinion: verification.LooksUnclear, SaidBy: verification.BuiltIn, TakenAt: a.Now(),
	}
}

// keep stores the picture, and says by it alone how the cell looks.
func (a *CellShots) keep(ctx context.Context, shot *verification.CellShot, seen verification.Seen) (err error) {
	if shot.Picture, err = a.Pictures.Put(ctx, seen.PNG); err != nil {
		return err
	}
	shot.Width, shot.Height = seen.Facts.Width, seen.Facts.Height
	measured, err := screenshot.Measure(seen.PNG)
	if err != nil {
		slog.WarnContext(ctx, "a picture of the cell could not be measured", "chaos_id", shot.ChaosID, "error", err)
		shot.Says = "The picture could not be measured."
		return nil
	}
	shot.Opinion, shot.Says = verification.Opine(measured, a.changed(ctx, *shot, seen))
	return nil
}

// changed is the share of a picture that differs from the one before; nil: there is none.
func (a *CellShots) changed(ctx context.Context, shot verification.CellShot, seen verification.Seen) *float64 {
	if shot.Moment == verification.Before {
		return nil
	}
	shots, err := a.Book.CellShots(ctx, shot.ChaosID)
	i := slices.IndexFunc(shots, func(s verification.CellShot) bool { return s.Moment == verification.Before && s.Picture != "" })
	if err == nil && i < 0 {
		return nil
	}
	var was []byte
	if err == nil {
		was, err = a.Pictures.Get(ctx, shots[i].Picture)
	}
	var share float64
	if err == nil {
		share, _, err = screenshot.Compare(was, seen.PNG, seen.Facts.Masks)
	}
	if err != nil {
		slog.WarnContext(ctx, "a picture of the cell could not be compared", "chaos_id", shot.ChaosID, "error", err)
		return nil
	}
	return &share
}
