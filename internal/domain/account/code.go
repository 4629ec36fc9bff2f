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
	LiveKey   *string // unique: the newest code of a subject is the only one
	AccountID *string // nil: nobody, or for an address nobody has yet
	Address   string  // the new one, of a code for an address
	Mark      string  // a keyed digest of the code
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
	if len(code) != codeDigits {
		return "", false
	}
	for _, digit := range []byte(code) {
		if digit < '0' || digit > '9' {
			return "", false
		}
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
	Facts   map[string]string // of the letter, the code included
}

// Guess is a code that somebody typed in.
type Guess struct {
	Purpose Purpose
	Subject string
	Visitor string
	Code    string
}
