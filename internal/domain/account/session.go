package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"
)

const (
	// SessionLife is how long a session lasts without use.
	SessionLife = 30 * 24 * time.Hour
	// SlideEvery bounds how often a session in use is written.
	SlideEvery = 5 * time.Minute
	// TokenLife is how long a minted token lasts. It does not slide.
	TokenLife = 15 * time.Minute
	// FreshFor is how long after a login its session may do what only a person at the
	// keyboard should.
	FreshFor = 10 * time.Minute
	// ActivationLinkLife is how long the link of a welcome email works.
	ActivationLinkLife = 7 * 24 * time.Hour

	tokenBytes = 32
)

// Provider says how somebody proved who they are.
type Provider string

const (
	ByX     Provider = "x"
	ByEmail Provider = "email"
	ByDev   Provider = "dev" // DEV_LOGIN on a laptop: no proof at all
)

// Scope narrows what a token may do. The empty scope is a whole session.
type Scope string

// ScopeCredentials is for the calls about the bot's credentials alone.
const ScopeCredentials Scope = "credentials"

// Session is a browser, or a minted token, that acts for an account. The token itself is
// known to its holder only.
type Session struct {
	ID        string
	AccountID string
	TokenHash string
	Provider  Provider
	Scope     Scope
	Device    string // "Firefox on Linux"
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
}

// Login is a session with the account it is for.
type Login struct {
	Session      Session
	Account      Account
	Username     string // of the member; empty without one
	MemberActive bool
}

// Name is what the account is called: its handle with X, or the member's name.
func (l Login) Name() string {
	if l.Account.XHandle != "" {
		return l.Account.XHandle
	}
	return l.Username
}

// Fresh says whether the login is young enough for what asks for a recent one.
func (s Session) Fresh(now time.Time) bool { return now.Sub(s.CreatedAt) < FreshFor }

// NewToken makes a secret of 256 bits: 43 characters that need no escaping anywhere.
func NewToken() string {
	secret := make([]byte, tokenBytes)
	_, _ = rand.Read(secret) // does not fail
	return base64.RawURLEncoding.EncodeToString(secret)
}

// IsToken says whether it could be one of ours, before anything is looked up.
func IsToken(s string) bool {
	secret, err := base64.RawURLEncoding.Strict().DecodeString(s)
	// The length as well: the decoder passes over line breaks.
	return err == nil && len(secret) == tokenBytes && len(s) == base64.RawURLEncoding.EncodedLen(tokenBytes)
}

// Hash is the form in which tokens are stored. They are random enough to need no salt.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// NewSession is a session to be opened.
type NewSession struct {
	AccountID string
	Token     string
	Provider  Provider
	Scope     Scope
	Device    string
	Replaces  string // the token that the browser came with: it dies, whoever's it was
}
