// Package post holds the rules of posts: status, text, monthly slots, and the delays before a post is
// searched on the timeline. Pure functions: no clock, no I/O.
package post

import (
	"slices"
	"time"

	"customerzero/internal/domain/problem"
)

// Post is one post and its outcome. Times are UTC.
type Post struct {
	ID       string
	MemberID *string // nil: the founders' share
	Text     string
	// OpenKey is TextKey(Text) while the post may still change, otherwise nil. It is unique, so a match on
	// the timeline identifies the post.
	OpenKey *string
	// MadeWithAI marks a text that a language model wrote. Our pages show it; X's label made_with_ai is for
	// media made by AI, so it is not sent to X.
	MadeWithAI bool

	Status Status
	Code   string // why it failed, is unknown or waits: a problem code or an X error code
	Reason string // the same as a sentence

	ScheduledAt  time.Time
	WaitingUntil *time.Time // not before this time, requested by X

	Attempt         int // number of the latest Attempt
	UnclearAttempts int // attempts in a row with an unclear outcome
	Reservations    int // slots taken so far; a retry takes another
	FirstArmedAt    *time.Time
	ArmedAt         *time.Time

	CancelledAt *time.Time // when a person cancelled it

	PublishedAt *time.Time
	// PublishedKey is TextKey(Text) once the post is published. It is nil for posts published before it existed.
	PublishedKey *string
	TweetID      *string // unique
	URL          string

	Likes, Reposts, Replies, Quotes int
	MeasuredAt                      *time.Time

	Review       Review // state of the founders' approval
	ReviewReason string // of the rejection or suggestion
	Suggestion   string // the text that the reviewer would approve
	Reviewer     string // the founder's handle

	RecurringPostID *string // the recurring post that created it
	CandidateID     *string // the generated text it is based on
	Edited          bool    // the text differs from the candidate's

	RunID                string // of the workflow run; empty until it starts
	Version              int    // counts changes by people
	CreatedAt, UpdatedAt time.Time
}

// DueAt is the scheduled time, or the later time requested by X.
func (p Post) DueAt() time.Time {
	if p.WaitingUntil != nil && p.WaitingUntil.After(p.ScheduledAt) {
		return *p.WaitingUntil
	}
	return p.ScheduledAt
}

// Sponsored reports whether a member's credit paid for the post.
func (p Post) Sponsored() bool { return p.MemberID != nil }

// Engagement is likes + 2·reposts + 2·replies + quotes.
func (p Post) Engagement() int { return p.Likes + 2*p.Reposts + 2*p.Replies + p.Quotes }

// Attempt is one attempt to send a post.
type Attempt struct {
	PostID    string
	Number    int
	StartedAt time.Time
	EndedAt   *time.Time
	Outcome   Outcome
	Code      string
}

// TableName is the GORM table name.
func (Attempt) TableName() string { return "post_attempts" }

// Outcome is the result of an attempt.
type Outcome string

const (
	OutcomePending   Outcome = "pending"   // running, or its worker died
	OutcomePublished Outcome = "published" // accepted by X
	OutcomeRefused   Outcome = "refused"   // X refused this post, or the whole account
	OutcomeWaiting   Outcome = "waiting"   // rate limited, or X was never reached
	OutcomeUnclear   Outcome = "unclear"   // the response was lost; the timeline decides
	OutcomeAbsent    Outcome = "absent"    // was unclear; not on the timeline in 2 checks
)

// Status is the state of a post.
//
//	draft ─► scheduled ─► armed ─┬─► published
//	            ▲  │             ├─► failed ──┐  (either may be retried for RetryWindow)
//	            │  └► cancelled  └─► unknown ─┤
//	            └─────────────────────────────┘
type Status string

const (
	StatusDraft     Status = "draft"     // holds no slot
	StatusScheduled Status = "scheduled" // holds a slot; waits for its time or for X
	StatusArmed     Status = "armed"     // may have been sent: locked until the outcome is known
	StatusPublished Status = "published" // on the timeline; the slot is spent
	StatusFailed    Status = "failed"    // not on the timeline; slot and credit are returned
	StatusUnknown   Status = "unknown"   // the timeline could not be read; a founder decides
	StatusCancelled Status = "cancelled" // by a person; slot and credit are returned
)

