package store

import (
	"cmp"
	"context"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/verification"
)

// SaveShot keeps what was seen in a view, over what an earlier try left there: a comparison of
// that one, too. It changes nothing when the run has ended: a worker that was thought dead
// must not alter what was judged.
func (s *Verifications) SaveShot(ctx context.Context, shot verification.Shot) error {
	shot.TakenAt = stamp(shot.TakenAt)
	return s.whileOpen(ctx, shot.RunID, new(verification.Run), func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "run_id"}, {Name: "theme"}, {Name: "viewport"}},
			UpdateAll: true,
		}).Create(&shot).Error
	})
}

// CompareShot notes what a view was compared with, and what came of it; nothing else of the
// shot counts. It changes nothing when the run has ended. Safe to repeat.
func (s *Verifications) CompareShot(ctx context.Context, shot verification.Shot) error {
	return s.whileOpen(ctx, shot.RunID, new(verification.Run), func(tx *gorm.DB) error {
		return mustChange(tx.Model(&shot).Select("BaselineID", "Diff", "Changed").Updates(&shot))
	})
}

// Shots are the views of runs: run by run as they are named, in the order of verification.Views.
func (s *Verifications) Shots(ctx context.Context, runIDs ...string) ([]verification.Shot, error) {
	shots, err := readAll[verification.Shot](s.db.on(ctx).Where("run_id IN ?", runIDs))
	slices.SortFunc(shots, func(a, b verification.Shot) int {
		return cmp.Or(
			cmp.Compare(slices.Index(runIDs, a.RunID), slices.Index(runIDs, b.RunID)),
			compareViews(a.Theme, a.Viewport, b.Theme, b.Viewport),
		)
	})
	return shots, err
}

// compareViews orders views as verification.Views does. Those that it has no more come last.
func compareViews(theme verification.Theme, viewport string, other verification.Theme, others string) int {
	return cmp.Or(
		cmp.Compare(placeOf(theme, viewport), placeOf(other, others)),
		cmp.Compare(verification.ViewName(theme, viewport), verification.ViewName(other, others)),
	)
}

func placeOf(theme verification.Theme, viewport string) int {
	views := verification.Views()
	i := slices.IndexFunc(views, func(v verification.View) bool { return v.Theme == theme && v.Viewport.Name == viewport })
	if i < 0 {
		return len(views)
	}
	return i
}
