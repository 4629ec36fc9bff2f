package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// PostingTimes stores the posting times of queues.
type PostingTimes struct{ db *DB }

// PostingTimes returns the holder's posting times, or the default if none are saved. The founders'
// holder is empty.
func (s *PostingTimes) PostingTimes(ctx context.Context, holder string) (schedule.PostingTimes, error) {
	t, err := readFirst[schedule.PostingTimes](s.db.on(ctx).Where("holder = ?", holder))
	if err != nil || t == nil {
		return schedule.DefaultPostingTimes(holder), err
	}
	return *t, nil
}

// SavePostingTimes replaces the holder's posting times. A stale version is a conflict.
func (s *PostingTimes) SavePostingTimes(ctx context.Context, t schedule.PostingTimes, now time.Time) (schedule.PostingTimes, error) {
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		saved, err := lockPostingTimes(tx, t.Holder, now)
		if err != nil {
			return err
		}
		if saved.Version != t.Version {
			return problem.New(problem.Conflict, "Someone else has changed these posting times. Reload them, then repeat your change.")
		}
		t.Version, t.UpdatedAt = t.Version+1, stamp(now)
		if t.Weekly == nil { // GORM would write nil as NULL
			t.Weekly = []schedule.LocalTime{}
		}
		// GORM would leave out the empty holder of the founders' row.
		return mustChange(tx.Where("holder = ?", t.Holder).Select("*").Updates(&t))
	})
	return t, err
}

// lockPostingTimes serializes all searches for the holder's next free time.
func lockPostingTimes(tx *gorm.DB, holder string, now time.Time) (schedule.PostingTimes, error) {
	initial := schedule.DefaultPostingTimes(holder)
	initial.UpdatedAt = stamp(now)
	return ensureRow(tx, &initial, "holder = ?", holder)
}

func holderOf(memberID *string) string {
	if memberID == nil {
		return founders
	}
	return *memberID
}

// takenTimes lists the times of the holder's open posts except besides, and of published ones that were
// scheduled within the last day.
func takenTimes(tx *gorm.DB, holder, besides string, now time.Time) ([]time.Time, error) {
	theirs := func(status post.Status) *gorm.DB {
		query := tx.Model(&post.Post{}).Where("id <> ? AND status = ?", besides, status)
		if holder == founders {
			return query.Where("member_id IS NULL")
		}
		return query.Where("member_id = ?", holder)
	}
	var taken []time.Time
	// Each query uses an index, and they follow the order of a post's statuses, so that a post that changes
	// its status in between is not missed.
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

// TakenTimes lists the times of the holder's open posts, and of published ones that were scheduled
// within the last day. besides is the ID of a post to leave out; it may be empty.
func (s *PostingTimes) TakenTimes(ctx context.Context, holder, besides string, now time.Time) ([]time.Time, error) {
	return takenTimes(s.db.on(ctx), holder, besides, now)
}

// QueuePost stores a scheduled post at the next free time of its holder's posting times, with its slot
// and credit. Months that are full, or in which the share is used up, are skipped; if no time of the
// next 60 days is free, the problem is queue_empty. A draft that needs approval gets its time now, and
// its slot and credit when it is approved.
func (s *Posts) QueuePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error) {
	if p.Status != post.StatusDraft {
		p.Status = post.StatusScheduled
	}
	p.ScheduledAt = now
	fresh := opened(p, now)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		p = fresh // a retry starts over
		saved, err := lockPostingTimes(tx, holderOf(p.MemberID), now)
		if err != nil {
			return err
		}
		taken, err := takenTimes(tx, saved.Holder, p.ID, now)
		if err != nil {
			return err
		}
		if err := tx.Create(&p).Error; err != nil {
			return err
		}
		if err := reserveNextFree(tx, &p, saved, taken, now); err != nil {
			return err
		}
		if err := save(tx, &p); err != nil {
			return err
		}
		return s.notifyReviewers(tx, p, post.ReviewNone, now)
	})
	return p, asDuplicate(err)
}

// reserveNextFree reserves a slot at the next free time of a month that has one.
func reserveNextFree(tx *gorm.DB, p *post.Post, saved schedule.PostingTimes, taken []time.Time, now time.Time) error {
	after := now
	for {
		at, found := saved.Next(after, now.Add(schedule.Horizon), taken)
		if !found {
			return problem.New(problem.QueueEmpty, "There is no free posting time in the next 60 days, so the post was not queued. Add posting times, or choose a time yourself.")
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
