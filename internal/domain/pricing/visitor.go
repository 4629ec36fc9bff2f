package pricing

import (
	"time"
)

const (
	// VisitTimeout is how long nobody is seen before the next page is a new visit.
	VisitTimeout = 30 * time.Minute
	// HeartbeatInterval is how often a page that is looked at says so.
	HeartbeatInterval = 15 * time.Second
	// longestGap is what a page may count as time between two words of it: our clock
	// measures, so a browser cannot claim more.
	longestGap = 2 * HeartbeatInterval
	// VisitorRetention is how long a visitor who stays away is known.
	VisitorRetention = 30 * 24 * time.Hour

	mostVisits  = 1000
	mostSeconds = 7 * 24 * 60 * 60
)

// VisitEvent is what a page tells.
type VisitEvent string

const (
	PageViewed    VisitEvent = "seen"    // somebody looks at a page
	PricingViewed VisitEvent = "pricing" // at the prices
	CartViewed    VisitEvent = "cart"    // they asked to buy
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

// FirstVisit counts the first page view of a new visitor.
func FirstVisit(id string, at time.Time) Visitor {
	return Visitor{ID: id, Visits: 1, FirstSeenAt: at, LastSeenAt: at}
}

// Note counts what a page tells.
func (v *Visitor) Note(e VisitEvent, at time.Time) {
	gap := at.Sub(v.LastSeenAt)
	switch {
	case gap >= VisitTimeout:
		v.Visits = min(v.Visits+1, mostVisits)
	case gap > 0:
		v.Seconds = min(v.Seconds+secondsBetween(v.LastSeenAt, at), mostSeconds)
	}
	v.ViewedPricing = v.ViewedPricing || e == PricingViewed
	v.AddedToCart = v.AddedToCart || e == CartViewed
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
func (v Visitor) Behaviour() Behaviour {
	return Behaviour{
		Visits: v.Visits, TimeOnSite: v.Seconds, ViewedPricing: v.ViewedPricing, AddedToCart: v.AddedToCart,
		UserType: UserTypeOf(v.Visits),
	}
}
