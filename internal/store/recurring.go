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

// CreateSeries writes a series down, with its next post. It names the posts whose runs have
// to be signaled. A limit that stands in the way of the post skips its time, not the series.
func (s *RecurringPosts) CreateSeries(ctx context.Context, r schedule.RecurringPost, now time.Time) (schedule.RecurringPost, []string, error) {
	var changedIDs []string
	r.State, r.CursorAt, r.Version = schedule.Active, stamp(now), 1
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
		changedIDs, err = s.planSeries(tx, &r, now)
		return err
	})
	return r, changedIDs, err
}

// checkSound holds a series against the rules, and locks its holder's timetable: two that
// are made at once count one another.
func checkSound(tx *gorm.DB, r schedule.RecurringPost, now time.Time) error {
	table, err := lockTimetable(tx, holderOf(r.MemberID), now)
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

// ChangeSeries alters, pauses or resumes a series. The post that was written ahead is given
// up, and written anew while the series is active.
func (s *RecurringPosts) ChangeSeries(ctx context.Context, id string, c schedule.RecurringChange, now time.Time) (schedule.RecurringPost, []string, error) {
	return s.changeSeries(ctx, id, now, func(tx *gorm.DB, r *schedule.RecurringPost) ([]string, error) {
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
			r.State, r.Code, r.Reason, r.Failures = schedule.Active, "", "", 0
		}
		if err := checkChanged(tx, *r, c, now); err != nil {
			return nil, err
		}
		changedIDs, err := s.dropWritten(tx, r, now)
		if err != nil {
			return nil, err
		}
		r.CursorAt = stamp(now)
		written, err := s.planSeries(tx, r, now)
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

// EndSeries ends a series for good, and gives up the post that was written ahead. Safe to
// repeat.
func (s *RecurringPosts) EndSeries(ctx context.Context, id string, now time.Time) (schedule.RecurringPost, []string, error) {
	return s.changeSeries(ctx, id, now, func(tx *gorm.DB, r *schedule.RecurringPost) ([]string, error) {
		if r.State == schedule.Ended {
			return nil, nil
		}
		r.State, r.Code, r.Reason = schedule.Ended, "", ""
		r.Version++
		return s.dropWritten(tx, r, now)
	})
}

// changeSeries locks a series, alters it and saves it, in one transaction. The holder's
// timetable comes before the series, the series before its posts.
func (s *RecurringPosts) changeSeries(
	ctx context.Context, id string, now time.Time, alter func(*gorm.DB, *schedule.RecurringPost) (changedIDs []string, err error),
) (schedule.RecurringPost, []string, error) {
	var changedIDs []string
	var r schedule.RecurringPost
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		found, err := readOne[schedule.RecurringPost](tx.Where("id = ?", id))
		if err != nil {
			return asProblem(err, "series")
		}
		if _, err := lockTimetable(tx, holderOf(found.MemberID), now); err != nil {
			return err
		}
		if r, err = lockSeries(tx, id); err != nil {
			return err
		}
		if changedIDs, err = alter(tx, &r); err != nil {
			return err
		}
		return saveSeries(tx, &r)
	})
	return r, changedIDs, err
}

func lockSeries(tx *gorm.DB, id string) (schedule.RecurringPost, error) {
	r, err := readOne[schedule.RecurringPost](tx.Clauses(forUpdate).Where("id = ?", id))
	return r, asProblem(err, "series")
}

func saveSeries(tx *gorm.DB, r *schedule.RecurringPost) error {
	return mustChange(tx.Select("*").Updates(r))
}
