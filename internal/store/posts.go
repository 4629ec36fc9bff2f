package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Posts stores posts, with their slots, reviews and metrics.
type Posts struct{ db *DB }

// CreatePost stores a post and, unless it is a draft, reserves its slot and credit in the same
// transaction. Founders are notified of a draft that needs their approval.
func (s *Posts) CreatePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error) {
	fresh := opened(p, now)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		p = fresh // a retry starts over
		if err := tx.Create(&p).Error; err != nil {
			return err
		}
		switch {
		case p.Status == post.StatusScheduled:
			if err := schedulePost(tx, &p, now); err != nil {
				return err
			}
			return save(tx, &p)
		case p.Review != post.ReviewNone:
			if err := refuseRepeat(tx, p, now); err != nil {
				return err
			}
			return s.notifyReviewers(tx, p, post.ReviewNone, now)
		}
		return nil
	})
	return p, asDuplicate(err)
}

// schedulePost reserves the slot of a post that a person schedules.
func schedulePost(tx *gorm.DB, p *post.Post, now time.Time) error {
	if err := refuseRepeat(tx, *p, now); err != nil {
		return err
	}
	return reserveSlot(tx, p, now)
}

// refuseRepeat refuses a post that is due now and would repeat a published text, before anything is sent.
func refuseRepeat(tx *gorm.DB, p post.Post, now time.Time) error {
	if p.ScheduledAt.After(now) {
		return nil
	}
	repeated, err := lastPublished(tx, p.Text, now)
	if repeated != nil {
		err = post.Repeated(*repeated)
	}
	return err
}

// opened returns a new post with the key that keeps other open posts from having its text.
func opened(p post.Post, now time.Time) post.Post {
	key := post.TextKey(p.Text)
	p.OpenKey, p.Version, p.ScheduledAt, p.CreatedAt = &key, 1, stamp(p.ScheduledAt), stamp(now)
	return p
}

// Post returns a post.
func (s *Posts) Post(ctx context.Context, id string) (post.Post, error) {
	return byID[post.Post](s.db.on(ctx), "post", id)
}

// BeginPost stores the run of a post.
func (s *Posts) BeginPost(ctx context.Context, id, runID string) (post.Post, error) {
	return s.change(ctx, id, func(_ *gorm.DB, p *post.Post) error {
		if p.RunID == "" || !p.Status.Final() { // a run that starts after the end does not replace the one that carried the post
			p.RunID = runID
		}
		return nil
	})
}

// ChangePost changes the text or the time, and schedules a draft if requested, unless it needs an
// approval first. A slot in a new month is reserved before the old one is released.
func (s *Posts) ChangePost(ctx context.Context, id string, c post.Change, now time.Time) (post.Post, error) {
	return s.change(ctx, id, func(tx *gorm.DB, p *post.Post) error {
		if c.DoneTo(*p) {
			return nil
		}
		if err := checkChangeable(*p, c.Version); err != nil {
			return err
		}
		oldText := p.Text
		if err := rewrite(tx, p, c); err != nil {
			return err
		}
		switch {
		case p.Status == post.StatusDraft:
			return s.changeDraft(tx, p, c, oldText, now)
		case c.ScheduledAt != nil:
			return moveSlot(tx, *p, post.MonthOf(p.ScheduledAt), now)
		}
		return nil
	})
}

func rewrite(tx *gorm.DB, p *post.Post, c post.Change) error {
	p.Version++
	if c.ScheduledAt != nil {
		p.ScheduledAt = stamp(*c.ScheduledAt)
	}
	if c.Text == nil || *c.Text == p.Text {
		return nil
	}
	key := post.TextKey(*c.Text)
	p.Text, p.OpenKey = *c.Text, &key
	if p.Status == post.StatusScheduled && p.Review == post.ReviewApproved { // the approval was for the old text
		p.Decide(post.Decision{})
	}
	return noteEdited(tx, p)
}

