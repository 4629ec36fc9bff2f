package post

import (
	"time"

	"customerzero/internal/domain/problem"
)

// Review says where a post stands with the founders' approval. One that waits for it is a
// draft: it holds no slot and has no run, so silence never publishes.
type Review string

const (
	ReviewNone      Review = ""
	ReviewRequested Review = "requested" // a founder has to decide
	ReviewSuggested Review = "suggested" // a founder would approve another text
	ReviewRejected  Review = "rejected"
	ReviewApproved  Review = "approved"
)

// Open says that somebody has yet to decide: a founder, or the member about a suggestion.
func (r Review) Open() bool { return r == ReviewRequested || r == ReviewSuggested }

// Decision is what a founder makes of a member's post.
type Decision struct {
	Review     Review     // ReviewApproved, ReviewRejected or ReviewSuggested
	Reason     string     // why it is rejected, or what the suggestion is for
	Suggestion string     // a text that would be approved
	At         *time.Time // approved for another time; nil: for its own
	Version    *int       // the version that the founder saw
	Reviewer   string     // a handle
}

// Check refuses decisions that tell the member nothing.
func (d Decision) Check(p Post) error {
	switch {
	case d.Review == ReviewRejected && d.Reason == "":
		return lacks("body.reason", "say why: the member reads it")
	case d.Review == ReviewSuggested && d.Suggestion == "":
		return lacks("body.suggestion", "give the text that you would approve")
	case d.Review == ReviewSuggested && d.Suggestion == p.Text:
		return lacks("body.suggestion", "it is the post's own text: approve it instead")
	case d.Review == ReviewSuggested:
		return CheckText(d.Suggestion)
	}
	return nil
}

func lacks(field, reason string) error {
	return &problem.Error{
		Code: problem.Invalid, Message: "The decision is not complete: see details.",
		Details: []problem.Detail{{Field: field, Reason: reason}},
	}
}

// Decide notes a decision in the post.
func (p *Post) Decide(d Decision) {
	p.Review, p.Reviewer, p.ReviewReason, p.Suggestion = d.Review, d.Reviewer, d.Reason, ""
	if d.Review == ReviewSuggested {
		p.Suggestion = d.Suggestion
	}
}

// DoneTo says that the post is what the decision makes of the version that was seen: it was
// made, and its answer lost.
func (d Decision) DoneTo(p Post) bool {
	return d.Version != nil && p.Version == *d.Version+1 && p.Review == d.Review && p.Reviewer == d.Reviewer
}

// ask puts the post to the founders, whatever they said of it before.
func (p *Post) ask() {
	p.Review, p.Reviewer, p.ReviewReason, p.Suggestion = ReviewRequested, "", "", ""
}

// Settle says what a change, made to a draft already, does to its review, and whether the
// draft goes out. said is its text before the change.
func (p *Post) Settle(c Change, said string) (goesOut bool) {
	changed := p.Text != said
	accepted := p.Review == ReviewSuggested && p.Text == p.Suggestion
	if p.Review == ReviewApproved && changed { // another text was approved
		p.Review, p.Reviewer, p.ReviewReason = ReviewNone, "", ""
	}
	switch {
	case c.Schedule && (accepted || p.Review == ReviewApproved):
		p.Review, p.Suggestion = ReviewApproved, ""
		return true
	case c.Schedule && c.Gated:
		p.ask()
		return false
	case c.Schedule && p.Review.Open() && c.Reviewer != "":
		p.Decide(Decision{Review: ReviewApproved, Reviewer: c.Reviewer})
		return true
	case c.Schedule:
		p.Decide(Decision{})
		return true
	case p.Review.Open() && changed && !accepted: // a changed text is a new question
		p.ask()
	}
	return false
}

// ForNow says that the post was written to go out at once.
func (p Post) ForNow() bool { return !p.ScheduledAt.After(p.CreatedAt.Add(grace)) }

// ApprovedTime is when a post that waited for its approval goes out. A time that has passed
// meanwhile is not made up for, unless the post was meant for at once.
func (p Post) ApprovedTime(now time.Time) (time.Time, error) {
	switch {
	case !p.ScheduledAt.Before(now.Add(-grace)):
		return p.ScheduledAt, nil
	case p.ForNow():
		return now, nil
	}
	return time.Time{}, problem.New(problem.DatePast, "The time of this post has passed meanwhile. Give another in scheduledAt.")
}
