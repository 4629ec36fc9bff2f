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

// changeDraft applies a change to a draft: it is scheduled, or needs an approval. oldText is its text
// before the change.
func (s *Posts) changeDraft(tx *gorm.DB, p *post.Post, c post.Change, oldText string, now time.Time) error {
	before := p.Review
	if p.Settle(c, oldText) {
		if p.Review == post.ReviewApproved && c.ScheduledAt == nil {
			at, err := p.ApprovedTime(now)
			if err != nil {
				return err
			}
			p.ScheduledAt = stamp(at)
		}
		p.Status = post.StatusScheduled
		if err := schedulePost(tx, p, now); err != nil {
			return err
		}
	}
	if c.Reviewer != "" && p.Review == post.ReviewApproved {
		return s.notifyAuthor(tx, *p, now)
	}
	return s.notifyReviewers(tx, *p, before, now)
}

// ReviewPost stores a founder's decision about a post that waits for one. An approved post gets its slot
// and credit; the caller starts its run. Safe to repeat with a version.
func (s *Posts) ReviewPost(ctx context.Context, id string, d post.Decision, now time.Time) (post.Post, error) {
	return s.change(ctx, id, func(tx *gorm.DB, p *post.Post) error {
		if d.DoneTo(*p) {
			return nil
		}
		if p.Status != post.StatusDraft || !p.Review.Open() {
			return problem.New(problem.ReviewClosed, "This post no longer waits for a review, so nothing was changed. Reload it to see its status.")
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
	return schedulePost(tx, p, now)
}

// notifyTrouble notifies the post's member, and the founders if they have to decide, of a failed or
// unknown post: one email per attempt.
func (s *Posts) notifyTrouble(tx *gorm.DB, p post.Post, at time.Time) error {
	accounts, err := s.concerned(tx, p)
	if err != nil {
		return err
	}
	key := "trouble:" + p.ID + ":" + strconv.Itoa(p.Attempt) + ":" + string(p.Status)
	return s.db.Emails.notify(tx, accounts, email.PostTrouble, key, map[string]string{
		"Excerpt": excerpt(p.Text), "Status": string(p.Status), "Reason": p.Reason,
	}, at)
}

// concerned returns the accounts that are notified of a post that needs a decision.
func (s *Posts) concerned(tx *gorm.DB, p post.Post) (accounts []account.Account, err error) {
	if p.MemberID != nil {
		accounts, err = s.db.Emails.ofMember(tx, *p.MemberID)
		if err != nil || p.Status == post.StatusFailed {
			return accounts, err
		}
	}
	founders, err := s.db.Emails.founders(tx)
	for _, a := range founders {
		if p.MemberID == nil || a.MemberID == nil || *a.MemberID != *p.MemberID { // already included
			accounts = append(accounts, a)
		}
	}
	return accounts, err
}

// notifyReviewers notifies the founders of a post that now waits for review: at most once an hour per
// member, because the linked page lists all of them. before is the review state before the change.
func (s *Posts) notifyReviewers(tx *gorm.DB, p post.Post, before post.Review, at time.Time) error {
	if s.db.keys == nil || p.MemberID == nil || p.Review == before || p.Review != post.ReviewRequested {
		return nil
	}
	m, err := readOne[member.Member](tx.Where("id = ?", *p.MemberID))
	if err != nil {
		return err
	}
	founders, err := s.db.Emails.founders(tx)
	if err != nil {
		return err
	}
	return s.db.Emails.notify(tx, founders, email.ReviewRequested, "asked:"+m.ID+":"+at.UTC().Format("2006-01-02T15"),
		map[string]string{"Member": "@" + m.Username, "Excerpt": excerpt(p.Text)}, at)
}

// notifyAuthor notifies the member of a founder's decision.
func (s *Posts) notifyAuthor(tx *gorm.DB, p post.Post, at time.Time) error {
	if p.MemberID == nil {
		return nil
	}
	author, err := s.db.Emails.ofMember(tx, *p.MemberID)
	if err != nil {
		return err
	}
	return s.db.Emails.notify(tx, author, email.ReviewDone, "reviewed:"+p.ID+":"+string(p.Review)+":"+strconv.Itoa(p.Version), map[string]string{
		"Excerpt": excerpt(p.Text), "Decision": string(p.Review), "Reason": p.ReviewReason, "Suggestion": p.Suggestion,
	}, at)
}
