package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// PostingTimes stores the times at which queues post.
type PostingTimes struct{ db *DB }

// PostingTimes finds the holder's timetable, or the usual one when none was saved. The
// founders' holder is empty.
func (s *PostingTimes) PostingTimes(ctx context.Context, holder string) (schedule.PostingTimes, error) {
	t, err := readOne[schedule.PostingTimes](s.db.on(ctx).Where("holder = ?", holder))
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return schedule.DefaultPostingTimes(holder), nil
	}
	return t, err
}

// SavePostingTimes replaces the holder's timetable. Its version is the one that was seen; a
// stale one is a conflict.
func (s *PostingTimes) SavePostingTimes(ctx context.Context, t schedule.PostingTimes, now time.Time) (schedule.PostingTimes, error) {
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		saved, err := lockPostingTimes(tx, t.Holder, now)
		if err != nil {
			return err
		}
		if saved.Version != t.Version {
			return problem.New(problem.Conflict, "Somebody else changed this timetable meanwhile. Look at it again, then repeat your change.")
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
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&usual).Error; err != nil {
		return usual, err
	}
	return readOne[schedule.PostingTimes](tx.Clauses(forUpdate).Where("holder = ?", holder))
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
		theirs(post.StatusDraft).Where("review IN ?", []post.Review{post.ReviewAsked, post.ReviewSuggested}),
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
