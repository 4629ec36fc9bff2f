package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// RecurringPosts stores recurring posts.
type RecurringPosts struct{ db *DB }

// CreateRecurringPost writes a series down, with its next post. It names the posts whose runs have
// to be signaled. A limit that stands in the way of the post skips its time, not the series.
func (s *RecurringPosts) CreateRecurringPost(ctx context.Context, r schedule.RecurringPost, now time.Time) (schedule.RecurringPost, []string, error) {
	var changedIDs []string
	r.State, r.PlannedUntil, r.Version = schedule.Active, stamp(now), 1
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := checkSound(tx, r, now); err != nil {
			return err
		}
		if err := checkRoom(tx, r); err != nil {
			return err
		}
		if err := tx.Create(&r).Error; err != nil {
			return err
		}
		var err error
		changedIDs, err = s.plan(tx, &r, now)
		return err
	})
	return r, changedIDs, err
}

// checkSound holds a series against the rules, and locks its holder's timetable: two that
// are made at once count one another.
func checkSound(tx *gorm.DB, r schedule.RecurringPost, now time.Time) error {
	table, err := lockPostingTimes(tx, holderOf(r.MemberID), now)
	if err != nil {
		return err
	}
	return r.Check(table.Gap(), now)
}

// checkRoom says whether one more series of the holder may be active.
func checkRoom(tx *gorm.DB, r schedule.RecurringPost) error {
	code, _, err := heldBack(tx, r)
	if err != nil {
		return err
	}
	if code == schedule.CodeApproval {
		return problem.New(problem.Forbidden, "While posts need a founder's approval, only founders can make series, out of their own part.")
	}
	query := tx.Where("state = ? AND id <> ?", schedule.Active, r.ID)
	if r.MemberID == nil {
		query = query.Where("member_id IS NULL")
	} else {
		query = query.Where("member_id = ?", *r.MemberID)
	}
	active, err := countOf[schedule.RecurringPost](query)
	if err == nil && active >= schedule.MaxActiveRecurring {
		err = problem.New(problem.Conflict, "There are %d active series already, which is the most. Pause or end one of them first.", active)
	}
	return err
}

// ChangeRecurringPost alters, pauses or resumes a series. The post that was written ahead is given
// up, and written anew while the series is active.
func (s *RecurringPosts) ChangeRecurringPost(ctx context.Context, id string, c schedule.RecurringChange, now time.Time) (schedule.RecurringPost, []string, error) {
	return s.changeRecurringPost(ctx, id, now, func(tx *gorm.DB, r *schedule.RecurringPost) ([]string, error) {
		if r.State == schedule.Ended {
			return nil, problem.New(problem.PostClosed, "This series has ended. Make a new one.")
		}
		if c.Version != nil && *c.Version != r.Version {
			return nil, problem.New(problem.Conflict, "Somebody else changed this series meanwhile. Look at it again, then repeat your change.")
		}
		c.Apply(r)
		r.Version++
		if c.State != nil && *c.State == schedule.Paused && r.State == schedule.Active {
			r.State, r.Code, r.Reason = schedule.Paused, schedule.CodeByHand, schedule.ReasonByHand
		}
		if c.State != nil && *c.State == schedule.Active {
			r.State, r.Code, r.Reason, r.ConsecutiveFailures = schedule.Active, "", "", 0
		}
		if err := checkChanged(tx, *r, c, now); err != nil {
			return nil, err
		}
		changedIDs, err := s.dropWritten(tx, r, now)
		if err != nil {
			return nil, err
		}
		r.PlannedUntil = stamp(now)
		written, err := s.plan(tx, r, now)
		return append(changedIDs, written...), err
	})
}

func checkChanged(tx *gorm.DB, r schedule.RecurringPost, c schedule.RecurringChange, now time.Time) error {
	if r.State == schedule.Active || c.Rewrites() {
		if err := checkSound(tx, r, now); err != nil {
			return err
		}
	}
	if r.State != schedule.Active {
		return nil
	}
	return checkRoom(tx, r)
}

// EndRecurringPost ends a series for good, and gives up the post that was written ahead. Safe to
// repeat.
func (s *RecurringPosts) EndRecurringPost(ctx context.Context, id string, now time.Time) (schedule.RecurringPost, []string, error) {
	return s.changeRecurringPost(ctx, id, now, func(tx *gorm.DB, r *schedule.RecurringPost) ([]string, error) {
		if r.State == schedule.Ended {
			return nil, nil
		}
		r.State, r.Code, r.Reason = schedule.Ended, "", ""
		r.Version++
		return s.dropWritten(tx, r, now)
	})
}

// changeRecurringPost locks a series, alters it and saves it, in one transaction. The holder's
// timetable comes before the series, the series before its posts.
func (s *RecurringPosts) changeRecurringPost(
	ctx context.Context, id string, now time.Time, alter func(*gorm.DB, *schedule.RecurringPost) (changedIDs []string, err error),
) (schedule.RecurringPost, []string, error) {
	var changedIDs []string
	var r schedule.RecurringPost
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		found, err := readOne[schedule.RecurringPost](tx.Where("id = ?", id))
		if err != nil {
			return asProblem(err, "recurring_posts")
		}
		if _, err := lockPostingTimes(tx, holderOf(found.MemberID), now); err != nil {
			return err
		}
		if r, err = lockRecurringPost(tx, id); err != nil {
			return err
		}
		if changedIDs, err = alter(tx, &r); err != nil {
			return err
		}
		return saveRecurringPost(tx, &r)
	})
	return r, changedIDs, err
}

func lockRecurringPost(tx *gorm.DB, id string) (schedule.RecurringPost, error) {
	r, err := readOne[schedule.RecurringPost](tx.Clauses(forUpdate).Where("id = ?", id))
	return r, asProblem(err, "recurring_posts")
}

func saveRecurringPost(tx *gorm.DB, r *schedule.RecurringPost) error {
	return mustChange(tx.Select("*").Updates(r))
}
