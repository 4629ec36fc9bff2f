package account

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
	"time"
)

const (
	// CodeLife is how long a code may be typed in.
	CodeLife = 10 * time.Minute
	// CodeTries is how often; the database counts.
	CodeTries = 5

	codeDigits = 6
)

// Purpose says what a code proves.
type Purpose string

const (
	ForLogin   Purpose = "login"   // that the account's owner is there
	ForAddress Purpose = "address" // that a new address is theirs
)

// Code is a code that was mailed. Unknown accounts get a row like known ones, so that
// nobody learns from us who is who.
type Code struct {
	ID        string
	Purpose   Purpose
	Subject   string  // a keyed digest of the address or the name that was typed in
	OpenKey   *string // unique: the newest code of a subject is the only one
	AccountID *string // nil: nobody, or for an address nobody has yet
	Address   string  // the new one, of a code for an address
	CodeMAC   string  // a keyed digest of the code
	Tries     int
	CreatedAt time.Time
	ExpiresAt time.Time
}

// TableName is where codes are kept.
func (Code) TableName() string { return "login_codes" }

// RandomCode makes six digits that nobody can foresee.
func RandomCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return fmt.Sprintf("%0*d", codeDigits, n)
}

// ReadCode takes a code as people type it: "123 456".
func ReadCode(typed string) (string, bool) {
	code := strings.Join(strings.FieldsFunc(typed, func(r rune) bool { return r == ' ' || r == '-' }), "")
	if len(code) != codeDigits || strings.Trim(code, "0123456789") != "" {
		return "", false
	}
	return code, true
}

// NewCode is a code to be mailed.
type NewCode struct {
	Purpose Purpose
	Subject string // keyed digest of what was typed in
	Visitor string // keyed digest of the network address
	Account *Account
	Address string // whom to mail; empty: nobody, who gets a row like anybody
	Code    string
	Facts   map[string]string // of the email, the code included
}

// Guess is a code that somebody typed in.
type Guess struct {
	Purpose Purpose
	Subject string
	Visitor string
	Code    string
}

// XLogin is a login through X under way.
type XLogin struct {
	ID          string
	BrowserHash string  // of a cookie: who began it ends it
	TokenHash   *string // of the request token
	SecretID    *string // its secret and, once they are back, the verifier, sealed
	Next        string  // the page to return to
	Device      string
	State       XLoginState
	Outcome     Outcome
	Detail      string // a word for the banner, never a text of somebody else's
	AccountID   *string
	RunID       string
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// RequestToken is what a login keeps sealed: X's request token and, once the person is
// back, the verifier.
type RequestToken struct {
	Token    string `json:"token"`
	Secret   string `json:"secret"`
	Verifier string `json:"verifier,omitempty"`
}

// XLoginState says where the person is.
type XLoginState string

const (
	RequestingToken XLoginState = "requesting_token" // X is asked for a request token
	Redirected      XLoginState = "redirected"       // on X's consent page
	Verifying       XLoginState = "verifying"        // X is asked who it was
	Ended           XLoginState = "ended"
)

// XLoginLife is how long somebody may stay away.
const XLoginLife = 10 * time.Minute

// Outcome is how a login through X ends. The words are the contract with the pages.
type Outcome string

const (
	LoggedIn          Outcome = "logged_in"
	Denied            Outcome = "denied"
	Unauthorized      Outcome = "unauthorized"
	ExpiredToken      Outcome = "expired_token"
	XDown             Outcome = "x_api_down"
	AccessTokenFailed Outcome = "access_token_failed"
	InvalidResponse   Outcome = "invalid_response"
	ServerError       Outcome = "server_error"
	XRefused          Outcome = "x_refused"  // X would not even begin: the diagnostic says why
	TooMany           Outcome = "too_many"   // logins, in too short a time
	SandboxOpen       Outcome = "sandbox_on" // the stand-in must not let strangers in
)

// Returned is what a browser brings back from X.
type Returned struct {
	Token       string // of the request
	BrowserHash string // of the cookie that the browser left with
	Verifier    string // empty: the person said no
}

// XUser is who X says somebody is.
type XUser struct{ ID, Handle string }

// XTrouble says what kind of no X gave to a login.
type XTrouble string

const (
	TroubleDown     XTrouble = "down"     // it cannot be reached, or has trouble of its own
	TroubleRefused  XTrouble = "refused"  // it said no
	TroubleNonsense XTrouble = "nonsense" // its answer made no sense
)

// XError is a failed call of a login to X. Its texts hold no secret.
type XError struct {
	Trouble XTrouble
	Status  int    // HTTP; 0 without an answer
	Message string // what X did, or its own words; goes on after "X: "
}

func (e *XError) Error() string { return "X: " + e.Message }
