package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// PostingTimes stores the times at which queues post.
type PostingTimes struct{ db *DB }

// PostingTimes finds the holder's posting times, or the usual one when none was saved. The
// founders' holder is empty.
func (s *PostingTimes) PostingTimes(ctx context.Context, holder string) (schedule.PostingTimes, error) {
	t, err := readFirst[schedule.PostingTimes](s.db.on(ctx).Where("holder = ?", holder))
	if err != nil || t == nil {
		return schedule.DefaultPostingTimes(holder), err
	}
	return *t, nil
}

// SavePostingTimes replaces the holder's posting times. Its version is the one that was seen; a
// stale one is a conflict.
func (s *PostingTimes) SavePostingTimes(ctx context.Context, t schedule.PostingTimes, now time.Time) (schedule.PostingTimes, error) {
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		saved, err := lockPostingTimes(tx, t.Holder, now)
		if err != nil {
			return err
		}
		if saved.Version != t.Version {
			return problem.New(problem.Conflict, "Somebody else changed these posting times meanwhile. Look at it again, then repeat your change.")
		}
		t.Version, t.UpdatedAt = t.Version+1, stamp(now)
		if t.Weekly == nil { // no times at all are a list, too
			t.Weekly = []schedule.LocalTime{}
		}
		// The founders' key is empty, which GORM would leave out.
		return mustChange(tx.Where("holder = ?", t.Holder).Select("*").Updates(&t))
	})
	return t, err
}

// lockPostingTimes serializes all searches for the holder's next free time.
func lockPostingTimes(tx *gorm.DB, holder string, now time.Time) (schedule.PostingTimes, error) {
	usual := schedule.DefaultPostingTimes(holder)
	usual.UpdatedAt = stamp(now)
	return ensureRow(tx, &usual, "holder = ?", holder)
}

func holderOf(memberID *string) string {
	if memberID == nil {
		return founders
	}
	return *memberID
}

// takenTimes lists when the holder's open posts but one go out, and when those of the last day
// went.
func takenTimes(tx *gorm.DB, holder, besides string, now time.Time) ([]time.Time, error) {
	theirs := func(status post.Status) *gorm.DB {
		query := tx.Model(&post.Post{}).Where("id <> ? AND status = ?", besides, status)
		if holder == founders {
			return query.Where("member_id IS NULL")
		}
		return query.Where("member_id = ?", holder)
	}
	var taken []time.Time
	// One after the other, each by the index of what is the holder's, and in the order in which a
	// post goes through them: none is passed over that goes on meanwhile.
	for _, some := range []*gorm.DB{
		theirs(post.StatusDraft).Where("review IN ?", []post.Review{post.ReviewRequested, post.ReviewSuggested}),
		theirs(post.StatusScheduled),
		theirs(post.StatusArmed),
		theirs(post.StatusPublished).Where("scheduled_at > ?", stamp(now).AddDate(0, 0, -1)),
	} {
		var times []time.Time
		if err := some.Pluck("scheduled_at", &times).Error; err != nil {
			return nil, err
		}
		taken = append(taken, times...)
	}
	return taken, nil
}

// TakenTimes lists when the holder's open posts go out, and when those of the last day went.
// besides names one that does not count; it may be empty.
func (s *PostingTimes) TakenTimes(ctx context.Context, holder, besides string, now time.Time) ([]time.Time, error) {
	return takenTimes(s.db.on(ctx), holder, besides, now)
}

// QueuePost writes a scheduled post down at the next free time of its holder's posting times,
// with its slot and credit. Months that are full, or in which the share is used, are passed
// over; when no time of the next 60 days is free, the problem is queue_empty. A draft that
// waits for approval gets its time, and its slot and credit when it is approved.
func (s *Posts) QueuePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error) {
	if p.Status != post.StatusDraft {
		p.Status = post.StatusScheduled
	}
	p.ScheduledAt = now
	asked := opened(p, now)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		p = asked // which counts its slots from none, also when it is begun anew
		table, err := lockPostingTimes(tx, holderOf(p.MemberID), now)
		if err != nil {
			return err
		}
		taken, err := takenTimes(tx, table.Holder, p.ID, now)
		if err != nil {
			return err
		}
		if err := tx.Create(&p).Error; err != nil {
			return err
		}
		if err := reserveNextFree(tx, &p, table, taken, now); err != nil {
			return err
		}
		if err := save(tx, &p); err != nil {
			return err
		}
		return s.notifyReviewers(tx, p, post.ReviewNone, now)
	})
	return p, asDuplicate(err)
}

// reserveNextFree takes a place at the next free time of a month that has one.
func reserveNextFree(tx *gorm.DB, p *post.Post, table schedule.PostingTimes, taken []time.Time, now time.Time) error {
	after := now
	for {
		at, found := table.Next(after, now.Add(schedule.Horizon), taken)
		if !found {
			return problem.New(problem.QueueEmpty, "There is no free time in the next 60 days. Add posting times, or choose one yourself.")
		}
		p.ScheduledAt = stamp(at)
		if p.Status == post.StatusDraft {
			return nil
		}
		err := reserveSlot(tx, p, now)
		if code := problem.CodeOf(err); code != problem.QuotaExhausted && code != problem.ShareExhausted {
			return err
		}
		after = post.MonthOf(at).ResetsAt().Add(-1)
	}
}