// Statuses lists every status.
var Statuses = []Status{
	StatusDraft, StatusScheduled, StatusArmed, StatusPublished, StatusFailed, StatusUnknown, StatusCancelled,
}

// Final reports whether the post can no longer change.
func (s Status) Final() bool { return s == StatusPublished || s == StatusCancelled }

// Retryable reports whether a person may request another attempt.
func (s Status) Retryable() bool { return s == StatusFailed || s == StatusUnknown }

// Cancellable reports whether a person may cancel the post: it is certainly not being sent.
func (s Status) Cancellable() bool { return s == StatusDraft || s == StatusScheduled || s.Retryable() }

// CodePaused is the code of posts that wait because a founder paused the bot.
const CodePaused = "bot_paused"

// PausedWait is how long a post waits before it checks again without a signal.
const PausedWait = time.Hour

// PausedBot states that the bot is paused, with the reason if there is one.
func PausedBot(why string) string {
	if why == "" {
		return "The bot is paused."
	}
	return "The bot is paused: " + why + "."
}

// PausedReason is the message of a post that waits while the bot is paused.
func PausedReason(why string) string {
	return PausedBot(why) + " The post will be sent when a founder resumes posting."
}

// RestoreWindow is how long a cancellation can be undone.
const RestoreWindow = 24 * time.Hour

// MayRestore returns an error if the cancellation cannot be undone. Posts cancelled by the product carry
// a code and cannot be restored.
func (p Post) MayRestore(now time.Time) error {
	switch {
	case p.Status != StatusCancelled:
		return problem.New(problem.PostClosed, "This post is %s. Only cancelled posts can be restored.", p.Status)
	case p.Code != "" || p.CancelledAt == nil:
		return problem.New(problem.PostClosed, "This post was not cancelled by a person, so it can't be restored. Create a new post.")
	case now.Sub(*p.CancelledAt) > RestoreWindow:
		return problem.New(problem.PostClosed, "A cancelled post can be restored for 24 hours. Create a new post.")
	case p.Reservations > 0 && !p.ScheduledAt.After(now):
		return problem.New(problem.DatePast, "The time of this post has passed. Create a new post with a later time.")
	}
	return nil
}

// Restore undoes a cancellation and reports whether the post needs a slot: one that never held a slot
// becomes a draft. If gated, an unapproved post waits for approval first.
func (p *Post) Restore(gated bool) (goesOut bool) {
	p.Status = StatusDraft
	switch {
	case p.Reservations == 0:
	case gated && p.Review != ReviewApproved:
		p.requestReview()
	default:
		p.Status = StatusScheduled
	}
	return p.Status == StatusScheduled
}

// Listed is a post as shown in lists.
type Listed struct {
	Post
	Username string  // of the member; empty for the founders
	Slot     *Slot   // nil if it holds none
	Source   *Source // nil: written by a person, or hidden until the vote
}

// Source is the model that wrote a text.
type Source struct{ Model, Prompt string }

// Viewer identifies a caller who sees no drafts except their own.
type Viewer struct {
	MemberID string // empty: no drafts
}

// MaySee reports whether the viewer may see the post. A nil viewer sees everything.
func (v *Viewer) MaySee(p Post) bool {
	return v == nil || p.Status != StatusDraft || (p.MemberID != nil && *p.MemberID == v.MemberID)
}

// Filter restricts a list of posts. Empty fields match everything.
type Filter struct {
	Statuses      []Status
	Reviews       []Review // drafts in these review states
	Viewer        *Viewer  // nil: no restriction
	Limit, Offset int
}

// Upcoming reports whether the filter selects only posts that have not been sent.
func (f Filter) Upcoming() bool {
	past := func(s Status) bool { return s != StatusDraft && s != StatusScheduled && s != StatusArmed }
	return len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, past)
}

// MonthUsage counts a month's slots. All are free in a month without rows.
type MonthUsage struct {
	Spent, Reserved   int
	FoundersShareHeld int
	Members           int // active members, who share the month
}

// Free is the number of unused slots.
func (u MonthUsage) Free() int { return MonthlyPosts - u.Spent - u.Reserved }

// ReadUsage counts a month's reads from X. Reconciliation reads resolve unclear posts; they are counted
// but never refused.
type ReadUsage struct{ Used, Budget, ReconciliationReads int }
