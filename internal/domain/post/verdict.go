package post

import "time"

// Change is what a person may alter in a post that is not being sent. Nil leaves as is.
type Change struct {
	Text        *string
	ScheduledAt *time.Time
	Version     *int // the version the person saw; somebody else's change in between is a conflict
	Schedule    bool // make a draft go out at its time
	Gated       bool // by somebody whose posts need a founder's approval
	// Reviewer is the founder who makes the change: scheduling a post that waits for approval,
	// they approve it. Empty: somebody else.
	Reviewer string
}

// DoneTo says that the post is what the change makes of the version that was seen: it was
// made, and its answer lost.
func (c Change) DoneTo(p Post) bool {
	return c.Version != nil && p.Version == *c.Version+1 && (c.Text == nil || *c.Text == p.Text) &&
		(c.ScheduledAt == nil || c.ScheduledAt.Truncate(time.Microsecond).Equal(p.ScheduledAt))
}

// Verdict is what came of an armed attempt.
type Verdict struct {
	Attempt int
	Outcome Outcome
	Code    string
	Reason  string
	Until   time.Time // OutcomeWaiting, OutcomeAbsent: not before
	TweetID string    // OutcomePublished
	URL     string
	At      time.Time
	Final   bool // OutcomeWaiting, OutcomeAbsent: no further try
}

// Reading is a post whose public metrics are to be read.
type Reading struct {
	PostID, TweetID string
	Checkpoint      Checkpoint
}
