// Package pricing holds the rules of personal prices: the visitor data they may use, proposals by models
// or fixed rules, and limits. A proposal can only lower a price, and never below the floor. Pure
// functions: no clock, no I/O.
package pricing

import (
	"time"

	"customerzero/internal/domain/member"
)

const (
	// ListCents is the list price of a membership.
	ListCents = member.FoundingFeeCents
	// MaxDiscountPercent is the maximum discount.
	MaxDiscountPercent = 30
	// ModelPatience is how long a model may take; the visitor is waiting.
	ModelPatience = 2500 * time.Millisecond
	// Sticky is how long a visitor keeps the same price.
	Sticky = 24 * time.Hour
)

// Disclosure must be shown next to every personal price, as required by New York General Business Law §
// 349-a.
const Disclosure = "THIS PRICE WAS SET BY AN ALGORITHM USING YOUR PERSONAL DATA"

// UserType classifies a visitor by the number of visits.
type UserType string

const (
	NewVisitor       UserType = "new_visitor"
	ReturningVisitor UserType = "returning_visitor"
	PowerUser        UserType = "power_user"
)

const powerVisits = 8

// UserTypeOf returns the type for a number of visits.
func UserTypeOf(visits int) UserType {
	switch {
	case visits >= powerVisits:
		return PowerUser
	case visits > 1:
		return ReturningVisitor
	}
	return NewVisitor
}

// Behaviour is the data on which a price may depend: five fields, without identity or location.
type Behaviour struct {
	Visits        int      `json:"visits"`
	TimeOnSite    int      `json:"time_on_site"` // seconds
	ViewedPricing bool     `json:"viewed_pricing"`
	AddedToCart   bool     `json:"added_to_cart"`
	UserType      UserType `json:"user_type"`
}

// Source is who proposed a discount.
type Source string

const (
	ByModel Source = "model"
	ByRules Source = "rules" // there is no model, or it failed
	ByList  Source = "list"  // list price, without personal data
)

// Why is the reason why a price is not personal.
type Why string

const (
	Personal   Why = ""
	DoNotTrack Why = "dnt"     // the browser sends DNT
	GPC        Why = "gpc"     // the browser sends Sec-GPC
	Chosen     Why = "chosen"  // the buyer chose the full price
	Unknown    Why = "unknown" // no data about the visitor
	UsedUp     Why = "used_up" // the personal price was already paid
)

// Proposal is a proposed discount before the limits are applied.
type Proposal struct {
	DiscountPercent int
	Reason          string // shown to the visitor
	Source          Source
	CallID          *string // model call
	Model           string
	Prompt          string // version of the prompt file
	Fallback        string // outcome of the failed model call, if the rules replaced it
}

// Clamp is a limit that changed a proposal.
type Clamp string

const (
	AboveMaximum Clamp = "above_maximum" // more than MaxDiscountPercent
	BelowZero    Clamp = "below_zero"    // price above the list price
	BelowFloor   Clamp = "below_floor"   // price below the configured floor
	OverBudget   Clamp = "over_budget"   // more than the rest of the month's budget
)

// Limits are the limits of a price, in cents.
type Limits struct {
	ListCents  int
	FloorCents int
	RoomCents  int // rest of the month's discount budget
}

// Verdict is a price within the limits.
type Verdict struct {
	DiscountPercent int
	FinalCents      int
	Clamps          []Clamp // applied limits, in order
}

// Settle applies the limits to a proposal. Discounts are whole percentages, so that a list price in whole
// dollars gives a price in whole cents.
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

// percentOf is the largest whole percentage of the list price that is at most so many cents.
func percentOf(cents, listCents int) int { return max(0, cents) * 100 / listCents }

// Cents is the list price minus a discount.
func Cents(listCents, discountPercent int) int { return listCents - listCents*discountPercent/100 }
