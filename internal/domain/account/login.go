package account

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
	"time"
)

const (
	// CodeLife is the lifetime of a code.
	CodeLife = 10 * time.Minute
	// CodeTries is the number of attempts; the database counts them.
	CodeTries = 5

	codeDigits = 6
)

// Purpose is what a code verifies.
type Purpose string

const (
	ForLogin   Purpose = "login"   // the account's owner
	ForAddress Purpose = "address" // a new address
)

// Code is an emailed code. Unknown accounts get a row too, so that responses do not reveal which accounts
// exist.
type Code struct {
	ID        string
	Purpose   Purpose
	Subject   string  // a keyed digest of the typed address or name
	OpenKey   *string // unique: only the newest code that a browser requested for a subject is valid
	AccountID *string // nil: no account has this name or address
	Address   string  // the new address, for ForAddress
	CodeMAC   string  // a keyed digest of the code
	Tries     int
	CreatedAt time.Time
	ExpiresAt time.Time
}

// TableName is the GORM table name.
func (Code) TableName() string { return "login_codes" }

// RandomCode returns 6 random digits.
func RandomCode() string {
	n, _ := rand.Int(rand.Reader, big.NewInt(1_000_000)) // never fails
	return fmt.Sprintf("%0*d", codeDigits, n)
}

// ReadCode parses a code as typed, such as "123 456".
func ReadCode(typed string) (string, bool) {
	code := strings.Join(strings.FieldsFunc(typed, func(r rune) bool { return r == ' ' || r == '-' }), "")
	if len(code) != codeDigits || strings.Trim(code, "0123456789") != "" {
		return "", false
	}
	return code, true
}

// NewCode is the input for sending a code.
type NewCode struct {
	Purpose Purpose
	Subject string // keyed digest of the typed text
	Asker   Asker
	Account *Account
	Address string // recipient; empty: store a row but send no email
	Code    string
	Facts   map[string]string // template values, including the code
}

// Undo is the input for the email to a replaced address.
type Undo struct {
	Token string
	Facts map[string]string // template values, including the link with the token
}

// Guess is a typed code.
type Guess struct {
	Purpose Purpose
	Subject string
	Asker   Asker
	Code    string
}

// XLogin is a login with X.
type XLogin struct {
	ID          string
	BrowserHash string  // of a cookie that ties the login to the browser
	TokenHash   *string // of the request token
	SecretID    *string // the encrypted RequestToken
	Next        string  // the page to return to
	Device      string
	State       XLoginState
	Outcome     Outcome
	Detail      string // a word for the banner, never external text
	AccountID   *string
	RunID       string
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// RequestToken is X's request token and, after the return from X, the verifier.
type RequestToken struct {
	Token    string `json:"token"`
	Secret   string `json:"secret"`
	Verifier string `json:"verifier,omitempty"`
}

// XLoginState is the progress of a login with X.
type XLoginState string

const (
	RequestingToken XLoginState = "requesting_token" // requesting a token from X
	Redirected      XLoginState = "redirected"       // on X's consent page
	Verifying       XLoginState = "verifying"        // verifying the account with X
	Ended           XLoginState = "ended"
)

// XLoginLife is the time limit of a login with X.
const XLoginLife = 10 * time.Minute

// Outcome is the result of a login with X, used by the pages.
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
	XRefused          Outcome = "x_refused"  // X refused the request token; see the diagnosis
	TooMany           Outcome = "too_many"   // rate limited
	SandboxOpen       Outcome = "sandbox_on" // the sandbox must not log in strangers
)

// Returned is the data with which a browser returns from X.
type Returned struct {
	Token       string // request token
	BrowserHash string // of the login cookie
	Verifier    string // empty: denied
}

// XUser is an account on X.
type XUser struct {
	ID, Handle string
	Avatar     string // profile picture as a data URL; empty if unknown
}

// XTrouble classifies a failed call to X.
type XTrouble string

const (
	TroubleDown     XTrouble = "down"     // unreachable or failing
	TroubleRefused  XTrouble = "refused"  // refused the request
	TroubleNonsense XTrouble = "nonsense" // invalid response
)

// XError is a failed call to X during a login. Its texts contain no secrets.
type XError struct {
	Trouble XTrouble
	Status  int    // HTTP; 0 without a response
	Message string // follows "X: "
}

func (e *XError) Error() string { return "X: " + e.Message }
