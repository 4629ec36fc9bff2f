// Package member holds the rules of membership: usernames, fees and the credit ledger. Pure functions: no
// clock, no I/O.
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
	// FoundingCredits are included in the fee.
	FoundingCredits = 90
)

// Status of a membership.
type Status string

const (
	StatusActive  Status = "active"
	StatusFrozen  Status = "frozen" // keeps its history, has no share, and its votes do not count
	StatusRemoved Status = "removed"
)

// Member is a founding member, also called shareholder: the share is a part of the posting quota, not of
// the company.
type Member struct {
	ID           string
	Username     string // as written on X, without @
	UsernameKey  string // Key(Username), unique
	Status       Status
	PaymentCents int // 0: added by a founder, without a payment
	JoinedAt     time.Time
	FrozenBy     Cause
	FrozenNote   string // a founder's public reason, or empty
}

// Cause is why a membership is frozen; empty if it is not.
type Cause string

const (
	ByRefund  Cause = "refund"
	ByDispute Cause = "dispute"
	ByFounder Cause = "founder" // only a founder can end it
)

// WhyFrozen is the reason as shown to the member, or empty unless the membership is frozen.
func (m Member) WhyFrozen() string {
	switch {
	case m.Status != StatusFrozen:
		return ""
	case m.FrozenBy == ByFounder:
		return strings.TrimSpace("A founder froze this membership. " + m.FrozenNote)
	case m.FrozenBy == ByDispute:
		return "Your bank disputes the payment for this membership. It is restored if the dispute is withdrawn or decided in our favor, or if you pay again."
	default:
		return "The payment for this membership was refunded. Pay again to resume it."
	}
}

// How a member came in.
const (
	Paid    = "paid"
	Granted = "granted" // added by a founder, without a payment
)

// Payment is Paid or Granted.
func (m Member) Payment() string {
	if m.PaymentCents == 0 {
		return Granted
	}
	return Paid
}

var username = regexp.MustCompile(`^[A-Za-z0-9_]{1,15}$`)

// ParseUsername parses an X handle with or without @.
func ParseUsername(s string) (string, error) {
	name := strings.TrimPrefix(strings.TrimSpace(s), "@")
	if !username.MatchString(name) {
		return "", problem.New(problem.Invalid,
			"A username has 1 to 15 letters (a to z), digits or underscores, as on X.")
	}
	return name, nil
}

// Key is the unique form of a username; X ignores case.
func Key(username string) string { return strings.ToLower(username) }

// Reason is why credits were added or deducted.
type Reason string

const (
	ReasonFoundingFee Reason = "founding_fee"
	ReasonTour        Reason = "tour"
	ReasonPartnership Reason = "partnership"
	ReasonPost        Reason = "post"
	ReasonRefund      Reason = "refund"
	ReasonGranted     Reason = "adjust" // credits of a member whom a founder added
)

// CreditEntry is an entry of a member's credit ledger. Balance is the running total, which lets the
// database refuse an overdraft.
type CreditEntry struct {
	MemberID  string
	Seq       int
	Delta     int
	Balance   int
	Reason    Reason
	EntryKey  string // unique, so that an event is booked once
	PostID    *string
	CreatedAt time.Time
}

// Account is a member with email address, credits and slots.
type Account struct {
	Member
	Email     string // of the linked account, or empty
	Credits   int
	SlotsHeld int // reserved and spent in the requested month
}
