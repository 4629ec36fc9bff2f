package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// changeDraft books what a change does to a draft: it may go out now, or need an approval.
// oldText is its text before the change.
func (s *Posts) changeDraft(tx *gorm.DB, p *post.Post, c post.Change, oldText string, now time.Time) error {
	stood := p.Review
	if p.Settle(c, oldText) {
		if p.Review == post.ReviewApproved && c.ScheduledAt == nil {
			at, err := p.ApprovedTime(now)
			if err != nil {
				return err
			}
			p.ScheduledAt = stamp(at)
		}
		p.Status = post.StatusScheduled
		if err := reserveSlot(tx, p, now); err != nil {
			return err
		}
	}
	if c.Reviewer != "" && p.Review == post.ReviewApproved {
		return s.notifyAuthor(tx, *p, now)
	}
	return s.notifyReviewers(tx, *p, stood, now)
}

// ReviewPost books a founder's decision about a post that waits for one. Approved, it has its
// slot and credit, and only lacks its run. Safe to repeat with a version.
func (s *Posts) ReviewPost(ctx context.Context, id string, d post.Decision, now time.Time) (post.Post, error) {
	return s.change(ctx, id, func(tx *gorm.DB, p *post.Post) error {
		if d.DoneTo(*p) {
			return nil
		}
		if p.Status != post.StatusDraft || !p.Review.Open() {
			return problem.New(problem.ReviewClosed, "This post does not wait for a decision any more.")
		}
		if err := checkChangeable(*p, d.Version); err != nil {
			return err
		}
		if err := d.Check(*p); err != nil {
			return err
		}
		p.Decide(d)
		p.Version++
		if d.Review == post.ReviewApproved {
			if err := approve(tx, p, d.At, now); err != nil {
				return err
			}
		}
		return s.notifyAuthor(tx, *p, now)
	})
}

func approve(tx *gorm.DB, p *post.Post, at *time.Time, now time.Time) error {
	if at == nil {
		own, err := p.ApprovedTime(now)
		if err != nil {
			return err
		}
		at = &own
	}
	p.ScheduledAt, p.Status = stamp(*at), post.StatusScheduled
	return reserveSlot(tx, p, now)
}
