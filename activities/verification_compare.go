package activities

import (
	"context"
	"log/slog"
	"slices"

	"golang.org/x/sync/errgroup"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/screenshot"
	"customerzero/internal/domain/verification"
)

// comparedAtOnce bounds the memory: a picture takes some megabytes when it is unpacked.
const comparedAtOnce = 2

// CompareLook holds every view against the look that was approved for it. Safe to repeat.
func (a *Verification) CompareLook(ctx context.Context, in VerificationRef) (Done, error) {
	run, err := a.Book.Verification(ctx, in.VerificationID)
	if err != nil || run.Stage == verification.Ended {
		return Done{}, err
	}
	approved, err := a.Shots.CurrentBaselines(ctx, run.Path)
	if err != nil || len(approved) == 0 {
		return Done{}, err
	}
	shots, err := a.Shots.Shots(ctx, run.ID)
	if err != nil {
		return Done{}, err
	}
	comparing, ctx := errgroup.WithContext(ctx)
	comparing.SetLimit(comparedAtOnce)
	for _, shot := range shots {
		i := slices.IndexFunc(approved, func(b verification.Baseline) bool { return b.Theme == shot.Theme && b.Viewport == shot.Viewport })
		if i >= 0 && shot.Picture != "" && shot.Facts != nil {
			comparing.Go(func() error { return a.compare(ctx, shot, approved[i]) })
		}
	}
	return Done{}, comparing.Wait()
}

// compare notes what one view was compared with, and what came of it. Pictures that cannot be read
// any more are no reason to try again: it is noted that the view could not be compared.
func (a *Verification) compare(ctx context.Context, shot verification.Shot, approved verification.Baseline) error {
	was, err := a.Pictures.Get(ctx, approved.Picture)
	if err == nil {
		var is []byte
		if is, err = a.Pictures.Get(ctx, shot.Picture); err == nil {
			return a.compareWith(ctx, shot, approved, was, is)
		}
	}
	if problem.CodeOf(err) == problem.NotFound {
		slog.WarnContext(ctx, "a picture is gone; its view is not compared", "verification_id", shot.RunID, "baseline_id", approved.ID)
		return a.incomparable(ctx, shot, approved)
	}
	return err
}

func (a *Verification) compareWith(ctx context.Context, shot verification.Shot, approved verification.Baseline, was, is []byte) error {
	masks := slices.Concat(approved.Masks, shot.Facts.Masks)
	changed, marked, err := screenshot.Compare(was, is, masks)
	if err != nil {
		slog.WarnContext(ctx, "two pictures could not be compared", "verification_id", shot.RunID, "baseline_id", approved.ID, "error", err)
		return a.incomparable(ctx, shot, approved)
	}
	if len(marked) > 0 {
		if shot.Diff, err = a.Pictures.Put(ctx, marked); err != nil {
			return err
		}
	}
	shot.BaselineID, shot.Changed = &approved.ID, &changed
	return a.Shots.CompareShot(ctx, shot)
}

func (a *Verification) incomparable(ctx context.Context, shot verification.Shot, approved verification.Baseline) error {
	shot.BaselineID, shot.Changed, shot.Diff = &approved.ID, nil, ""
	return a.Shots.CompareShot(ctx, shot)
}
