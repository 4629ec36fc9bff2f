// Package analytics holds the rules of our own visit counters: what is counted of somebody who
// looks around, and how. Values in, values out.
package analytics

import (
	"time"

	"customerzero/internal/domain/pricing"
)

const (
	// Apart is how long nobody is seen before the next page is a new visit.
	Apart = 30 * time.Minute
	// Beat is how often a page that is looked at says so.
	Beat = 15 * time.Second
	// longestGap is what a page may count as time between two words of it: our clock
	// measures, so a browser cannot claim more.
	longestGap = 2 * Beat
	// Keep is how long a visitor who stays away is known.
	Keep = 30 * 24 * time.Hour

	mostVisits  = 1000
	mostSeconds = 7 * 24 * 60 * 60
)

// Event is what a page tells.
type Event string

const (
	Seen    Event = "seen"    // somebody looks at a page
	Pricing Event = "pricing" // at the prices
	Cart    Event = "cart"    // they asked to buy
)

// Visitor is what we count of somebody. ID is a digest of a random cookie.
type Visitor struct {
	ID            string
	Visits        int
	Seconds       int
	ViewedPricing bool
	AddedToCart   bool
	FirstSeenAt   time.Time
	LastSeenAt    time.Time
}

// New is somebody seen for the first time.
func New(id string, at time.Time) Visitor {
	return Visitor{ID: id, Visits: 1, FirstSeenAt: at, LastSeenAt: at}
}

// Note counts what a page tells.
func (v *Visitor) Note(e Event, at time.Time) {
	gap := at.Sub(v.LastSeenAt)
	switch {
	case gap >= Apart:
		v.Visits = min(v.Visits+1, mostVisits)
	case gap > 0:
		v.Seconds = min(v.Seconds+secondsBetween(v.LastSeenAt, at), mostSeconds)
	}
	v.ViewedPricing = v.ViewedPricing || e == Pricing
	v.AddedToCart = v.AddedToCart || e == Cart
	if gap > 0 {
		v.LastSeenAt = at
	}
}

// secondsBetween counts whole seconds of the clock, so that many short gaps come to no more
// than one long one.
func secondsBetween(last, at time.Time) int {
	return int(min(at.Unix()-last.Unix(), int64(longestGap/time.Second)))
}

// Behaviour is what a price may depend on.
func (v Visitor) Behaviour() pricing.Behaviour {
	return pricing.Behaviour{
		Visits: v.Visits, TimeOnSite: v.Seconds, ViewedPricing: v.ViewedPricing, AddedToCart: v.AddedToCart,
		UserType: pricing.UserTypeOf(v.Visits),
	}
}
