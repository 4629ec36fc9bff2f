// Package post holds the rules of posts: their states, their texts, their places in a
// month, and how long we wait before we look. Values in, values out: no clock, no I/O.
package post

import (
	"slices"
	"time"

	"customerzero/internal/domain/problem"
)

// Post is one text and what became of it. The row is the fact; the workflow run it names
// tells how it came about. Times are UTC.
type Post struct {
	ID       string
	MemberID *string // nil: the founders' share
	Text     string
	// OpenKey is TextKey(Text) while the post may still change, else nil. It is unique, so
	// that a match on the timeline is ours and nobody else's.
	OpenKey    *string
	MadeWithAI bool

	Status Status
	Code   string // why it failed, is unknown or waits: a problem code or one of X's classes
	Reason string // the same as a sentence for people

	ScheduledAt  time.Time
	WaitingUntil *time.Time // scheduled, and X asked us to wait until then

	Attempt         int // tries so far; see Attempt
	UnclearAttempts int // tries in a row whose outcome had to be looked up
	Reservations    int // slots taken so far: a retry takes another
	FirstArmedAt    *time.Time
	ArmedAt         *time.Time

	CancelledAt *time.Time // when a person gave it up

	PublishedAt *time.Time
	TweetID     *string // unique: one tweet belongs to one post
	URL         string

	Likes, Reposts, Replies, Quotes int
	MeasuredAt                      *time.Time

	Review       Review // where it stands with the founders' approval
	ReviewReason string // why it was rejected, or what the suggestion is for
	Suggestion   string // a text that the reviewer would approve
	Reviewer     string // who decided: a handle

	RecurringPostID *string // the recurring post that wrote it
	CandidateID     *string // the generated text that it was made of
	Edited          bool    // it says something else than that text

	RunID                string // of the workflow run; empty until it has begun
	Version              int    // counts changes by people
	CreatedAt, UpdatedAt time.Time
}

// DueAt is when the post may go out: its time, or later when X asked us to wait.
func (p Post) DueAt() time.Time {
	if p.WaitingUntil != nil && p.WaitingUntil.After(p.ScheduledAt) {
		return *p.WaitingUntil
	}
	return p.ScheduledAt
}

// Sponsored says that a member's credit paid for the post.
func (p Post) Sponsored() bool { return p.MemberID != nil }

// Engagement is likes + 2·reposts + 2·replies + quotes.
func (p Post) Engagement() int { return p.Likes + 2*p.Reposts + 2*p.Replies + p.Quotes }

// Attempt is one try to send a post.
type Attempt struct {
	PostID    string
	Number    int
	StartedAt time.Time
	EndedAt   *time.Time
	Outcome   Outcome
	Code      string
}

// TableName is the table of the rows.
func (Attempt) TableName() string { return "post_attempts" }

// Outcome says what came of an attempt.
type Outcome string

const (
	OutcomePending   Outcome = "pending"   // under way, or its worker died
	OutcomePublished Outcome = "published" // X took it
	OutcomeRefused   Outcome = "refused"   // X said no: to this post, or to the whole account
	OutcomeWaiting   Outcome = "waiting"   // X asked us to wait, or was never reached
	OutcomeUnclear   Outcome = "unclear"   // the answer was lost; the timeline decides
	OutcomeAbsent    Outcome = "absent"    // was unclear; looked for twice and not there
)

// Status is where a post stands. Exactly one of them is stored with every post.
//
//	draft ─► scheduled ─► armed ─┬─► published
//	            ▲  │             ├─► failed ──┐  (either may be retried for RetryWindow)
//	            │  └► cancelled  └─► unknown ─┤
//	            └─────────────────────────────┘
type Status string

const (
	StatusDraft     Status = "draft"     // written, holds nothing
	StatusScheduled Status = "scheduled" // holds a slot; waits for its time, or for X to take it again
	StatusArmed     Status = "armed"     // may have been sent: nobody changes it until its outcome is known
	StatusPublished Status = "published" // on the timeline; its slot is spent
	StatusFailed    Status = "failed"    // certainly not on the timeline; slot and credit are back
	StatusUnknown   Status = "unknown"   // the timeline could not be read; a founder decides
	StatusCancelled Status = "cancelled" // given up by a person; slot and credit are back
)

