package stripe

import (
	"encoding/json"
	"time"
)

// The stored objects. Amounts are in US cents.

// Coupon is a discount. Deleted coupons are kept for the sessions that use them.
type Coupon struct {
	Serial         string            `json:"serial"` // unique, as IDs may be reused after a deletion
	ID             string            `json:"id"`
	PercentOff     float64           `json:"percent_off"`
	MaxRedemptions int64             `json:"max_redemptions,omitempty"` // 0: unlimited
	TimesRedeemed  int64             `json:"times_redeemed"`
	RedeemBy       time.Time         `json:"redeem_by,omitzero"` // zero: never expires
	Metadata       map[string]string `json:"metadata,omitempty"`
	CreatedAt      time.Time         `json:"created_at"`
	Deleted        bool              `json:"deleted,omitempty"`
}

func (c Coupon) key() string { return c.Serial }

func (c Coupon) valid(now time.Time) bool {
	return !c.Deleted && (c.MaxRedemptions == 0 || c.TimesRedeemed < c.MaxRedemptions) &&
		(c.RedeemBy.IsZero() || now.Before(c.RedeemBy))
}

// SessionStatus is the state of a session.
type SessionStatus string

const (
	Open     SessionStatus = "open"
	Complete SessionStatus = "complete"
	Expired  SessionStatus = "expired"
)

// Session is a payment page.
type Session struct {
	ID                string            `json:"id"`
	Status            SessionStatus     `json:"status"`
	ClientReferenceID string            `json:"client_reference_id,omitempty"`
	Metadata          map[string]string `json:"metadata,omitempty"`
	Name              string            `json:"name"` // of the product
	Subtotal          int64             `json:"amount_subtotal"`
	Total             int64             `json:"amount_total"`
	Coupon            string            `json:"coupon,omitempty"`
	CouponSerial      string            `json:"coupon_serial,omitempty"`
	SuccessURL        string            `json:"success_url"`
	CancelURL         string            `json:"cancel_url,omitempty"`
	Payment           string            `json:"payment_intent,omitempty"` // set by the first attempt to pay
	Email             string            `json:"email,omitempty"`          // as entered by the buyer; only in the file
	CreatedAt         time.Time         `json:"created_at"`
	ExpiresAt         time.Time         `json:"expires_at"`
}

func (s Session) key() string { return s.ID }

// PaymentStatus is the state of a payment.
type PaymentStatus string

const (
	Succeeded PaymentStatus = "succeeded"
	Declined  PaymentStatus = "requires_payment_method"
	Cancelled PaymentStatus = "canceled"
)

// Payment is a payment intent with its charge and balance transaction, once it succeeded.
type Payment struct {
	ID        string        `json:"id"`
	Session   string        `json:"session"`
	Status    PaymentStatus `json:"status"`
	Amount    int64         `json:"amount"`
	Refunded  int64         `json:"amount_refunded"`
	Disputed  bool          `json:"disputed,omitempty"`
	Fee       int64         `json:"fee"`
	Charge    string        `json:"charge,omitempty"`
	Balance   string        `json:"balance_transaction,omitempty"`
	CreatedAt time.Time     `json:"created_at"`
	PaidAt    time.Time     `json:"paid_at,omitzero"`
}

func (p Payment) key() string { return p.ID }

// Refund is a refund of a payment.
type Refund struct {
	ID        string    `json:"id"`
	Payment   string    `json:"payment_intent"`
	Amount    int64     `json:"amount"`
	Failed    bool      `json:"failed,omitempty"` // the bank returned the money
	CreatedAt time.Time `json:"created_at"`
}

func (r Refund) key() string { return r.ID }

// DisputeStatus is the state of a dispute.
type DisputeStatus string

const (
	NeedsResponse DisputeStatus = "needs_response"
	Won           DisputeStatus = "won"
	LostDispute   DisputeStatus = "lost"
)

// Dispute is a chargeback of a payment.
type Dispute struct {
	ID         string        `json:"id"`
	Payment    string        `json:"payment_intent"`
	Charge     string        `json:"charge"`
	Amount     int64         `json:"amount"`
	Status     DisputeStatus `json:"status"`
	Withdrawn  string        `json:"withdrawn"`            // balance transaction
	Reinstated string        `json:"reinstated,omitempty"` // balance transaction; empty unless won
	CreatedAt  time.Time     `json:"created_at"`
}

func (d Dispute) key() string { return d.ID }

// Event is an event and its webhook payload.
type Event struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Object    string          `json:"object"` // ID of the object
	CreatedAt time.Time       `json:"created_at"`
	Payload   json.RawMessage `json:"payload"` // as sent; may contain the buyer's email address
}

func (e Event) key() string { return e.ID }

// DeliveryStatus is the state of an event's webhook.
type DeliveryStatus string

const (
	Pending   DeliveryStatus = "pending"
	Delivered DeliveryStatus = "delivered"
	Lost      DeliveryStatus = "lost"     // not sent because of a fault
	GivenUp   DeliveryStatus = "given_up" // after the last retry
)

// Delivery is the progress of an event's webhook.
type Delivery struct {
	Event  string         `json:"event"`
	Type   string         `json:"type"`
	Status DeliveryStatus `json:"status"`
	Tries  int            `json:"tries"` // of all copies since the sandbox started
}

func (d Delivery) key() string { return d.Event }
