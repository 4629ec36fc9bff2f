package checkout

import "time"

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
