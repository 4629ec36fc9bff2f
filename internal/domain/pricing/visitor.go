package pricing

import "time"

const (
	// VisitTimeout is the inactivity after which the next page view is a new visit.
	VisitTimeout = 30 * time.Minute
	// HeartbeatInterval is how often a visible page reports.
	HeartbeatInterval = 15 * time.Second
	// longestGap is the longest time between two reports that counts. It is measured by the server, so
	// browsers cannot claim more.
	longestGap = 2 * HeartbeatInterval
	// VisitorRetention is how long an inactive visitor is stored.
	VisitorRetention = 30 * 24 * time.Hour

	mostVisits  = 1000
	mostSeconds = 7 * 24 * 60 * 60
)

// VisitEvent is a page's report.
type VisitEvent string

const (
	PageViewed    VisitEvent = "seen"    // a page is visible
	PricingViewed VisitEvent = "pricing" // the pricing page is visible
	CartViewed    VisitEvent = "cart"    // the visitor started a purchase
)

// Visitor is the data counted about a visitor. ID is a digest of a random cookie.
type Visitor struct {
	ID            string
	Visits        int
	Seconds       int
	ViewedPricing bool
	AddedToCart   bool
	FirstSeenAt   time.Time
	LastSeenAt    time.Time
}

// FirstVisit returns a new visitor with one visit.
func FirstVisit(id string, at time.Time) Visitor {
	return Visitor{ID: id, Visits: 1, FirstSeenAt: at, LastSeenAt: at}
}

// Note counts a report.
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

// secondsBetween counts clock seconds, so that many short gaps add up to no more than one long one.
func secondsBetween(last, at time.Time) int {
	return int(min(at.Unix()-last.Unix(), int64(longestGap/time.Second)))
}

// Behaviour is the data on which a price may depend.
func (v Visitor) Behaviour() Behaviour {
	return Behaviour{
		Visits: v.Visits, TimeOnSite: v.Seconds, ViewedPricing: v.ViewedPricing, AddedToCart: v.AddedToCart,
		UserType: UserTypeOf(v.Visits),
	}
}
