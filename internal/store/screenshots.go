package store

import (
	"cmp"
	"context"
	"slices"

	"gorm.io/gorm"

	"customerzero/internal/domain/verification"
)

// SaveScreenshot stores the screenshot of a viewport, replacing an earlier attempt's with its
// comparison. It changes nothing once the run has ended, so that a late worker cannot change what was
// judged.
func (s *Verifications) SaveScreenshot(ctx context.Context, shot verification.Shot) error {
	shot.TakenAt = stamp(shot.TakenAt)
	_, err := s.changeVerification(ctx, shot.RunID, func(tx *gorm.DB, _ *verification.Run) error {
		return tx.Clauses(upsert("run_id, theme, viewport")).Create(&shot).Error
	})
	return err
}

// SaveComparison stores a screenshot's comparison with its baseline, and no other field. It changes
// nothing once the run has ended. Safe to repeat.
func (s *Verifications) SaveComparison(ctx context.Context, shot verification.Shot) error {
	_, err := s.changeVerification(ctx, shot.RunID, func(tx *gorm.DB, _ *verification.Run) error {
		return mustChange(tx.Model(&shot).Select("BaselineID", "DiffHash", "ChangedShare").Updates(&shot))
	})
	return err
}

// Screenshots returns the screenshots of runs: runs as they are named, each in the order of
// verification.Views.
func (s *Verifications) Screenshots(ctx context.Context, runIDs ...string) ([]verification.Shot, error) {
	shots, err := readAll[verification.Shot](s.db.on(ctx).Where("run_id IN ?", runIDs))
	slices.SortFunc(shots, func(a, b verification.Shot) int {
		return cmp.Or(
			cmp.Compare(slices.Index(runIDs, a.RunID), slices.Index(runIDs, b.RunID)),
			compareViews(a.Theme, a.Viewport, b.Theme, b.Viewport),
		)
	})
	return shots, err
}

// compareViews orders viewports as verification.Views does. Unknown ones come last.
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

// SaveChaosScreenshot stores a screenshot of the chaos target. The first of a moment is kept.
func (s *Verifications) SaveChaosScreenshot(ctx context.Context, shot verification.TargetScreenshot) error {
	shot.TakenAt = stamp(shot.TakenAt)
	return s.db.insert(ctx, &shot, onceOnly)
}

var moments = []verification.Moment{verification.Before, verification.During, verification.Healed}

// ChaosScreenshots returns the screenshots of a chaos run, in the order of their moments.
func (s *Verifications) ChaosScreenshots(ctx context.Context, chaosID string) ([]verification.TargetScreenshot, error) {
	shots, err := readAll[verification.TargetScreenshot](s.db.on(ctx).Where("chaos_run_id = ?", chaosID))
	slices.SortFunc(shots, func(a, b verification.TargetScreenshot) int {
		return cmp.Compare(slices.Index(moments, a.Moment), slices.Index(moments, b.Moment))
	})
	return shots, err
}

const agreements = `SELECT reviewed_by AS "by",
  count(*) FILTER (WHERE stable AND opinion <> 'unclear') AS compared,
  count(*) FILTER (WHERE stable AND opinion = CASE failing WHEN 0 THEN 'healthy' ELSE 'broken' END) AS agreed,
  count(*) FILTER (WHERE stable AND opinion <> 'unclear' AND failing = 0) AS healthy,
  count(*) FILTER (WHERE stable AND opinion = 'broken' AND failing = 0) AS false_alarms,
  count(*) FILTER (WHERE stable AND opinion = 'healthy' AND failing <> 0) AS overlooked,
  count(*) FILTER (WHERE opinion = 'unclear') AS unclear
FROM chaos_screenshots WHERE image_hash <> '' GROUP BY reviewed_by ORDER BY reviewed_by`

