package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// ArmPost records that attempt n is about to begin, with a slot of the current month. It arms only a
// scheduled post whose next attempt is n, and only if connectionID is still the current connection;
// otherwise it returns the post unchanged. If the month is full, the post fails. While posting is paused
// the post waits, and no attempt is counted.
func (s *Posts) ArmPost(ctx context.Context, id string, n int, connectionID string, now time.Time) (post.Post, error) {
	var p post.Post
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		same, controls, err := s.db.Bot.connectedWith(tx, connectionID) // before the post's own lock, as Connect does
		if err != nil {
			return err
		}
		return s.changePost(tx, id, &p, func(tx *gorm.DB, p *post.Post) error {
			if p.Status != post.StatusScheduled || p.Attempt+1 != n {
				return nil
			}
			if controls.Paused() {
				delay(p, post.CodePaused, post.PausedReason(controls.PauseReason), now.Add(post.PausedWait))
				return nil
			}
			if !same {
				return nil
			}
			if passed, err := skipOvertaken(tx, p, now); passed || err != nil {
				return err
			}
			return arm(tx, p, stamp(now))
		})
	})
	return p, asDuplicate(err)
}

func arm(tx *gorm.DB, p *post.Post, now time.Time) error {
	err := moveSlot(tx, *p, post.MonthOf(now), now)
	if limit, ok := errors.AsType[*problem.Error](err); ok {
		return failPost(tx, p, string(limit.Code), limit.Message, now)
	}
	if err != nil {
		return err
	}
	p.Status, p.Attempt, p.ArmedAt, p.WaitingUntil = post.StatusArmed, p.Attempt+1, &now, nil
	p.Code, p.Reason = "", ""
	if p.FirstArmedAt == nil {
		p.FirstArmedAt = &now
	}
	return tx.Create(&post.Attempt{PostID: p.ID, Number: p.Attempt, StartedAt: now, Outcome: post.OutcomePending}).Error
}

// DelayPost makes a scheduled post wait until a time, with the reason.
func (s *Posts) DelayPost(ctx context.Context, id, code, reason string, until time.Time) (post.Post, error) {
	return s.change(ctx, id, func(_ *gorm.DB, p *post.Post) error {
		if p.Status == post.StatusScheduled {
			delay(p, code, reason, until)
		}
		return nil
	})
}

func delay(p *post.Post, code, reason string, until time.Time) {
	until = stamp(until)
	p.Code, p.Reason, p.WaitingUntil = code, reason, &until
}

// ConcludePost stores the verdict on an armed attempt. A repeated or late verdict changes nothing; the
// current post is returned.
func (s *Posts) ConcludePost(ctx context.Context, id string, v post.Verdict, now time.Time) (post.Post, error) {
	return s.change(ctx, id, func(tx *gorm.DB, p *post.Post) error {
		if p.Status != post.StatusArmed || p.Attempt != v.Attempt {
			return nil
		}
		if err := endAttempt(tx, id, v, now); err != nil {
			return err
		}
		p.Code, p.Reason = v.Code, v.Reason
		switch v.Outcome {
		case post.OutcomePublished:
			return publish(tx, p, v)
		case post.OutcomeRefused:
			return failPost(tx, p, v.Code, v.Reason, now)
		case post.OutcomeUnclear: // stays armed until the timeline was checked
			p.UnclearAttempts++
			return nil
		case post.OutcomeWaiting, post.OutcomeAbsent:
			if v.Final {
				return failPost(tx, p, v.Code, v.Reason, now)
			}
			until := stamp(v.Until)
			p.Status, p.WaitingUntil = post.StatusScheduled, &until
			if v.Outcome == post.OutcomeWaiting {
				p.UnclearAttempts = 0
			}
			return nil
		case post.OutcomePending:
		}
		return errors.New("an attempt cannot be concluded as " + string(v.Outcome))
	})
}

// FindPost marks a failed or unknown post as published, because it was found on the timeline.
func (s *Posts) FindPost(ctx context.Context, id string, v post.Verdict, now time.Time) (post.Post, error) {
	return s.change(ctx, id, func(tx *gorm.DB, p *post.Post) error {
		if !p.Status.Retryable() {
			return nil
		}
		if p.Status == post.StatusFailed { // its slot was released, and a published post must have one
			p.ScheduledAt = stamp(now)
			if err := reserveSlot(tx, p, now); err != nil {
				return err
			}
		}
		p.Code, p.Reason = "", ""
		return publish(tx, p, v)
	})
}

// DoubtPost marks an armed post whose outcome cannot be determined as unknown. It keeps its slot.
func (s *Posts) DoubtPost(ctx context.Context, id string, attempt int, code, reason string) (post.Post, error) {
	return s.change(ctx, id, func(_ *gorm.DB, p *post.Post) error {
		if p.Status == post.StatusArmed && p.Attempt == attempt {
			p.Status, p.Code, p.Reason = post.StatusUnknown, code, reason
		}
		return nil
	})
}

// ReopenPost schedules a failed or unknown post again, for now.
func (s *Posts) ReopenPost(ctx context.Context, id string, now time.Time) (post.Post, error) {
	return s.change(ctx, id, func(tx *gorm.DB, p *post.Post) error {
		if !p.Status.Retryable() {
			return nil
		}
		if p.OpenKey == nil {
			return refuse(*p) // it was closed, so another post may have its text
		}
		failed := p.Status == post.StatusFailed
		p.Status, p.Code, p.Reason, p.UnclearAttempts = post.StatusScheduled, "", "", 0
		p.ScheduledAt = stamp(now)
		p.Version++
		if failed {
			return reserveSlot(tx, p, now)
		}
		return nil
	})
}

// ClosePost ends the wait for a decision, so that the text may be used again.
func (s *Posts) ClosePost(ctx context.Context, id string) (post.Post, error) {
	return s.change(ctx, id, func(_ *gorm.DB, p *post.Post) error {
		if p.Status.Retryable() {
			p.OpenKey = nil
		}
		return nil
	})
}

func publish(tx *gorm.DB, p *post.Post, v post.Verdict) error {
	at, key := stamp(v.At), post.TextKey(p.Text)
	p.Status, p.PublishedAt, p.TweetID, p.URL = post.StatusPublished, &at, &v.TweetID, v.URL
	p.PublishedKey, p.OpenKey, p.WaitingUntil, p.UnclearAttempts = &key, nil, nil, 0
	return mustChange(tx.Model(&quotaSlot{}).Where("post_id = ?", p.ID).Update("state", slotSpent))
}

func failPost(tx *gorm.DB, p *post.Post, code, reason string, now time.Time) error {
	p.Status, p.Code, p.Reason, p.WaitingUntil = post.StatusFailed, code, reason, nil
	return releaseSlot(tx, *p, now)
}

func endAttempt(tx *gorm.DB, postID string, v post.Verdict, now time.Time) error {
	return mustChange(tx.Model(&post.Attempt{}).Where("post_id = ? AND number = ?", postID, v.Attempt).
		Updates(map[string]any{"outcome": v.Outcome, "code": v.Code, "ended_at": stamp(now)}))
}
