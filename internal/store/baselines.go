package store

import (
	"context"
	"slices"

	"gorm.io/gorm"

	"customerzero/internal/domain/verification"
)

// ApproveBaselines makes these the looks that count, all or none. What they replace stays as it was.
// Of two founders at once the later one wins. The runs that they were seen in must be there
// still: with them, their pictures are.
func (s *Verifications) ApproveBaselines(ctx context.Context, approved []verification.Baseline) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := holdRuns(tx, approved); err != nil {
			return err
		}
		if s.db.dialect == "postgres" { // there may be no row yet that one could wait for; SQLite has one writer
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

// holdRuns keeps the runs of looks from being forgotten, always in the same order.
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

// Baselines lists approved looks, newest first, with their total; of one page, where path is
// not empty.
func (s *Verifications) Baselines(ctx context.Context, path string, limit, offset int) ([]verification.Baseline, int, error) {
	query := func() *gorm.DB { return s.db.on(ctx).Where(&verification.Baseline{Path: path}) }
	total, err := countOf[verification.Baseline](query())
	if err != nil {
		return nil, 0, err
	}
	looks, err := readAll[verification.Baseline](query().Order("approved_at DESC, id DESC").Limit(limit).Offset(offset))
	return looks, total, err
}

// BaselinesNamed finds approved looks by their IDs. Those that are not there are left out.
func (s *Verifications) BaselinesNamed(ctx context.Context, ids []string) ([]verification.Baseline, error) {
	return readAll[verification.Baseline](s.db.on(ctx).Where("id IN ?", ids).Order("id"))
}

// CurrentBaselines are the looks of a page that count, in the order of verification.Views.
func (s *Verifications) CurrentBaselines(ctx context.Context, path string) ([]verification.Baseline, error) {
	looks, err := readAll[verification.Baseline](s.db.on(ctx).Where("path = ? AND current_key IS NOT NULL", path))
	slices.SortFunc(looks, func(a, b verification.Baseline) int {
		return compareViews(a.Theme, a.Viewport, b.Theme, b.Viewport)
	})
	return looks, err
}

// Browser is whether the browser works, as last seen.
func (s *Verifications) Browser(ctx context.Context) (verification.BrowserState, error) {
	return readOne[verification.BrowserState](s.db.on(ctx).Where("id = ?", verification.TheBrowser))
}

// NoteBrowser keeps how the browser was seen. A version that is known is not forgotten for one
// that is not.
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
