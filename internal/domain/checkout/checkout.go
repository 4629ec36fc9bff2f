// Package checkout holds the rules of buying a membership: what a checkout is, how it moves
// from the quote to its end, and what the payment service is asked. Values in, values out:
// no clock, no I/O.
package checkout

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/pricing"
)

// Service is what can be bought.
const Service = "founding_membership"

// State is where a checkout stands.
type State string

const (
	Quoting   State = "quoting" // a price is being decided, a payment page made
	Open      State = "open"    // it can be paid
	Paid      State = "paid"
	Expired   State = "expired"
	Cancelled State = "cancelled"
	Failed    State = "failed" // there was no payment page to be had
	Refunded  State = "refunded"
)

// States are all of them.
var States = []State{Quoting, Open, Paid, Expired, Cancelled, Failed, Refunded}

// Live says whether it can still be paid.
func (s State) Live() bool { return s == Quoting || s == Open }

// Settled says whether money came in.
func (s State) Settled() bool { return s == Paid || s == Refunded }

const (
	// OfferLife is how long a payment page can be paid: half an hour, and a minute because
	// clocks differ and the payment service takes no less than half an hour.
	OfferLife = 31 * time.Minute
	// Grace is how long after its end a page is looked at: the service ends it by its own clock.
	Grace = 5 * time.Second
)

// Checkout is somebody buying a membership. Its ID cannot be guessed: whoever has it may
// read its receipt.
type Checkout struct {
	ID            string
	DecisionID    string
	OpenKey       *string // unique: a visitor has one open payment page of a kind
	Demo          bool    // in test mode: nobody becomes a member
	State         State
	CouponID      string
	SessionID     *string
	PaymentURL    string
	ExpiresAt     *time.Time
	PaymentIntent *string
	PaidCents     int
	FeeCents      int // what the payment service kept
	RefundedCents int
	MemberID      *string
	Code          string // why it ended so
	Reason        string // the same for people
	RunID         string
	CreatedAt     time.Time
	UpdatedAt     time.Time
	PaidAt        *time.Time
	EndedAt       *time.Time
}

// Codes of checkouts that did not end as they were meant to.
const (
	CodeAlreadyMember = "already_member" // somebody with this address is a member: the money goes back
	CodeNoAddress     = "no_address"     // the buyer left no address that we can write to
	CodeNoPage        = "payment_unavailable"
)

// Receipt is a checkout with its price.
type Receipt struct {
	Checkout
	Decision pricing.Decision
}

// EventKind is what an event is about.
type EventKind string

const (
	OtherEvent EventKind = ""
	Payment    EventKind = "payment" // of a payment page
	Refund     EventKind = "refund"
)

// Kind says what is to be looked at. Events of other types are nothing to us.
func (e Event) Kind() EventKind {
	switch e.Type {
	case "checkout.session.completed", "checkout.session.expired", "checkout.session.async_payment_succeeded":
		return Payment
	case "charge.refunded":
		return Refund
	}
	return OtherEvent
}

// Dollars is an amount as people write it.
func Dollars(cents int) string { return fmt.Sprintf("$%d.%02d", cents/100, cents%100) }

// Buyer is who becomes a member when a payment came in.
type Buyer struct {
	MemberID string
	Username string            // made up, until they choose one
	Welcome  *account.Welcome  // nil: they left no address that we can write to
	Receipt  map[string]string // facts of the receipt's letter
}

// NewUsername makes a name up for somebody who has not chosen one.
func NewUsername() string { return "zero_" + strings.ToLower(rand.Text()[:8]) }

// Listed is a checkout as lists show it.
type Listed struct {
	Checkout
	Username string // of who became a member by it; empty: nobody did
}

// Filter narrows a list of checkouts.
type Filter struct {
	Paid          bool // only those that money came in for
	Limit, Offset int
}

// Refundable says whether there is a payment that can be sent back.
func (c Checkout) Refundable() bool { return c.State == Paid && c.PaymentIntent != nil }

