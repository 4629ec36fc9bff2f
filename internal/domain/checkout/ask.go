package checkout

import (
	"crypto/rand"
	"strings"
	"time"

	"customerzero/internal/domain/pricing"
)

// Ask is what somebody who wants to buy is known by.
type Ask struct {
	ID        string  // of the checkout to be, if none is open
	Visitor   *string // nil: nobody counted, or the demo
	Personal  bool
	Why       pricing.Why // not personal
	Behaviour pricing.Behaviour
	Demo      bool
}

// NewID names a checkout. Nobody guesses it: 128 bits.
func NewID() string { return strings.ToLower(rand.Text()) }

// LiveKey is what a visitor has one open payment page of; nil for who is not known.
func (a Ask) LiveKey() *string {
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
