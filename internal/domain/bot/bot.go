// Package bot holds the rules about what the bot posts with: its account's tokens, and the
// keys of the app at X. Values in, values out.
package bot

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
)

// Tokens let the app act for the bot's account.
type Tokens struct {
	AccessToken  string `json:"accessToken"`
	AccessSecret string `json:"accessSecret"`
}

// Keys are the app's own.
type Keys struct {
	ConsumerKey    string `json:"consumerKey"`
	ConsumerSecret string `json:"consumerSecret"`
}

// State of a connection.
type State string

const (
	Candidate State = "candidate" // being tried with X
	Current   State = "current"
	Removed   State = "removed"
	Refused   State = "refused"
)

// Connection is the bot's account at X, as somebody connected it.
type Connection struct {
	ID          string
	State       State
	SecretID    *string // the sealed Tokens
	UserID      string  // X's number; empty until X was asked
	Username    string
	Fingerprint string
	Code        string // why it was refused or cannot be used
	Reason      string
	AccountID   *string // who connected it; nil: the configuration
	RunID       string
	CreatedAt   time.Time
	EndedAt     *time.Time
}

// TableName is the table of the rows.
func (Connection) TableName() string { return "bot_connections" }

// KeyState is the state of the app's keys.
type KeyState string

const (
	KeysCandidate KeyState = "candidate" // the diagnostic tries them
	KeysCurrent   KeyState = "current"
	KeysPrevious  KeyState = "previous" // kept for a way back
	KeysDiscarded KeyState = "discarded"
	KeysRefused   KeyState = "refused"
)

// KeepPrevious is how long replaced keys are kept.
const KeepPrevious = 24 * time.Hour

// ProviderKeys are the app's keys and where they stand.
type ProviderKeys struct {
	ID          string
	State       KeyState
	SecretID    *string // the sealed Keys
	Fingerprint string
	Code        string
	Reason      string
	AccountID   *string
	RunID       string
	CreatedAt   time.Time
	EndsAt      *time.Time // of previous ones: until when
}

// Fingerprint names a pair of secrets without telling them.
func Fingerprint(name, secret string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + secret))
	return hex.EncodeToString(sum[:6])
}

// Trim takes a pasted secret: what stands around it is never part of it.
func Trim(s string) string { return strings.TrimSpace(s) }

const longestSecret = 500

// CheckTokens refuses what cannot be the bot's tokens, before X is asked.
func CheckTokens(t Tokens) error {
	return checkPair("accessToken", t.AccessToken, "accessTokenSecret", t.AccessSecret)
}

// CheckKeys refuses what cannot be an app's keys.
func CheckKeys(k Keys) error {
	return checkPair("clientId", k.ConsumerKey, "clientSecret", k.ConsumerSecret)
}

func checkPair(nameField, name, secretField, secret string) error {
	var details []problem.Detail
	for field, value := range map[string]string{nameField: name, secretField: secret} {
		if reason := unfit(value); reason != "" {
			details = append(details, problem.Detail{Field: "body." + field, Reason: reason})
		}
	}
	if len(details) == 0 {
		return nil
	}
	return &problem.Error{Code: problem.Invalid, Message: "These cannot be keys of X: see details.", Details: details}
}

func unfit(value string) string {
	switch {
	case value == "":
		return "it is empty"
	case len(value) > longestSecret:
		return "it is too long"
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "it holds spaces, or signs that no key has"
	}
	return ""
}

// PostingControls are what founders hold posts back with.
type PostingControls struct {
	Approval    bool       // members' posts wait until a founder has approved them
	PausedAt    *time.Time // nothing is sent since then; nil: the bot is not paused
	PausedBy    string
	PauseReason string // for everybody to read; may be empty
}

// Paused says that nothing may be sent.
func (b PostingControls) Paused() bool { return b.PausedAt != nil }

// ControlsChange alters the controls. What is nil stays as it is.
type ControlsChange struct {
	Paused   *bool
	Reason   string // why it is paused; of no use otherwise
	Approval *bool
}

// After is the controls once somebody has changed them. Pausing what is paused keeps when and by
// whom, unless it gives another reason.
func (b PostingControls) After(c ControlsChange, by string, at time.Time) PostingControls {
	if c.Approval != nil {
		b.Approval = *c.Approval
	}
	if c.Paused == nil {
		return b
	}
	if !*c.Paused {
		b.PausedAt, b.PausedBy, b.PauseReason = nil, "", ""
		return b
	}
	why := strings.TrimRight(strings.Join(strings.Fields(c.Reason), " "), ". ")
	if !b.Paused() || (why != "" && why != b.PauseReason) {
		b.PausedAt, b.PausedBy, b.PauseReason = &at, by, why
	}
	return b
}
