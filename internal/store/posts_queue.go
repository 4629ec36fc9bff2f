package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// QueuePost writes a scheduled post down at the next free time of its holder's timetable,
// with its slot and credit. Months that are full, or in which the share is used, are passed
// over; when no time of the next 60 days is free, the problem is queue_empty. A draft that
// waits for approval gets its time, and its slot and credit when it is approved.
func (s *Posts) QueuePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error) {
	key := post.TextKey(p.Text)
	p.OpenKey, p.Version, p.CreatedAt = &key, 1, stamp(now)
	if p.Status != post.StatusDraft {
		p.Status = post.StatusScheduled
	}
	asked := p
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
		p.ScheduledAt = stamp(now)
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
			return problem.New(problem.QueueEmpty, "There is no free time in the next 60 days. Add times to your timetable, or choose one yourself.")
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
