// Package pricing holds the rules of personal prices: what may be known of a visitor, what a
// model or our own rules may propose, and what of it counts. Values in, values out: no
// clock, no I/O. A proposal can only lower a price, and never below the floor.
package pricing

import (
	"time"

	"customerzero/internal/domain/member"
)

const (
	// ListCents is the price of a founding membership.
	ListCents = member.FoundingFeeCents
	// MaxDiscountPercent is the largest discount, whatever is proposed.
	MaxDiscountPercent = 30
	// ModelPatience is how long a model may think about a price: a person waits.
	ModelPatience = 2500 * time.Millisecond
	// Sticky is how long the same visitor gets the same price.
	Sticky = 24 * time.Hour
)

// Disclosure must stand next to every personal price (New York General Business Law
// § 349-a asks for these words).
const Disclosure = "THIS PRICE WAS SET BY AN ALGORITHM USING YOUR PERSONAL DATA"

// UserType is what a visitor's visits make of them.
type UserType string

const (
	NewVisitor       UserType = "new_visitor"
	ReturningVisitor UserType = "returning_visitor"
	PowerUser        UserType = "power_user"
)

const powerVisits = 8

// UserTypeOf is the type of somebody with so many visits.
func UserTypeOf(visits int) UserType {
	switch {
	case visits >= powerVisits:
		return PowerUser
	case visits > 1:
		return ReturningVisitor
	}
	return NewVisitor
}

// Behaviour is all that a price may depend on: five fields, and nothing about who or
// where somebody is.
type Behaviour struct {
	Visits        int      `json:"visits"`
	TimeOnSite    int      `json:"time_on_site"` // seconds
	ViewedPricing bool     `json:"viewed_pricing"`
	AddedToCart   bool     `json:"added_to_cart"`
	UserType      UserType `json:"user_type"`
}

// Source says who proposed a discount.
type Source string

const (
	ByModel Source = "model"
	ByRules Source = "rules" // the model failed, or took too long
	ByList  Source = "list"  // nobody: the list price, without personal data
)

// Why says why a price is not personal.
type Why string

const (
	Personal   Why = ""
	DoNotTrack Why = "dnt"     // the browser sends DNT
	GPC        Why = "gpc"     // the browser sends Sec-GPC
	Chosen     Why = "chosen"  // the buyer asked for the full price
	Unknown    Why = "unknown" // we have counted nothing of this visitor
	UsedUp     Why = "used_up" // their personal price was paid already
)

// Proposal is what somebody proposed, before any rule of ours.
type Proposal struct {
	DiscountPercent int
	Reason          string // for the visitor
	Source          Source
	CallID          *string // of the model
	Model           string
	Prompt          string // its version
	Fallback        string // why our rules stood in for a model: what came of its call
}

// Clamp names a rule that changed a proposal.
type Clamp string

const (
	AboveMaximum Clamp = "above_maximum" // more than MaxDiscountPercent
	BelowZero    Clamp = "below_zero"    // a price above the list
	BelowFloor   Clamp = "below_floor"   // a price below the configured floor
	OverBudget   Clamp = "over_budget"   // more than the month may still give
)

// Limits are what a price must keep to, in cents.
type Limits struct {
	ListCents  int
	FloorCents int
	RoomCents  int // what the month may still give in discounts
}

// Verdict is a price that keeps to the limits.
type Verdict struct {
	DiscountPercent int
	FinalCents      int
	Clamps          []Clamp // what was changed about the proposal, in this order
}

// Settle makes a price of a proposal. Discounts are whole percents, so that the price is
// a whole number of cents for a list price of whole dollars.
func Settle(p Proposal, l Limits) Verdict {
	v := Verdict{DiscountPercent: p.DiscountPercent}
	v.lowerTo(MaxDiscountPercent, AboveMaximum)
	if v.DiscountPercent < 0 {
		v.DiscountPercent, v.Clamps = 0, append(v.Clamps, BelowZero)
	}
	v.lowerTo(percentOf(l.ListCents-l.FloorCents, l.ListCents), BelowFloor)
	v.lowerTo(percentOf(l.RoomCents, l.ListCents), OverBudget)
	v.FinalCents = Cents(l.ListCents, v.DiscountPercent)
	return v
}

func (v *Verdict) lowerTo(most int, because Clamp) {
	if v.DiscountPercent > most {
		v.DiscountPercent, v.Clamps = most, append(v.Clamps, because)
	}
}

// percentOf is how many whole percents of the list price so many cents allow.
func percentOf(cents, listCents int) int { return max(0, cents) * 100 / listCents }

// Cents is a list price less a discount.
func Cents(listCents, discountPercent int) int { return listCents - listCents*discountPercent/100 }

// Rules propose a discount when no model does: the surer somebody seems to buy, the less
// they need one.
func Rules(b Behaviour) Proposal {
	p := Proposal{Source: ByRules, DiscountPercent: 5, Reason: "A small welcome, set by our fixed rules."}
	switch {
	case b.AddedToCart && b.UserType != PowerUser:
		p.DiscountPercent, p.Reason = 20, "You were about to join before: our fixed rules make it easier this time."
	case b.UserType == PowerUser:
		p.DiscountPercent, p.Reason = 10, "You come here often: our fixed rules thank you for it."
	case b.ViewedPricing && b.Visits > 1:
		p.DiscountPercent, p.Reason = 15, "You came back to look at the price: our fixed rules meet you part of the way."
	}
	return p
}
