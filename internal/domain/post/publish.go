package post

import (
	"errors"
	"time"
)

// Timing is the deadlines of an attempt and the delays before reconciliation. Send < Close < Settle
// prevents duplicates: by the time the timeline is read, no request can still be running.
type Timing struct {
	Send   time.Duration // deadline of the HTTP call
	Close  time.Duration // the activity around it: arm, call, record
	Settle time.Duration // from arming to the first timeline check, and from there to the second
	Look   time.Duration // how long an unreadable timeline is retried
}

// TimingFor derives the timing from the deadline of the HTTP call.
func TimingFor(send time.Duration) Timing {
	closing := send + max(send/2, 2*time.Second)
	return Timing{Send: send, Close: closing, Settle: closing + send, Look: 120 * send}
}

const (
	// RetryWindow is how long a person can retry a failed or unknown post.
	RetryWindow = 30 * 24 * time.Hour
	// PatienceWithX is how long a post that X never accepted is retried, from its time or its first
	// attempt, whichever is later.
	PatienceWithX = 24 * time.Hour
	// MaxUnclear is the number of unclear attempts in a row after which a post fails. Each was checked
	// twice on the timeline.
	MaxUnclear = 5

	firstBackoff = 2 * time.Second
	maxBackoff   = 5 * time.Minute
)

// Backoff is the delay after the n-th attempt (from 1) that never reached X.
func Backoff(n int) time.Duration {
	wait := firstBackoff
	for range min(n, 20) - 1 {
		wait = min(2*wait, maxBackoff)
	}
	return wait
}

// Change is an edit of a post that is not being sent. Nil fields keep their value.
type Change struct {
	Text        *string
	ScheduledAt *time.Time
	Version     *int // the version the person saw; a different current version is a conflict
	Schedule    bool // schedule a draft
	Gated       bool // the caller's posts need a founder's approval
	// Reviewer is set if a founder makes the change; scheduling a post then also approves it.
	Reviewer string
}

// DoneTo reports whether the change was already applied to the version that the person saw, so that a
// retry after a lost response succeeds.
func (c Change) DoneTo(p Post) bool {
	return c.Version != nil && p.Version == *c.Version+1 && (c.Text == nil || *c.Text == p.Text) &&
		(c.ScheduledAt == nil || c.ScheduledAt.Truncate(time.Microsecond).Equal(p.ScheduledAt))
}

// Verdict is the result of an armed attempt.
type Verdict struct {
	Attempt int
	Outcome Outcome
	Code    string
	Reason  string
	Until   time.Time // OutcomeWaiting, OutcomeAbsent: not before
	TweetID string    // OutcomePublished
	URL     string
	At      time.Time
	Final   bool // OutcomeWaiting, OutcomeAbsent: no further attempt
}

// Reading is a post whose public metrics are due to be read.
type Reading struct {
	PostID, TweetID string
	Checkpoint      Checkpoint
}

// Draft is the content sent to X.
type Draft struct {
	Text            string
	PaidPartnership bool
}

// Tweet is a post as returned by X, with links and HTML entities in Text restored.
type Tweet struct {
	ID, Text, URL string
	CreatedAt     time.Time
}

// Class classifies an error response of X, or a missing one.
type Class string

const (
	NotSent        Class = "not_sent"        // the request was certainly not sent
	RateLimited    Class = "rate_limited"    // not before RetryAt
	Refused        Class = "refused"         // this post will never be accepted
	Duplicate      Class = "duplicate"       // X already has this text
	AccountRefused Class = "account_refused" // no post is accepted until a person fixes the account
	Unclear        Class = "unclear"         // the post may have been published
)

// XError is a failed call to X. Its texts contain no secrets.
type XError struct {
	Class   Class
	Status  int    // HTTP; 0 without a response
	Code    string // ours: x_duplicate, x_no_credits, …
	RetryAt time.Time
	Message string // a sentence that names the remedy
}

func (e *XError) Error() string { return e.Message }

// AccountTrouble returns the sentence for a code that blocks the whole account, or "".
func AccountTrouble(code string) string { return accountTrouble[code] }

var accountTrouble = map[string]string{
	CodeNotConnected: "The bot is not connected to an X account.",
	"x_bad_token":    "X does not accept the bot's keys.",
	"x_cap_reached":  "The bot has reached X's monthly limit.",
	"x_no_credits":   "The bot's X account is out of credits.",
	"x_not_enrolled": "The bot's app is not enrolled with X.",
	"x_read_only":    "The bot's keys are read-only.",
	"x_suspended":    "X has suspended or locked the bot's account.",
}

// CodeDuplicate is the code of posts whose text X already has.
const CodeDuplicate = "x_duplicate"

// CodeNotConnected is the code of posts that wait because the bot has no account.
const CodeNotConnected = "x_not_connected"

// ErrNotConnected means that the bot has no account. Nothing was sent.
var ErrNotConnected = errors.New("the bot is not connected to an X account")

// NotConnectedReason is the message of a post that waits for a connection.
const NotConnectedReason = "The bot is not connected to an X account. The post will be sent when a founder connects it."

// NotConnectedWait is how long a post waits before it checks again without a signal.
const NotConnectedWait = time.Hour

// Checkpoint is an age at which a published post's metrics are read.
type Checkpoint string

const (
	CheckpointHour Checkpoint = "1h"
	CheckpointDay  Checkpoint = "24h"
	CheckpointWeek Checkpoint = "7d"
)

// Checkpoints lists all checkpoints, youngest first.
var Checkpoints = []struct {
	Name Checkpoint
	Age  time.Duration
}{
	{CheckpointHour, time.Hour},
	{CheckpointDay, 24 * time.Hour},
	{CheckpointWeek, 7 * 24 * time.Hour},
}

// Metrics are a tweet's public counts.
type Metrics struct{ Likes, Reposts, Replies, Quotes int }
