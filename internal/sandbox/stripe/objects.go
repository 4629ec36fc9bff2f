package stripe

import (
	"encoding/json"
	"time"
)

// What the sandbox keeps. Amounts are cents of a dollar.

// Coupon is a discount. A deleted one is kept for the sessions that were opened with it.
type Coupon struct {
	Serial         string            `json:"serial"` // ours: an ID may be used again after a deletion
	ID             string            `json:"id"`
	PercentOff     float64           `json:"percent_off"`
	MaxRedemptions int64             `json:"max_redemptions,omitempty"` // 0: any number
	TimesRedeemed  int64             `json:"times_redeemed"`
	RedeemBy       time.Time         `json:"redeem_by,omitzero"` // zero: for ever
	Metadata       map[string]string `json:"metadata,omitempty"`
	CreatedAt      time.Time         `json:"created_at"`
	Deleted        bool              `json:"deleted,omitempty"`
}

func (c Coupon) key() string { return c.Serial }

// valid reports whether the coupon can be redeemed.
func (c Coupon) valid(now time.Time) bool {
	return !c.Deleted && (c.MaxRedemptions == 0 || c.TimesRedeemed < c.MaxRedemptions) &&
		(c.RedeemBy.IsZero() || now.Before(c.RedeemBy))
}

// SessionStatus is where a session stands.
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
	Name              string            `json:"name"` // of the one thing that is bought
	Subtotal          int64             `json:"amount_subtotal"`
	Total             int64             `json:"amount_total"`
	Coupon            string            `json:"coupon,omitempty"`
	CouponSerial      string            `json:"coupon_serial,omitempty"`
	SuccessURL        string            `json:"success_url"`
	CancelURL         string            `json:"cancel_url,omitempty"`
	Payment           string            `json:"payment_intent,omitempty"` // since the first try to pay
	Email             string            `json:"email,omitempty"`          // as the buyer typed it; in the file only
	CreatedAt         time.Time         `json:"created_at"`
	ExpiresAt         time.Time         `json:"expires_at"`
}

func (s Session) key() string { return s.ID }

// PaymentStatus is where a payment stands.
type PaymentStatus string

const (
	Succeeded PaymentStatus = "succeeded"
	Declined  PaymentStatus = "requires_payment_method"
	Cancelled PaymentStatus = "canceled"
)

// Payment is a payment intent and, once it succeeded, its charge and what Stripe kept.
type Payment struct {
	ID        string        `json:"id"`
	Session   string        `json:"session"`
	Status    PaymentStatus `json:"status"`
	Amount    int64         `json:"amount"`
	Refunded  int64         `json:"amount_refunded"`
	Fee       int64         `json:"fee"`
	Charge    string        `json:"charge,omitempty"`
	Balance   string        `json:"balance_transaction,omitempty"`
	CreatedAt time.Time     `json:"created_at"`
	PaidAt    time.Time     `json:"paid_at,omitzero"`
}

func (p Payment) key() string { return p.ID }

// Refund is money that went back.
type Refund struct {
	ID        string    `json:"id"`
	Payment   string    `json:"payment_intent"`
	Amount    int64     `json:"amount"`
	CreatedAt time.Time `json:"created_at"`
}

func (r Refund) key() string { return r.ID }

// Event is a fact as webhooks tell it.
type Event struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Object    string          `json:"object"` // the ID of what it is about
	CreatedAt time.Time       `json:"created_at"`
	Payload   json.RawMessage `json:"payload"` // as it is sent; may hold the buyer's address
}

func (e Event) key() string { return e.ID }

// DeliveryStatus is what became of an event's webhook.
type DeliveryStatus string

const (
	Pending   DeliveryStatus = "pending"
	Delivered DeliveryStatus = "delivered"
	Lost      DeliveryStatus = "lost"     // by a fault: it is never sent
	GivenUp   DeliveryStatus = "given_up" // after the last retry
)

// Delivery is how an event's webhook fares.
type Delivery struct {
	Event  string         `json:"event"`
	Type   string         `json:"type"`
	Status DeliveryStatus `json:"status"`
	Tries  int            `json:"tries"` // all copies together, since the sandbox started
}

func (d Delivery) key() string { return d.Event }
