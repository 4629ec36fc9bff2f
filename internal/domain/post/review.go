package post

import (
	"time"

	"customerzero/internal/domain/problem"
)

// Review is the state of a founder's approval. A post that needs approval is a draft without a slot and
// without a workflow run, so it is never published by default.
type Review string

const (
	ReviewNone      Review = ""
	ReviewRequested Review = "requested" // a founder must decide
	ReviewSuggested Review = "suggested" // a founder would approve a different text
	ReviewRejected  Review = "rejected"
	ReviewApproved  Review = "approved"
)

// Open reports whether a decision is pending: a founder's, or the member's about a suggestion.
func (r Review) Open() bool { return r == ReviewRequested || r == ReviewSuggested }

// Decision is a founder's decision about a member's post.
type Decision struct {
	Review     Review     // ReviewApproved, ReviewRejected or ReviewSuggested
	Reason     string     // of the rejection or suggestion
	Suggestion string     // the text that would be approved
	At         *time.Time // approved for this time; nil: the post's own
	Version    *int       // the version that the founder saw
	Reviewer   string     // the founder's handle
}

// Check rejects decisions without the reason or suggestion that the member needs.
func (d Decision) Check(p Post) error {
	switch {
	case d.Review == ReviewRejected && d.Reason == "":
		return incomplete("body.reason", "is required; the member will read it")
	case d.Review == ReviewSuggested && d.Suggestion == "":
		return incomplete("body.suggestion", "must be the text that you would approve")
	case d.Review == ReviewSuggested && d.Suggestion == p.Text:
		return incomplete("body.suggestion", "is the post's own text; approve the post instead")
	case d.Review == ReviewSuggested:
		return CheckText(d.Suggestion)
	}
	return nil
}

func incomplete(field, reason string) error {
	return &problem.Error{
		Code: problem.Invalid, Message: "The decision is incomplete. See details.",
		Details: []problem.Detail{{Field: field, Reason: reason}},
	}
}

// Decide stores a decision in the post.
func (p *Post) Decide(d Decision) {
	p.Review, p.Reviewer, p.ReviewReason, p.Suggestion = d.Review, d.Reviewer, d.Reason, ""
	if d.Review == ReviewSuggested {
		p.Suggestion = d.Suggestion
	}
}

// DoneTo reports whether the decision was already applied to the version that the founder saw, so that a
// retry after a lost response succeeds.
func (d Decision) DoneTo(p Post) bool {
	return d.Version != nil && p.Version == *d.Version+1 && p.Review == d.Review && p.Reviewer == d.Reviewer
}

// requestReview requests a founder's approval and clears earlier decisions.
func (p *Post) requestReview() {
	p.Review, p.Reviewer, p.ReviewReason, p.Suggestion = ReviewRequested, "", "", ""
}

// Settle updates the review of a draft after a change and reports whether the draft gets scheduled.
// oldText is the text before the change.
func (p *Post) Settle(c Change, oldText string) (goesOut bool) {
	changed := p.Text != oldText
	accepted := p.Review == ReviewSuggested && p.Text == p.Suggestion
	if p.Review == ReviewApproved && changed { // the approval was for the old text
		p.Review, p.Reviewer, p.ReviewReason = ReviewNone, "", ""
	}
	switch {
	case c.Schedule && (accepted || p.Review == ReviewApproved):
		p.Review, p.Suggestion = ReviewApproved, ""
		return true
	case c.Schedule && c.Gated:
		p.requestReview()
		return false
	case c.Schedule && p.Review.Open() && c.Reviewer != "":
		p.Decide(Decision{Review: ReviewApproved, Reviewer: c.Reviewer})
		return true
	case c.Schedule:
		p.Decide(Decision{})
		return true
	case p.Review.Open() && changed && !accepted: // a changed text needs a new approval
		p.requestReview()
	}
	return false
}

// ForNow reports whether the post was created to be sent immediately.
func (p Post) ForNow() bool { return !p.ScheduledAt.After(p.CreatedAt.Add(grace)) }

// ApprovedTime is the send time of a newly approved post. A post whose time has passed is refused unless
// it was meant to be sent immediately.
func (p Post) ApprovedTime(now time.Time) (time.Time, error) {
	switch {
	case !p.ScheduledAt.Before(now.Add(-grace)):
		return p.ScheduledAt, nil
	case p.ForNow():
		return now, nil
	}
	return time.Time{}, problem.New(problem.DatePast, "The time of this post has passed. Set another in scheduledAt.")
}
