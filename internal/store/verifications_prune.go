package store

import (
	"context"

	"gorm.io/gorm"

	"customerzero/internal/domain/verification"
)

const forgetAtOnce = 500 // as many as a statement can well name

// PruneVerifications deletes ended runs beyond the newest keep, with their screenshots. The latest
// scheduled runs stay, because the site's status is computed from them. Locked runs are left to the next
// call.
func (s *Verifications) PruneVerifications(ctx context.Context, keep int) (removed int, err error) {
	for {
		n, err := s.forgetSome(ctx, keep)
		removed += n
		if err != nil || n < forgetAtOnce {
			return removed, err
		}
	}
}

func (s *Verifications) forgetSome(ctx context.Context, keep int) (removed int, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		kept := tx.Model(&verification.Run{}).Select("id").Where("ended_at IS NOT NULL").Order(lastEnded).Limit(keep)
		telling := tx.Model(&verification.Run{}).Select("id").
			Where("ended_at IS NOT NULL AND requested_by = ?", verification.Schedule).Order(lastEnded).Limit(verification.Telling)
		old, err := readAll[verification.Run](tx.Select("id").Clauses(skipLocked).
			Where("ended_at IS NOT NULL AND id NOT IN (?) AND id NOT IN (?)", kept, telling).Limit(forgetAtOnce))
		if err != nil || len(old) == 0 {
			return err
		}
		ids := make([]string, len(old))
		for i, r := range old {
			ids[i] = r.ID
		}
		if err := tx.Where("run_id IN ?", ids).Delete(&verification.Shot{}).Error; err != nil {
			return err
		}
		removed = len(ids)
		return tx.Where("id IN ?", ids).Delete(&verification.Run{}).Error
	})
	return removed, err
}

// It is one statement, so that a picture is not missed on its way from one table to another.
const imagesInUse = `SELECT image_hash FROM verification_screenshots
UNION SELECT diff_hash FROM verification_screenshots
UNION SELECT image_hash FROM verification_baselines
UNION SELECT image_hash FROM chaos_screenshots WHERE chaos_run_id IN
  (SELECT id FROM chaos_runs ORDER BY requested_at DESC, id DESC LIMIT ?)`

// ImagesInUse are all that rows still name: of runs, of approved looks, and of the newest
// so many chaos runs.
func (s *Verifications) ImagesInUse(ctx context.Context, chaosRuns int) (map[string]bool, error) {
	var keys []string
	if err := s.db.on(ctx).Raw(imagesInUse, chaosRuns).Scan(&keys).Error; err != nil {
		return nil, err
	}
	used := make(map[string]bool, len(keys))
	for _, key := range keys {
		if key != "" {
			used[key] = true
		}
	}
	return used, nil
}
