package post

import (
	"time"
)

// Timing says how long a try may take, and how long we wait before we look for it. The
// order Send < Close < Settle is what keeps a post from going out twice: when we look,
// no call of ours can still be under way.
type Timing struct {
	Send   time.Duration // deadline of the HTTP call
	Close  time.Duration // the activity around it: arming, the call, recording
	Settle time.Duration // from arming to the first look; the second look is as long after it
	Look   time.Duration // how long an unreadable timeline is asked again
}

// TimingFor derives the waits from the deadline of the call.
func TimingFor(send time.Duration) Timing {
	closing := send + max(send/2, 2*time.Second)
	return Timing{Send: send, Close: closing, Settle: closing + send, Look: 120 * send}
}

const (
	// RetryWindow is how long a failed or unknown post waits for a person.
	RetryWindow = 30 * 24 * time.Hour
	// PatienceWithX is how long after its time, or its first try where that was later, a post
	// that X never took is still tried.
	PatienceWithX = 24 * time.Hour
	// MaxUnclear is how many tries in a row may vanish before a post fails: each one cost
	// two looks at the timeline, so it is surely not there.
	MaxUnclear = 5

	firstBackoff = 2 * time.Second
	maxBackoff   = 5 * time.Minute
)

// Backoff is the wait after the n-th try (from 1) that X never saw.
func Backoff(n int) time.Duration {
	wait := firstBackoff
	for range min(n, 20) - 1 {
		wait = min(2*wait, maxBackoff)
	}
	return wait
}

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
