package checkout

import (
	"fmt"
	"time"

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
	LiveKey       *string // unique: a visitor has one open payment page of a kind
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

// Matter is what an event is about.
type Matter string

const (
	NoMatter Matter = ""
	Payment  Matter = "payment" // of a payment page
	Refund   Matter = "refund"
)

// Matter says what is to be looked at. Events of other types are nothing to us.
func (e Event) Matter() Matter {
	switch e.Type {
	case "checkout.session.completed", "checkout.session.expired", "checkout.session.async_payment_succeeded":
		return Payment
	case "charge.refunded":
		return Refund
	}
	return NoMatter
}

// Dollars is an amount as people write it.
func Dollars(cents int) string { return fmt.Sprintf("$%d.%02d", cents/100, cents%100) }