// Request is what somebody who wants to buy is known by.
type Request struct {
	ID        string  // of the checkout to be, if none is open
	Visitor   *string // nil: nobody counted, or the demo
	Personal  bool
	Why       pricing.Why // not personal
	Behaviour pricing.Behaviour
	Demo      bool
}

// NewID names a checkout. Nobody guesses it: 128 bits.
func NewID() string { return strings.ToLower(rand.Text()) }

// OpenKey is what a visitor has one open payment page of; nil for who is not known.
func (a Request) OpenKey() *string {
	if a.Visitor == nil {
		return nil
	}
	key := *a.Visitor + ":list"
	if a.Personal {
		key = *a.Visitor + ":personal"
	}
	return &key
}

// Budget is what discounts must keep to. Amounts in cents.
type Budget struct {
	FloorCents int // no price is lower
	MonthCents int // all discounts of a month together
}

// Payable says whether an open page can be paid for long enough to be worth showing.
func (c Checkout) Payable(at time.Time) bool {
	if c.State != Open || c.ExpiresAt == nil {
		return c.State == Quoting
	}
	enough := min(worthShowing, c.ExpiresAt.Sub(c.CreatedAt)/15)
	return at.Add(enough).Before(*c.ExpiresAt)
}

const worthShowing = 2 * time.Minute // of a page that lasts for half an hour

// Offer is what a buyer is asked to pay. It is decided once and stored, so that every try
// sends the payment service the same.
type Offer struct {
	CheckoutID      string
	ListCents       int
	DiscountPercent int // whole, so that the price is a whole number of cents
	Attempt         int // part of the idempotency key: a service that failed keeps its failure under the old one
	ExpiresAt       time.Time
	SuccessURL      string
	CancelURL       string
	Demo            bool
}

// CouponID names the discount of a checkout. It is known before there is one, so that one
// that was made without an answer can be taken back.
func CouponID(checkoutID string) string { return "cz-" + checkoutID }

// SessionStatus is where a payment page stands.
type SessionStatus string

const (
	SessionOpen     SessionStatus = "open"
	SessionComplete SessionStatus = "complete"
	SessionExpired  SessionStatus = "expired"
)

// Session is a payment page as the payment service shows it.
type Session struct {
	ID            string
	CheckoutID    string
	URL           string // empty unless open
	Status        SessionStatus
	Paid          bool // money came in, or none was due
	TotalCents    int  // what the service charges: the truth about the price
	Currency      string
	FeeCents      int // what the service kept; 0 where it does not say
	RefundedCents int
	PaymentIntent string // empty where nothing was due
	Email         string // as the buyer typed it; never leaves the activity that reads it
	ExpiresAt     time.Time
}

// Event is what a webhook tells: that something happened, and to what. What is so now is
// asked of the service.
type Event struct {
	ID            string
	Type          string
	SessionID     string // of a payment page; empty for other things
	PaymentIntent string // of a refund
	CheckoutID    string // as the payment page carries it
	Live          bool
	CreatedAt     time.Time
}

// PaymentClass says what kind of failure a call to the payment service met.
type PaymentClass string

const (
	PaymentRefused     PaymentClass = "refused"     // it said no, and would again
	PaymentGone        PaymentClass = "gone"        // there is no such thing there
	PaymentBroken      PaymentClass = "broken"      // it failed, or knows the key for something else: only another key helps
	PaymentLimited     PaymentClass = "limited"     // too many calls
	PaymentUnreachable PaymentClass = "unreachable" // nobody knows whether it happened; the same key is safe
	PaymentForbidden   PaymentClass = "forbidden"   // it does not accept our key
)

// PaymentError is a failed call to the payment service. Its texts hold no secret and no
// address.
type PaymentError struct {
	Class   PaymentClass
	Code    string // stripe_…
	Message string // for people
}

func (e *PaymentError) Error() string { return e.Message }
