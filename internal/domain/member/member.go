// Package member holds the rules of membership: names, fees and the credit book. Values
// in, values out: no clock, no I/O.
package member

import (
	"regexp"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
)

const (
	// FoundingFeeCents is the list price of a membership.
	FoundingFeeCents = 900
	// FoundingCredits come with the fee.
	FoundingCredits = 90
)

// Status of a membership.
type Status string

const (
	StatusActive  Status = "active"
	StatusFrozen  Status = "frozen" // refunded: keeps its history, holds no share
	StatusRemoved Status = "removed"
)

// Member is a founding member, also called shareholder: the share is of the posting
// quota, not of the company.
type Member struct {
	ID           string
	Username     string // as X writes it, without @
	UsernameKey  string // lower case, unique
	Status       Status
	PaymentCents int
	JoinedAt     time.Time
}

var username = regexp.MustCompile(`^[A-Za-z0-9_]{1,15}$`)

// ParseUsername reads an X handle, with or without @.
func ParseUsername(s string) (string, error) {
	name := strings.TrimPrefix(strings.TrimSpace(s), "@")
	if !username.MatchString(name) {
		return "", problem.New(problem.Invalid,
			"A username has 1 to 15 letters (a to z), digits or underscores, as on X.")
	}
	return name, nil
}

// Key is the form of a username in which it is unique: X ignores case.
func Key(username string) string { return strings.ToLower(username) }

// Reason says why credits were given or taken.
type Reason string

const (
	ReasonFoundingFee Reason = "founding_fee"
	ReasonTour        Reason = "tour"
	ReasonPartnership Reason = "partnership"
	ReasonPost        Reason = "post"
	ReasonRefund      Reason = "refund"
	ReasonAdjust      Reason = "adjust"
)

// CreditEntry is a line of a member's book. Balance is the sum so far, so that the
// database itself refuses an overdraft.
type CreditEntry struct {
	MemberID  string
	Seq       int
	Delta     int
	Balance   int
	Reason    Reason
	EntryKey  string // unique: the same event is booked once
	PostID    *string
	CreatedAt time.Time
}

// Account is a member with what the books say of them.
type Account struct {
	Member
	Email     string // of the account that is the member's; empty without one
	Credits   int
	SlotsHeld int // of the month asked for: reserved and spent
}
