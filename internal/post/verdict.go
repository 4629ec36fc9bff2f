package post

import "time"

// Change is what a person may alter in a post that is not being sent. Nil leaves as is.
type Change struct {
	Text        *string
	ScheduledAt *time.Time
	Version     *int // the version the person saw; somebody else's change in between is a conflict
	Schedule    bool // make a draft go out at its time
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
