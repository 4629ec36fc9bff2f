package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

// Verifications stores check runs of pages, with their screenshots and baselines.
type Verifications struct{ db *DB }

// RequestVerification stores a run if one may begin now, within the caller's limits. A refusal uses nothing up.
// Safe to repeat.
func (s *Verifications) RequestVerification(ctx context.Context, r verification.Run, asker account.Asker) error {
	r.Stage, r.Checks, r.RequestedAt = verification.Requested, []verification.Check{}, stamp(r.RequestedAt)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		// The row is inserted first, so that concurrent requests with the same key wait for each other here.
		written := tx.Clauses(onceOnly).Create(&r)
		if written.Error != nil {
			return written.Error
		}
		if written.RowsAffected == 0 {
			return refuseUnlessKnown(tx, r.ID)
		}
		if r.RequestedBy == verification.Schedule {
			return nil
		}
		return consumeShared(tx, verification.Limits, everything, asker, r.RequestedAt)
	})
}

// refuseUnlessKnown refuses a run that was not inserted, unless the same run was already stored.
func refuseUnlessKnown(tx *gorm.DB, id string) error {
	n, err := countOf[verification.Run](tx.Where("id = ?", id))
	if err == nil && n == 0 {
		err = problem.New(problem.VerificationRunning, "You already have a verification running. Wait until it has ended, then start another.")
	}
	return err
}

// BeginVerification stores the workflow run, unless the verification has ended. Safe to repeat.
func (s *Verifications) BeginVerification(ctx context.Context, id, workflowID, runID string) (verification.Run, error) {
	return s.changeVerification(ctx, id, func(_ *gorm.DB, r *verification.Run) error {
		r.WorkflowID, r.RunID = workflowID, runID
		if r.Stage == verification.Requested {
			r.Stage = verification.Capturing
		}
		return nil
	})
}

var stages = []verification.Stage{verification.Requested, verification.Capturing, verification.Comparing, verification.Reviewing}

// MoveVerification stores the stage of a run. It never moves back, and not once the run has ended. Safe
// to repeat.
func (s *Verifications) MoveVerification(ctx context.Context, id string, stage verification.Stage) error {
	_, err := s.changeVerification(ctx, id, func(_ *gorm.DB, r *verification.Run) error {
		passed := stages[:slices.Index(stages, r.Stage)]
		if !slices.Contains(passed, stage) {
			r.Stage = stage
		}
		return nil
	})
	return err
}

// CommentVerification stores the AI review and the model call, if there was one. The first is kept, and
// a run that has ended gets none. Safe to repeat.
func (s *Verifications) CommentVerification(ctx context.Context, id string, c verification.Comment, callID *string) error {
	_, err := s.changeVerification(ctx, id, func(_ *gorm.DB, r *verification.Run) error {
		if r.Comment == nil {
			r.Comment, r.CallID = &c, callID
		}
		return nil
	})
	return err
}

// EndVerification ends a run; the first end is kept. front counts it in the day's status.
func (s *Verifications) EndVerification(ctx context.Context, id string, o verification.Outcome, front bool, at time.Time) (verification.Run, error) {
	return s.changeVerification(ctx, id, func(tx *gorm.DB, r *verification.Run) error {
		at := stamp(at)
		r.Stage, r.OpenKey, r.EndedAt = verification.Ended, nil, &at
		r.ChecksVerdict, r.Verdict, r.Reason, r.Code = o.ChecksVerdict, o.Verdict, o.Reason, o.Code
		r.Checks = append([]verification.Check{}, o.Checks...)
		r.Passed, r.Failed, _ = verification.Count(o.Checks)
		if !front {
			return nil
		}
		return countDay(tx, *r)
	})
}

const addToDay = `INSERT INTO verification_days (day, active, warning, broken) VALUES (?, ?, ?, ?)
ON CONFLICT (day) DO UPDATE SET
  active  = verification_days.active + excluded.active,
  warning = verification_days.warning + excluded.warning,
  broken  = verification_days.broken + excluded.broken`

func countDay(tx *gorm.DB, r verification.Run) error {
	one := map[verification.Verdict]int{r.ForEverybody(): 1}
	return tx.Exec(addToDay, r.EndedAt.Format(time.DateOnly),
		one[verification.Active], one[verification.Warning], one[verification.Broken]).Error
}

