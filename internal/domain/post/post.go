package post

import "time"

// Post is one text and what became of it. The row is the fact; the workflow run it names
// tells how it came about. Times are UTC.
type Post struct {
	ID       string
	MemberID *string // nil: the founders', out of the commons
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

	Attempt      int // tries so far; see Attempt
	Unclear      int // tries in a row whose outcome had to be looked up
	Reservation  int // slots taken so far: a retry takes another
	FirstArmedAt *time.Time
	ArmedAt      *time.Time

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

	SeriesID    *string // the series that wrote it
	CandidateID *string // the generated text that it was made of
	Edited      bool    // it says something else than that text

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
