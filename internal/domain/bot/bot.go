// Package bot holds the rules for the bot's X credentials and posting controls. Pure functions: no clock,
// no I/O.
package bot

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
)

// Tokens are the access token and secret of the bot's account.
type Tokens struct {
	AccessToken  string `json:"accessToken"`
	AccessSecret string `json:"accessSecret"`
}

// Keys are the consumer key and secret of the app.
type Keys struct {
	ConsumerKey    string `json:"consumerKey"`
	ConsumerSecret string `json:"consumerSecret"`
}

// State is the state of a connection.
type State string

const (
	Candidate State = "candidate" // being verified with X
	Current   State = "current"
	Removed   State = "removed"
	Refused   State = "refused"
)

// Connection is the bot's account on X.
type Connection struct {
	ID          string
	State       State
	SecretID    *string // the encrypted Tokens
	UserID      string  // X's user ID; empty until verified
	Username    string
	Fingerprint string
	Code        string // why it was refused or cannot be used
	Reason      string
	AccountID   *string // the founder who connected it; nil: configured
	RunID       string
	CreatedAt   time.Time
	EndedAt     *time.Time
}

// TableName is the GORM table name.
func (Connection) TableName() string { return "bot_connections" }

// KeyState is the state of the app keys.
type KeyState string

const (
	KeysCandidate KeyState = "candidate" // being tested by the diagnosis
	KeysCurrent   KeyState = "current"
	KeysPrevious  KeyState = "previous" // kept for a rollback
	KeysDiscarded KeyState = "discarded"
	KeysRefused   KeyState = "refused"
)

// KeepPrevious is how long replaced keys are kept.
const KeepPrevious = 24 * time.Hour

// ProviderKeys is a stored pair of app keys.
type ProviderKeys struct {
	ID          string
	State       KeyState
	SecretID    *string // the encrypted Keys
	Fingerprint string
	Code        string
	Reason      string
	AccountID   *string
	RunID       string
	CreatedAt   time.Time
	EndsAt      *time.Time // of previous keys
}

// Fingerprint identifies a pair of secrets without revealing them.
func Fingerprint(name, secret string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + secret))
	return hex.EncodeToString(sum[:6])
}

// Trim removes whitespace around a pasted secret.
func Trim(s string) string { return strings.TrimSpace(s) }

const longestSecret = 500

// CheckTokens rejects malformed tokens before X is called.
func CheckTokens(t Tokens) error {
	return checkPair("accessToken", t.AccessToken, "accessTokenSecret", t.AccessSecret)
}

// CheckKeys rejects malformed app keys.
func CheckKeys(k Keys) error {
	return checkPair("clientId", k.ConsumerKey, "clientSecret", k.ConsumerSecret)
}

func checkPair(nameField, name, secretField, secret string) error {
	var wrong []string
	var details []problem.Detail
	for _, field := range [][2]string{{nameField, name}, {secretField, secret}} {
		if reason := invalidSecret(field[1]); reason != "" {
			wrong, details = append(wrong, field[0]), append(details, problem.Detail{Field: "body." + field[0], Reason: reason})
		}
	}
	if len(details) == 0 {
		return nil
	}
	message := "Nothing was changed, because these are not valid X keys: " + strings.Join(wrong, ", ") + ". See details."
	return &problem.Error{Code: problem.Invalid, Message: message, Details: details}
}

func invalidSecret(value string) string {
	switch {
	case value == "":
		return "must not be empty"
	case len(value) > longestSecret:
		return "is too long"
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "contains spaces or other invalid characters"
	}
	return ""
}

// PostingControls are the founders' controls over sending posts.
type PostingControls struct {
	Approval    bool       // members' posts need a founder's approval
	PausedAt    *time.Time // nil: not paused
	PausedBy    string
	PauseReason string // public; may be empty
}

// Paused reports whether sending is paused.
func (b PostingControls) Paused() bool { return b.PausedAt != nil }

// ControlsChange is a change of the controls. Nil fields keep their value.
type ControlsChange struct {
	Paused   *bool
	Reason   string // only used when pausing
	Approval *bool
}

// After returns the controls after a change. Pausing again keeps the time and founder unless the reason
// differs.
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
