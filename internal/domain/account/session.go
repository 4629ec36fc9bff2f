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
	// SessionLimit is how long a session lasts at most, however much it is used.
	SessionLimit = 90 * 24 * time.Hour
	// SlideEvery limits how often the expiry of an active session is updated.
	SlideEvery = 5 * time.Minute
	// TokenLife is the fixed lifetime of an API token.
	TokenLife = 15 * time.Minute
	// FreshFor is how long after a login sensitive actions are allowed.
	FreshFor = 10 * time.Minute
	// ActivationLinkLife is the lifetime of an ActivationLink.
	ActivationLinkLife = 7 * 24 * time.Hour
	// UndoLife is how long an owner can undo a change of the email address.
	UndoLife = 7 * 24 * time.Hour
	// DeviceLife is how long a browser that is not used for a login stays known.
	DeviceLife = 400 * 24 * time.Hour

	// MostSessions and MostDevices are kept for an account; a new one replaces the one used least recently.
	MostSessions = 50
	MostDevices  = 20

	tokenBytes = 32
)

// Provider is the login method.
type Provider string

const (
	ByX     Provider = "x"
	ByEmail Provider = "email"
	ByDev   Provider = "dev" // DEV_LOGIN, without proof
)

// Scope restricts a token. The empty scope is a full session.
type Scope string

// ScopeCredentials allows only the bot credential endpoints.
const ScopeCredentials Scope = "credentials"

// Session is a browser session or API token of an account. Only its holder has the token.
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

// Login is a session with its account.
type Login struct {
	Session      Session
	Account      Account
	Username     string // of the member, or empty
	MemberActive bool
	WhyFrozen    string // empty unless the membership is frozen
}

// Name is the X handle, or else the member's username.
func (l Login) Name() string {
	if l.Account.XHandle != "" {
		return l.Account.XHandle
	}
	return l.Username
}

// Expiry returns when a session that is used now expires. An API token keeps its expiry.
func (s Session) Expiry(now time.Time) time.Time {
	if s.Scope != "" {
		return s.CreatedAt.Add(TokenLife)
	}
	if end := s.CreatedAt.Add(SessionLimit); end.Before(now.Add(SessionLife)) {
		return end
	}
	return now.Add(SessionLife)
}

// Fresh reports whether the login is recent enough for sensitive actions.
func (s Session) Fresh(now time.Time) bool { return now.Sub(s.CreatedAt) < FreshFor }

// NewToken returns 256 random bits as 43 URL-safe characters.
func NewToken() string {
	secret := make([]byte, tokenBytes)
	_, _ = rand.Read(secret) // never fails
	return base64.RawURLEncoding.EncodeToString(secret)
}

// IsToken reports whether s has the format of a token.
func IsToken(s string) bool {
	secret, err := base64.RawURLEncoding.Strict().DecodeString(s)
	// The length is checked because the decoder skips line breaks.
	return err == nil && len(secret) == tokenBytes && len(s) == base64.RawURLEncoding.EncodedLen(tokenBytes)
}

// Hash is the stored form of a token. Tokens are random enough to need no salt.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// NewSession is the input for opening a session.
type NewSession struct {
	AccountID string
	Token     string
	Provider  Provider
	Scope     Scope
	Device    string
	Replaces  string // the browser's previous token, which is revoked
	Known     string // the browser's device token before this login; empty without one
	Browser   string // its new device token; empty if the browser is not remembered, as for an API token
}

// Device is a browser in which an account was logged in. Logins elsewhere are reported to the account by email.
type Device struct {
	ID        string
	AccountID string
	TokenHash string
	Name      string // "Firefox on Linux"
	CreatedAt time.Time
	SeenAt    time.Time
}

// AddressChange is a replaced email address, to which a link was sent that restores it.
type AddressChange struct {
	ID        string
	AccountID string
	TokenHash string
	Email     string // the replaced address
	CreatedAt time.Time
	ExpiresAt time.Time
}