// Agreements counts how often AI reviews were right, by reviewer. Without a screenshot there was nothing
// to review.
func (s *Verifications) Agreements(ctx context.Context) (found []verification.Agreement, err error) {
	err = s.db.on(ctx).Raw(agreements).Scan(&found).Error
	return found, err
}

// ApproveBaselines makes these the current baselines, all or none; replaced ones are kept. Of two
// concurrent approvals the later one wins. The runs that they come from must still exist, because their
// screenshots are deleted with them.
func (s *Verifications) ApproveBaselines(ctx context.Context, approved []verification.Baseline) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := holdRuns(tx, approved); err != nil {
			return err
		}
		if s.db.gorm.Name() == "postgres" { // there may be no row to lock yet; SQLite has one writer
			if err := tx.Exec("LOCK TABLE verification_baselines IN SHARE ROW EXCLUSIVE MODE").Error; err != nil {
				return err
			}
		}
		for _, b := range approved {
			if err := replaceBaseline(tx, b); err != nil {
				return err
			}
		}
		return nil
	})
}

// holdRuns locks the baselines' runs against deletion, always in the same order.
func holdRuns(tx *gorm.DB, approved []verification.Baseline) error {
	var ids []string
	for _, b := range approved {
		ids = append(ids, b.RunID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	runs, err := readAll[verification.Run](tx.Clauses(forUpdate).Where("id IN ?", ids).Order("id"))
	if err == nil && len(runs) < len(ids) {
		err = asProblem(gorm.ErrRecordNotFound, "verification")
	}
	return err
}

func replaceBaseline(tx *gorm.DB, b verification.Baseline) error {
	key := verification.BaselineKey(b.Path, b.Theme, b.Viewport)
	replaced := tx.Model(&verification.Baseline{}).Where("current_key = ?", key).Update("current_key", nil)
	if replaced.Error != nil {
		return replaced.Error
	}
	b.CurrentKey, b.Masks, b.ApprovedAt = &key, append([]verification.Rect{}, b.Masks...), stamp(b.ApprovedAt)
	return tx.Create(&b).Error
}

// Baselines lists baselines, newest first, with their total; unless path is empty, only those of this
// page.
func (s *Verifications) Baselines(ctx context.Context, path string, limit, offset int) ([]verification.Baseline, int, error) {
	return readPage[verification.Baseline](s.db.on(ctx).Where(&verification.Baseline{Path: path}), "approved_at DESC, id DESC", limit, offset)
}

// BaselinesNamed returns the baselines with these IDs. Missing ones are left out.
func (s *Verifications) BaselinesNamed(ctx context.Context, ids []string) ([]verification.Baseline, error) {
	return readAll[verification.Baseline](s.db.on(ctx).Where("id IN ?", ids).Order("id"))
}

// CurrentBaselines returns the current baselines of a page, in the order of verification.Views.
func (s *Verifications) CurrentBaselines(ctx context.Context, path string) ([]verification.Baseline, error) {
	baselines, err := readAll[verification.Baseline](s.db.on(ctx).Where("path = ? AND current_key IS NOT NULL", path))
	slices.SortFunc(baselines, func(a, b verification.Baseline) int {
		return compareViews(a.Theme, a.Viewport, b.Theme, b.Viewport)
	})
	return baselines, err
}

// Browser returns the browser's last known state.
func (s *Verifications) Browser(ctx context.Context) (verification.BrowserState, error) {
	return readOne[verification.BrowserState](s.db.on(ctx).Where("id = ?", verification.TheBrowser))
}

// NoteBrowser stores the browser's state. An unknown version does not replace a known one.
func (s *Verifications) NoteBrowser(ctx context.Context, b verification.BrowserState) error {
	b.ID = verification.TheBrowser
	if b.SeenAt != nil {
		at := stamp(*b.SeenAt)
		b.SeenAt = &at
	}
	columns := []string{"Ready", "Message", "SeenAt"}
	if b.Version != "" {
		columns = append(columns, "Version")
	}
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Select(columns).Updates(&b))
	})
}