// changeVerification locks a run, changes and saves it, in one transaction. A run that has ended is
// returned unchanged.
func (s *Verifications) changeVerification(ctx context.Context, id string, alter func(*gorm.DB, *verification.Run) error) (verification.Run, error) {
	return changeRow(ctx, s.db, "verification", id, func(tx *gorm.DB, r *verification.Run) error {
		if r.Stage == verification.Ended {
			return nil
		}
		return alter(tx, r)
	})
}

const lastEnded = "ended_at DESC, id DESC"

// Verification returns a run.
func (s *Verifications) Verification(ctx context.Context, id string) (verification.Run, error) {
	return byID[verification.Run](s.db.on(ctx), "verification", id)
}

// Verifications lists runs, newest first, with their total.
func (s *Verifications) Verifications(ctx context.Context, limit, offset int) ([]verification.Run, int, error) {
	return readPage[verification.Run](s.db.on(ctx), "requested_at DESC, id DESC", limit, offset)
}

// OpenVerification returns the open run with this key, or nil.
func (s *Verifications) OpenVerification(ctx context.Context, openKey string) (*verification.Run, error) {
	return readFirst[verification.Run](s.db.on(ctx).Where("open_key = ?", openKey))
}

// OpenVerifications lists the runs that have not ended, oldest first.
func (s *Verifications) OpenVerifications(ctx context.Context) ([]verification.Run, error) {
	return readAll[verification.Run](s.db.on(ctx).Where("ended_at IS NULL").Order("requested_at, id"))
}

// LastVerifications lists the ended runs of a URL, the last to end first.
func (s *Verifications) LastVerifications(ctx context.Context, url string, limit int) ([]verification.Run, error) {
	return readAll[verification.Run](s.db.on(ctx).
		Where("url = ? AND ended_at IS NOT NULL", url).Order(lastEnded).Limit(limit))
}

// VerificationDays lists the days since from that have runs, oldest first.
func (s *Verifications) VerificationDays(ctx context.Context, from string) ([]verification.Day, error) {
	return readAll[verification.Day](s.db.on(ctx).Where("day >= ?", from).Order("day"))
}

const pruneBatchSize = 500 // IDs per statement

// PruneVerifications deletes ended runs beyond the newest keep, with their screenshots. The latest
// scheduled runs stay, because the site's status is computed from them. Locked runs are left to the next
// call.
func (s *Verifications) PruneVerifications(ctx context.Context, keep int) (removed int, err error) {
	for {
		n, err := s.pruneBatch(ctx, keep)
		removed += n
		if err != nil || n < pruneBatchSize {
			return removed, err
		}
	}
}

func (s *Verifications) pruneBatch(ctx context.Context, keep int) (removed int, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		kept := tx.Model(&verification.Run{}).Select("id").Where("ended_at IS NOT NULL").Order(lastEnded).Limit(keep)
		forStatus := tx.Model(&verification.Run{}).Select("id").
			Where("ended_at IS NOT NULL AND requested_by = ?", verification.Schedule).Order(lastEnded).Limit(verification.StatusRuns)
		var ids []string
		err := tx.Model(&verification.Run{}).Clauses(skipLocked).
			Where("ended_at IS NOT NULL AND id NOT IN (?) AND id NOT IN (?)", kept, forStatus).Limit(pruneBatchSize).Pluck("id", &ids).Error
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := tx.Where("run_id IN ?", ids).Delete(&verification.Shot{}).Error; err != nil {
			return err
		}
		removed = len(ids)
		return tx.Where("id IN ?", ids).Delete(&verification.Run{}).Error
	})
	return removed, err
}

// imagesInUse is one statement, so that it cannot miss an image while another transaction copies it between tables.
const imagesInUse = `SELECT image_hash FROM verification_screenshots
UNION SELECT diff_hash FROM verification_screenshots
UNION SELECT image_hash FROM verification_baselines
UNION SELECT image_hash FROM chaos_screenshots WHERE chaos_run_id IN
  (SELECT id FROM chaos_runs ORDER BY requested_at DESC, id DESC LIMIT ?)`

// ImagesInUse returns the images that rows refer to: of runs, of baselines, and of the newest chaosRuns
// chaos runs.
func (s *Verifications) ImagesInUse(ctx context.Context, chaosRuns int) (map[string]bool, error) {
	return usedImages(s.db.on(ctx), chaosRuns)
}

func usedImages(tx *gorm.DB, chaosRuns int) (map[string]bool, error) {
	var keys []string
	err := tx.Raw(imagesInUse, chaosRuns).Scan(&keys).Error
	used := make(map[string]bool, len(keys))
	for _, key := range keys {
		if key != "" {
			used[key] = true
		}
	}
	return used, err
}
