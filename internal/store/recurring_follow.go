package store

import (
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
)

var onceOnly = clause.OnConflict{DoNothing: true}

// lockRecurringPostOf locks the series of a post. It comes before the post's own lock: a failure
// changes both.
func lockRecurringPostOf(tx *gorm.DB, postID string) error {
	found, err := readOne[post.Post](tx.Select("recurring_post_id").Where("id = ?", postID))
	if errors.Is(err, gorm.ErrRecordNotFound) || (err == nil && found.RecurringPostID == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = lockRecurringPost(tx, *found.RecurringPostID)
	return err
}

// followPost lets a series know what became of one of its posts. Both are locked.
func (s *RecurringPosts) followPost(tx *gorm.DB, p post.Post, stood post.Status, now time.Time) error {
	if p.RecurringPostID == nil || p.Status == stood {
		return nil
	}
	turn := tx.Model(&schedule.ScheduledTime{}).Where("post_id = ?", p.ID)
	switch {
	case p.Status == post.StatusCancelled:
		return turn.Where("state = ?", schedule.Written).Updates(map[string]any{
			"state": schedule.Skipped, "code": schedule.CodeCancelled, "reason": schedule.ReasonCancelled,
		}).Error
	case stood == post.StatusCancelled: // somebody undid it
		return turn.Updates(map[string]any{"state": schedule.Written, "code": "", "reason": ""}).Error
	case p.Status == post.StatusPublished:
		return tx.Model(&schedule.RecurringPost{}).Where("id = ?", *p.RecurringPostID).Update("consecutive_failures", 0).Error
	case p.Status == post.StatusFailed && p.Reservations == 1: // a retry that fails is the same post
		return s.countFailure(tx, *p.RecurringPostID, now)
	}
	return nil
}

// countFailure pauses a series whose posts fail one after the other.
func (s *RecurringPosts) countFailure(tx *gorm.DB, seriesID string, now time.Time) error {
	r, err := lockRecurringPost(tx, seriesID)
	if err != nil {
		return err
	}
	r.ConsecutiveFailures++
	if r.ConsecutiveFailures < schedule.MaxFailures || r.State != schedule.Active {
		return saveRecurringPost(tx, &r)
	}
	_, err = s.pause(tx, &r, schedule.CodeFailedTwice, schedule.ReasonFailedTwice, now)
	return err
}

// pause stops a series that may not go on by itself, gives up what it had written
// ahead, and writes to whom it belongs.
func (s *RecurringPosts) pause(tx *gorm.DB, r *schedule.RecurringPost, code, reason string, now time.Time) (changedIDs []string, err error) {
	r.State, r.Code, r.Reason = schedule.Paused, code, reason
	if changedIDs, err = s.dropWritten(tx, r, now); err != nil {
		return nil, err
	}
	if err := saveRecurringPost(tx, r); err != nil {
		return nil, err
	}
	return changedIDs, s.notifyPaused(tx, *r, now)
}

// dropWritten gives up the posts of a series that wait. A time that has yet to come can be
// written again.
func (s *RecurringPosts) dropWritten(tx *gorm.DB, r *schedule.RecurringPost, now time.Time) (changedIDs []string, err error) {
	waiting, err := waitingPostsOf(tx, r.ID)
	if err != nil {
		return nil, err
	}
	for _, turn := range waiting {
		if err := s.skipWritten(tx, turn, schedule.CodeChanged, schedule.ReasonChanged, now); err != nil {
			return nil, err
		}
		forgotten := tx.Where("post_id = ? AND at > ?", turn.ID, stamp(now)).Delete(&schedule.ScheduledTime{})
		if forgotten.Error != nil {
			return nil, forgotten.Error
		}
		r.PostsCreated -= int(forgotten.RowsAffected)
		changedIDs = append(changedIDs, turn.ID)
	}
	return changedIDs, nil
}

// waitingPostsOf lists the posts of a series that have yet to go out.
func waitingPostsOf(tx *gorm.DB, seriesID string) ([]post.Post, error) {
	return readAll[post.Post](tx.Where("recurring_post_id = ? AND status = ?", seriesID, post.StatusScheduled).Order("scheduled_at, id"))
}

// skipWritten gives a waiting post up, and notes why its time is skipped.
func (s *RecurringPosts) skipWritten(tx *gorm.DB, waiting post.Post, code, reason string, now time.Time) error {
	var p post.Post
	return s.db.Posts.changePost(tx, waiting.ID, &p, func(tx *gorm.DB, p *post.Post) error {
		if p.Status != post.StatusScheduled {
			return nil
		}
		return skipScheduledTime(tx, p, code, reason, now)
	})
}

// skipScheduledTime gives up a post that is locked, and what it holds.
func skipScheduledTime(tx *gorm.DB, p *post.Post, code, reason string, now time.Time) error {
	err := tx.Model(&schedule.ScheduledTime{}).Where("post_id = ?", p.ID).
		Updates(map[string]any{"state": schedule.Skipped, "code": code, "reason": reason}).Error
	if err != nil {
		return err
	}
	p.Status, p.OpenKey, p.WaitingUntil, p.Code, p.Reason = post.StatusCancelled, nil, nil, code, reason
	p.Version++
	return releaseSlot(tx, *p, now)
}

// skipOvertaken gives up a post that is about to be sent although a later time of its series
// has passed: after an outage only the latest goes out, in whichever order they wake up.
func skipOvertaken(tx *gorm.DB, p *post.Post, now time.Time) (bool, error) {
	if p.RecurringPostID == nil {
		return false, nil
	}
	r, err := readOne[schedule.RecurringPost](tx.Where("id = ?", *p.RecurringPostID))
	if err != nil {
		return false, err
	}
	calendar, err := r.Calendar()
	if err != nil || !overtaken(r, calendar, p.ScheduledAt, now) {
		return false, err
	}
	return true, skipScheduledTime(tx, p, schedule.CodeMissed, schedule.ReasonMissed, now)
}

// notifyPaused writes to the member whose series it is, or to the founders.
func (s *RecurringPosts) notifyPaused(tx *gorm.DB, r schedule.RecurringPost, at time.Time) error {
	var owners []account.Account
	var err error
	if r.MemberID != nil {
		owners, err = s.db.Emails.ofMember(tx, *r.MemberID)
	} else {
		owners, err = s.db.Emails.founders(tx)
	}
	if err != nil {
		return err
	}
	return s.db.Emails.notify(tx, owners, email.SeriesPaused, "series:"+r.ID+":"+stamp(at).Format(time.RFC3339Nano),
		map[string]string{"Excerpt": excerpt(r.Texts[0]), "Reason": r.Reason}, at)
}
