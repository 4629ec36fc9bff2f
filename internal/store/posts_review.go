package store

import (
	"context"
	"strconv"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// changeDraft books what a change does to a draft: it may go out now, or need an approval.
// said is its text before the change.
func (s *Posts) changeDraft(tx *gorm.DB, p *post.Post, c post.Change, said string, now time.Time) error {
	stood := p.Review
	if p.Settle(c, said) {
		if p.Review == post.ReviewApproved && c.ScheduledAt == nil {
			at, err := p.ApprovedTime(now)
			if err != nil {
				return err
			}
			p.ScheduledAt = stamp(at)
		}
		p.Status = post.StatusScheduled
		if err := hold(tx, p, now); err != nil {
			return err
		}
	}
	if c.Reviewer != "" && p.Review == post.ReviewApproved {
		return s.tellDecided(tx, *p, now)
	}
	return s.tellAsked(tx, *p, stood, now)
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
		return s.tellDecided(tx, *p, now)
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
	return hold(tx, p, now)
}

// tellAsked writes to the founders when a post has come to wait for their decision: to each
// once an hour for each member, as what else waits stands on the page that the letter leads
// to. stood is where the review stood before.
func (s *Posts) tellAsked(tx *gorm.DB, p post.Post, stood post.Review, at time.Time) error {
	if s.db.keys == nil || p.MemberID == nil || p.Review == stood || p.Review != post.ReviewAsked {
		return nil
	}
	m, err := readOne[member.Member](tx.Where("id = ?", *p.MemberID))
	if err != nil {
		return err
	}
	founders, err := readAll[account.Account](tx.Where("email IS NOT NULL AND notices AND x_user_id IS NOT NULL"))
	if err != nil {
		return err
	}
	for _, a := range founders {
		key := "asked:" + m.ID + ":" + at.UTC().Format("2006-01-02T15") + ":" + a.ID
		content := email.Content{To: *a.Email, Facts: map[string]string{"Member": "@" + m.Username, "Excerpt": excerpt(p.Text)}}
		if err := s.db.Emails.writeOnce(tx, email.ReviewAsked, key, &a.ID, content, at); err != nil {
			return err
		}
	}
	return nil
}

// tellDecided writes to the member to whose post a founder has answered.
func (s *Posts) tellDecided(tx *gorm.DB, p post.Post, at time.Time) error {
	if s.db.keys == nil || p.MemberID == nil {
		return nil
	}
	concerned, err := readAll[account.Account](tx.Where("email IS NOT NULL AND notices AND member_id = ?", *p.MemberID))
	if err != nil {
		return err
	}
	for _, a := range concerned {
		key := "reviewed:" + p.ID + ":" + string(p.Review) + ":" + strconv.Itoa(p.Version) + ":" + a.ID
		content := email.Content{To: *a.Email, Facts: map[string]string{
			"Excerpt": excerpt(p.Text), "Decision": string(p.Review), "Reason": p.ReviewReason, "Suggestion": p.Suggestion,
		}}
		if err := s.db.Emails.writeOnce(tx, email.ReviewDone, key, &a.ID, content, at); err != nil {
			return err
		}
	}
	return nil
}