// Statuses lists every status.
var Statuses = []Status{
	StatusDraft, StatusScheduled, StatusArmed, StatusPublished, StatusFailed, StatusUnknown, StatusCancelled,
}

// Final says that nothing will change the post any more.
func (s Status) Final() bool { return s == StatusPublished || s == StatusCancelled }

// Retryable says that a person may ask for another try.
func (s Status) Retryable() bool { return s == StatusFailed || s == StatusUnknown }

// Cancellable says that a person may still give the post up: it is surely not being sent now.
func (s Status) Cancellable() bool { return s == StatusDraft || s == StatusScheduled || s.Retryable() }

// CodePaused says that a post waits because a founder has paused the bot.
const CodePaused = "bot_paused"

// PausedWait is how long a post waits before it looks again by itself.
const PausedWait = time.Hour

// PausedBot says that the bot is paused, and why where that is known.
func PausedBot(why string) string {
	if why == "" {
		return "The bot is paused."
	}
	return "The bot is paused: " + why + "."
}

// PausedReason is what people read at a post that waits for it.
func PausedReason(why string) string {
	return PausedBot(why) + " The post waits, and goes out when a founder lets it go on."
}

// RestoreWindow is how long a cancellation may be undone.
const RestoreWindow = 24 * time.Hour

// MayRestore says why a cancellation cannot be undone, or nil. What the product itself gave up
// carries a code, and stays so.
func (p Post) MayRestore(now time.Time) error {
	switch {
	case p.Status != StatusCancelled:
		return problem.New(problem.PostClosed, "This post is %s; only a cancelled one can be restored.", p.Status)
	case p.Code != "" || p.CancelledAt == nil:
		return problem.New(problem.PostClosed, "This post was not cancelled by a person, and cannot be restored. Write it again.")
	case now.Sub(*p.CancelledAt) > RestoreWindow:
		return problem.New(problem.PostClosed, "A cancellation can be undone for 24 hours. Write the post again.")
	case p.Reservations > 0 && !p.ScheduledAt.After(now):
		return problem.New(problem.DatePast, "The time of this post has passed. Write it again with a new time.")
	}
	return nil
}

// Restore makes the post what it was before it was cancelled, and says whether that needs a
// slot: one that never held any was a draft. Gated, what nobody approved waits for that first.
func (p *Post) Restore(gated bool) (goesOut bool) {
	p.Status = StatusDraft
	switch {
	case p.Reservations == 0:
	case gated && p.Review != ReviewApproved:
		p.ask()
	default:
		p.Status = StatusScheduled
	}
	return p.Status == StatusScheduled
}

// Listed is a post as lists show it.
type Listed struct {
	Post
	Username string  // of the member; empty for the founders' posts
	Slot     *Slot   // nil when it holds none
	Source   *Source // nil: people wrote it, or nobody may know yet
}

// Source is the model that wrote a text.
type Source struct{ Model, Prompt string }

// Viewer is somebody who may see their own drafts, and nobody else's.
type Viewer struct {
	MemberID string // empty: sees no drafts
}

// MaySee says whether the viewer may know of the post. Nobody in particular sees everything.
func (v *Viewer) MaySee(p Post) bool {
	return v == nil || p.Status != StatusDraft || (p.MemberID != nil && *p.MemberID == v.MemberID)
}

// Filter narrows a list of posts. Empty means all.
type Filter struct {
	Statuses      []Status
	Reviews       []Review // drafts that stand so
	Viewer        *Viewer  // nil: sees everything
	Limit, Offset int
}

// Upcoming says that only posts that have yet to go out are asked for.
func (f Filter) Upcoming() bool {
	past := func(s Status) bool { return s != StatusDraft && s != StatusScheduled && s != StatusArmed }
	return len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, past)
}

// MonthUsage says how a month's slots stand. A month nobody has touched is all free.
type MonthUsage struct {
	Spent, Reserved   int
	FoundersShareHeld int
	Members           int // active ones, by whom the month is shared
}

// Free is how many slots are left.
func (u MonthUsage) Free() int { return MonthlyPosts - u.Spent - u.Reserved }

// ReadUsage is how a month's reads of X stand. Safety reads settle unclear posts; they
// are counted, and never refused.
type ReadUsage struct{ Used, Budget, ReconciliationReads int }