// CancelPost cancels a post and releases its slot and credit. Safe to repeat.
func (s *Posts) CancelPost(ctx context.Context, id string, now time.Time) (post.Post, error) {
	return s.change(ctx, id, func(tx *gorm.DB, p *post.Post) error { return cancel(tx, p, now) })
}

func cancel(tx *gorm.DB, p *post.Post, now time.Time) error {
	if p.Status == post.StatusCancelled {
		return nil
	}
	if !p.Status.Cancellable() {
		return refuse(*p)
	}
	if p.Status == post.StatusScheduled { // the reason for waiting no longer applies
		p.Code, p.Reason = "", ""
	}
	at := stamp(now)
	p.Status, p.OpenKey, p.WaitingUntil, p.CancelledAt = post.StatusCancelled, nil, nil, &at
	p.Version++
	return releaseSlot(tx, *p, now)
}

// change locks a post, changes and saves it, in one transaction.
func (s *Posts) change(ctx context.Context, id string, alter func(tx *gorm.DB, p *post.Post) error) (post.Post, error) {
	var p post.Post
	err := s.db.inTx(ctx, func(tx *gorm.DB) error { return s.changePost(tx, id, &p, alter) })
	return p, asDuplicate(err)
}

// changePost also updates the recurring post, and sends notifications if the post becomes failed or
// unknown.
func (s *Posts) changePost(tx *gorm.DB, id string, p *post.Post, alter func(tx *gorm.DB, p *post.Post) error) error {
	if err := lockRecurringPostOf(tx, id); err != nil {
		return err
	}
	var err error
	if *p, err = lockByID[post.Post](tx, "post", id); err != nil {
		return err
	}
	before := p.Status
	if err := alter(tx, p); err != nil {
		return err
	}
	if err := save(tx, p); err != nil || p.Status == before {
		return err
	}
	if err := s.db.RecurringPosts.followPost(tx, *p, before, now()); err != nil || !p.Status.Retryable() {
		return err
	}
	return s.notifyTrouble(tx, *p, now())
}

func checkChangeable(p post.Post, seen *int) error {
	if p.Status != post.StatusDraft && p.Status != post.StatusScheduled {
		return refuse(p)
	}
	if seen != nil && *seen != p.Version {
		return problem.New(problem.Conflict, "Someone else has changed this post. Reload it, then repeat your change.")
	}
	return nil
}

func refuse(p post.Post) error {
	if p.Status == post.StatusArmed {
		return problem.New(problem.PostArmed, "This post is already being sent and can't be changed. Its outcome will appear shortly.")
	}
	return problem.New(problem.PostClosed, "This post is %s and can't be changed.", p.Status)
}

// asDuplicate maps a violated key to a problem. Only the key of open texts can be violated by a caller.
func asDuplicate(err error) error {
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return problem.New(problem.TextDuplicate, "Another open post has this text, and X rejects duplicates. Change the text and try again.")
	}
	return err
}

// RestorePost undoes a cancellation. The post reserves a new slot and credit, and gets another run.
// gated means that the caller's posts need an approval.
func (s *Posts) RestorePost(ctx context.Context, id string, gated bool, now time.Time) (post.Post, error) {
	return s.change(ctx, id, func(tx *gorm.DB, p *post.Post) error {
		if err := p.MayRestore(now); err != nil {
			return err
		}
		key, before := post.TextKey(p.Text), p.Review
		p.OpenKey, p.CancelledAt, p.RunID = &key, nil, ""
		p.Version++
		if p.Restore(gated) {
			return reserveSlot(tx, p, now)
		}
		return s.notifyReviewers(tx, *p, before, now)
	})
}

// noteEdited stores whether a generated text was edited.
func noteEdited(tx *gorm.DB, p *post.Post) error {
	if p.CandidateID == nil {
		return nil
	}
	c, err := readOne[generation.Candidate](tx.Where("id = ?", *p.CandidateID))
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil
	}
	p.Edited = c.Text != p.Text
	return err
}
