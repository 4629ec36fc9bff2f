package post

import (
	"errors"
	"time"
)

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
