// Package checkout holds the rules of buying a membership: the states of a checkout and the requests to
// the payment service. No clock, no I/O.
package checkout

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/pricing"
)

// Service is the only service that can be bought.
const Service = "founding_membership"

// State is the state of a checkout.
type State string

const (
	Quoting   State = "quoting" // the price and payment page are being prepared
	Open      State = "open"    // it can be paid
	Paid      State = "paid"
	Expired   State = "expired"
	Cancelled State = "cancelled"
	Failed    State = "failed" // no payment page could be created
	Refunded  State = "refunded"
)

// States lists all states.
var States = []State{Quoting, Open, Paid, Expired, Cancelled, Failed, Refunded}

// Live reports whether the checkout can still be paid.
func (s State) Live() bool { return s == Quoting || s == Open }

// Settled reports whether a payment was received.
func (s State) Settled() bool { return s == Paid || s == Refunded }

const (
	// OfferLife is the lifetime of a payment page. The payment service requires at least 30 minutes; one
	// more allows for clock differences.
	OfferLife = 31 * time.Minute
	// Grace is how long after its expiry a page is checked, because the payment service uses its own clock.
	Grace = 5 * time.Second
)

// Checkout is the purchase of a membership. Its ID is unguessable and grants access to the receipt.
type Checkout struct {
	ID            string
	DecisionID    string
	OpenKey       *string // unique: one open payment page of a kind per visitor
	Demo          bool    // in test mode, without a membership
	State         State
	CouponID      string
	SessionID     *string
	PaymentURL    string
	ExpiresAt     *time.Time
	PaymentIntent *string
	PaidCents     int
	FeeCents      int // fee of the payment service
	RefundedCents int
	MemberID      *string
	Code          string // why it ended
	Reason        string // the same as a sentence
	RunID         string
	CreatedAt     time.Time
	UpdatedAt     time.Time
	PaidAt        *time.Time
	EndedAt       *time.Time

	Dispute         DisputeState
	DisputedCents   int // withdrawn by disputes and not reinstated
	DisputeFeeCents int
	Version         int // incremented when refunds and disputes are recorded, to detect concurrent reads of them
}

// Codes of checkouts that did not end as intended.
const (
	CodeAlreadyMember = "already_member" // the address belongs to a member; the payment is refunded
	CodeNoAddress     = "no_address"     // the buyer left no valid email address
	CodeNoPage        = "payment_unavailable"
)

// Receipt is a checkout with its price decision.
type Receipt struct {
	Checkout
	Decision pricing.Decision
}

// EventKind is the subject of an event.
type EventKind string

const (
	OtherEvent EventKind = ""
	Payment    EventKind = "payment"
	Refund     EventKind = "refund" // or a dispute
)

// Kind is the subject of the event. Other event types are ignored.
func (e Event) Kind() EventKind {
	switch e.Type {
	case "checkout.session.completed", "checkout.session.expired", "checkout.session.async_payment_succeeded":
		return Payment
	case "charge.refunded", "charge.refund.updated", "refund.created", "refund.updated", "refund.failed",
		"charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed", "charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated":
		return Refund
	}
	return OtherEvent
}

// Dollars formats an amount in cents as $9.00.
func Dollars(cents int) string { return fmt.Sprintf("$%d.%02d", cents/100, cents%100) }

// Buyer is the new member created by a payment.
type Buyer struct {
	MemberID string
	Username string            // generated, until the member chooses one
	Welcome  *account.Welcome  // nil without a valid email address
	Receipt  map[string]string // template values of the receipt email
}

// NewUsername returns a random username.
func NewUsername() string { return "zero_" + strings.ToLower(rand.Text()[:8]) }

// Listed is a checkout as shown in lists.
type Listed struct {
	Checkout
	Username string // of the new member, or empty
}

// Filter restricts a list of checkouts.
type Filter struct {
	Paid          bool // only checkouts with a payment
	Limit, Offset int
}

