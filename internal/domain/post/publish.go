package post

import (
	"errors"
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

// Draft is what goes to X.
type Draft struct {
	Text            string
	MadeWithAI      bool
	PaidPartnership bool
}

// Tweet is a post as X has it. Text is as people wrote it: links and signs restored.
type Tweet struct {
	ID, Text, URL string
	CreatedAt     time.Time
}

// Class says what an answer of X, or the lack of one, means for a post.
type Class string

const (
	NotSent        Class = "not_sent"        // the request provably never left
	RateLimited    Class = "rate_limited"    // not before RetryAt
	Refused        Class = "refused"         // this post will never do
	Duplicate      Class = "duplicate"       // X has this text already
	AccountRefused Class = "account_refused" // no post will do, until somebody mends the account
	Unclear        Class = "unclear"         // it may have happened
)

// XError is a failed call to X. Its texts hold no secret.
type XError struct {
	Class   Class
	Status  int    // HTTP; 0 when there was no answer
	Code    string // ours: x_duplicate, x_no_credits, …
	RetryAt time.Time
	Message string // a sentence for people that names the remedy
}

func (e *XError) Error() string { return e.Message }

// AccountTrouble is what keeps the whole account from posting, when that is what a code
// of X means; else nothing.
func AccountTrouble(code string) string { return accountTrouble[code] }

var accountTrouble = map[string]string{
	CodeNotConnected: "The bot is not connected to an X account.",
	"x_bad_token":    "X does not accept the bot's keys.",
	"x_cap_reached":  "The bot has used up what X allows it this month.",
	"x_no_credits":   "The bot's X account is out of credits.",
	"x_not_enrolled": "The bot's app is not enrolled with X.",
	"x_read_only":    "The bot's keys may only read.",
	"x_suspended":    "X has suspended or locked the bot's account.",
}

// CodeNotConnected says that a post waits because the bot has no account to post with.
const CodeNotConnected = "x_not_connected"

// ErrNotConnected means that the bot has no account to post with. Nothing was sent.
var ErrNotConnected = errors.New("the bot is not connected to an X account")

// NotConnectedReason is what people read at a post that waits for it.
const NotConnectedReason = "The bot is not connected to an X account. The post waits, and goes out when a founder connects it."

// NotConnectedWait is how long a post waits before it looks again by itself.
const NotConnectedWait = time.Hour

// Checkpoint is an age at which a published post's public metrics are read.
type Checkpoint string

const (
	CheckpointHour Checkpoint = "1h"
	CheckpointDay  Checkpoint = "24h"
	CheckpointWeek Checkpoint = "7d"
)

// Checkpoints lists each with its age, youngest first.
var Checkpoints = []struct {
	Name Checkpoint
	Age  time.Duration
}{
	{CheckpointHour, time.Hour},
	{CheckpointDay, 24 * time.Hour},
	{CheckpointWeek, 7 * 24 * time.Hour},
}

// Metrics are the public counts of a tweet.
type Metrics struct{ Likes, Reposts, Replies, Quotes int }