// Request is a request to start a checkout.
type Request struct {
	ID        string  // of the new checkout, if none is open
	Visitor   *string // nil: not tracked, or the demo
	Personal  bool
	Why       pricing.Why // if not Personal
	Behaviour pricing.Behaviour
	Demo      bool
}

// NewID returns a checkout ID with 128 random bits.
func NewID() string { return strings.ToLower(rand.Text()) }

// OpenKey is the unique key of a visitor's open payment page, or nil if the visitor is not tracked.
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

// Budget limits discounts, in cents.
type Budget struct {
	FloorCents int // the lowest price
	MonthCents int // total discounts of a month
}

// Payable reports whether an open page can be paid for long enough to be worth showing.
func (c Checkout) Payable(at time.Time) bool {
	if c.State != Open || c.ExpiresAt == nil {
		return c.State == Quoting
	}
	enough := min(worthShowing, c.ExpiresAt.Sub(c.CreatedAt)/15)
	return at.Add(enough).Before(*c.ExpiresAt)
}

const worthShowing = 2 * time.Minute // for a page that lasts half an hour

// Offer is the price offered to a buyer. It is decided once and stored, so that every attempt sends the
// same to the payment service.
type Offer struct {
	CheckoutID      string
	ListCents       int
	DiscountPercent int // a whole number, so that the price is in whole cents
	Attempt         int // part of the idempotency key, because the service stores failures under the key
	ExpiresAt       time.Time
	SuccessURL      string
	CancelURL       string
	Demo            bool
}

// RefundRun is the workflow ID of a checkout's refund, by which the audit log names a founder's request.
func RefundRun(checkoutID string) string { return "refund:" + checkoutID }

// CouponID is the ID of a checkout's discount. It is known in advance, so a coupon created without a
// response can be deleted.
func CouponID(checkoutID string) string { return "cz-" + checkoutID }

// SessionStatus is the state of a payment page.
type SessionStatus string

const (
	SessionOpen     SessionStatus = "open"
	SessionComplete SessionStatus = "complete"
	SessionExpired  SessionStatus = "expired"
)

// Session is a payment page as returned by the payment service.
type Session struct {
	ID            string
	CheckoutID    string
	URL           string // empty unless open
	Status        SessionStatus
	Paid          bool // a payment was received, or none was due
	TotalCents    int  // the amount charged; authoritative
	Currency      string
	FeeCents      int    // fee of the service; 0 if unknown
	RefundedCents int    // without failed refunds
	PaymentIntent string // empty if nothing was due
	Email         string // as typed by the buyer; must not leave the activity that reads it
	ExpiresAt     time.Time

	Dispute         DisputeState
	DisputedCents   int
	DisputeFeeCents int
}

// Event is a webhook event. It only triggers a read of the current state from the payment service.
type Event struct {
	ID            string
	Type          string
	SessionID     string // of a payment page, or empty
	PaymentIntent string // of a refund or a dispute
	CheckoutID    string // from the payment page
	Live          bool
	CreatedAt     time.Time
}

// PaymentClass classifies a failed call to the payment service.
type PaymentClass string

const (
	PaymentRefused     PaymentClass = "refused"     // refused, also if retried
	PaymentGone        PaymentClass = "gone"        // the object does not exist
	PaymentBroken      PaymentClass = "broken"      // failed, or the idempotency key was used for something else: retry with a new key
	PaymentLimited     PaymentClass = "limited"     // rate limited
	PaymentUnreachable PaymentClass = "unreachable" // outcome unknown; retry with the same key
	PaymentForbidden   PaymentClass = "forbidden"   // API key not accepted
)

// ErrorPrefix begins the codes of the payment service's errors.
const ErrorPrefix = "stripe_"

// PaymentError is a failed call to the payment service. Its texts contain no secrets and no addresses.
type PaymentError struct {
	Class   PaymentClass
	Code    string // begins with ErrorPrefix
	Message string // a sentence
}

func (e *PaymentError) Error() string { return e.Message }
