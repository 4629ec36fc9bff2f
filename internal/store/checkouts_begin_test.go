package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/analytics"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// visitor is somebody who looked at the prices.
func visitor(t *testing.T, s *store.DB, name string) *string {
	t.Helper()
	id := account.Hash(name)
	_, err := s.Visitors.NoteVisit(t.Context(), id, analytics.Pricing, november)
	require.NoError(t, err)
	return &id
}

// wish is somebody who asks for a personal price, or, nobody, for the list price.
func wish(visitor *string) checkout.Ask {
	a := checkout.Ask{ID: checkout.NewID(), Visitor: visitor, Personal: true}
	a.Behaviour = pricing.Behaviour{Visits: 2, TimeOnSite: 90, ViewedPricing: true, UserType: pricing.ReturningVisitor}
	if visitor == nil {
		a = checkout.Ask{ID: a.ID, Why: pricing.Unknown}
	}
	return a
}

func fullPrice(visitor *string) checkout.Ask {
	a := wish(visitor)
	a.Personal, a.Why, a.Behaviour = false, pricing.Chosen, pricing.Behaviour{}
	return a
}

func beginCheckout(t *testing.T, s *store.DB, a checkout.Ask, at time.Time) checkout.Receipt {
	t.Helper()
	r, err := s.Checkouts.BeginCheckout(t.Context(), a, at)
	require.NoError(t, err)
	kept, err := s.Checkouts.Receipt(t.Context(), r.ID)
	require.NoError(t, err)
	require.Equal(t, r.ID, kept.ID)
	require.Equal(t, r.DecisionID, kept.Decision.ID)
	return r
}

// plenty is a budget that nothing here uses up.
var plenty = checkout.Budget{FloorCents: 600, MonthCents: 100_000}

func proposing(percent int) pricing.Proposal {
	return pricing.Proposal{DiscountPercent: percent, Reason: "You came back.", Source: pricing.ByRules}
}

// decide decides the price of a checkout.
func decide(t *testing.T, s *store.DB, r checkout.Receipt, percent int, b checkout.Budget, at time.Time) pricing.Decision {
	t.Helper()
	d, err := s.Checkouts.DecidePrice(t.Context(), r.DecisionID, proposing(percent), b, at)
	require.NoError(t, err)
	return d
}

// openPage opens the payment page of a checkout.
func openPage(t *testing.T, s *store.DB, id string, at time.Time) checkout.Checkout {
	t.Helper()
	page := checkout.Session{ID: "cs_" + id, URL: "https://checkout.stripe.com/" + id, ExpiresAt: at.Add(checkout.OfferLife)}
	c, err := s.Checkouts.OpenCheckout(t.Context(), id, checkout.CouponID(id), page, at)
	require.NoError(t, err)
	return c
}

// offered is a visitor's checkout with a page that can be paid.
func offered(t *testing.T, s *store.DB, a checkout.Ask, percent int, at time.Time) checkout.Receipt {
	t.Helper()
	r := beginCheckout(t, s, a, at)
	decide(t, s, r, percent, plenty, at)
	openPage(t, s, r.ID, at)
	r, err := s.Checkouts.Receipt(t.Context(), r.ID)
	require.NoError(t, err)
	return r
}

func TestCheckoutIsWrittenDown(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := visitor(t, s, "ada")
		a := wish(ada)
		r := beginCheckout(t, s, a, november)
		require.Equal(t, a.ID, r.ID)
		require.Equal(t, checkout.Quoting, r.State)
		require.False(t, r.Demo)
		require.Equal(t, november, r.CreatedAt)
		d := r.Decision
		require.Equal(t, pricing.Pending, d.State)
		require.Equal(t, a.Behaviour, d.Behaviour())
		require.True(t, d.Personal)
		require.Equal(t, ada, d.Visitor)
		require.Equal(t, november.Add(pricing.Sticky), d.ValidUntil)
		require.Equal(t, pricing.ListCents, d.FinalCents, "until it is decided")
	})
}

func TestCheckoutAtListPriceUsesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for why, a := range map[pricing.Why]checkout.Ask{pricing.Chosen: fullPrice(visitor(t, s, "ada")), pricing.Unknown: wish(nil)} {
			d := beginCheckout(t, s, a, november).Decision
			require.Equal(t, pricing.Decided, d.State, "the list price needs nobody to decide it")
			require.Equal(t, pricing.ByList, d.Source)
			require.Equal(t, why, d.Why)
			require.False(t, d.Personal)
			require.Equal(t, pricing.Behaviour{}, d.Behaviour())
			require.Equal(t, pricing.ListCents, d.FinalCents)
			require.Nil(t, d.LiveKey)
			again := decide(t, s, checkout.Receipt{Checkout: checkout.Checkout{DecisionID: d.ID}}, 30, plenty, november)
			require.Equal(t, pricing.ListCents, again.FinalCents, "nobody lowers it afterwards")
		}
		require.Zero(t, s.Count(t, "discount_months"))
	})
}

func TestCheckoutAskedForAgain(t *testing.T) {
	t.Parallel()
	day := november.Add(pricing.Sticky)
	cases := map[string]struct {
		before   func(t *testing.T, s *store.DB, ada *string, first checkout.Receipt)
		with     func(*string) checkout.Ask
		at       time.Time
		samePage bool
		same     bool // price
		why      pricing.Why
	}{
		"while the price is decided: the same":               {at: november.Add(time.Second), samePage: true, same: true},
		"while the page is open: the same":                   {before: pageOpens, at: november.Add(28 * time.Minute), samePage: true, same: true},
		"two minutes before it ends: another, at this price": {before: pageOpens, at: november.Add(29 * time.Minute), same: true},
		"after the page has ended: another, at this price":   {before: pageEnds, at: november.Add(time.Hour), same: true},
		"after it was cancelled: another, at this price":     {before: pageCloses(checkout.Cancelled), at: november.Add(time.Minute), same: true},
		"after it failed: another, at this price":            {before: pageCloses(checkout.Failed), at: november.Add(time.Minute), same: true},
		"in the last moment of its day: at this price":       {before: pageEnds, at: day.Add(-time.Second), same: true},
		"when its day is over: at a new price":               {before: pageEnds, at: day},
		"at the full price: beside it":                       {before: pageOpens, with: fullPrice, at: november.Add(time.Minute), why: pricing.Chosen},
		"after it was paid: at the list price":               {before: pageIsPaid, at: november.Add(time.Hour), why: pricing.UsedUp},
		"after it was refunded: at the list price":           {before: pageIsRefunded, at: november.Add(time.Hour), why: pricing.UsedUp},
		"a day after it was paid: at a new price":            {before: pageIsPaid, at: day},
		"a late payment at its end: then a new price":        {before: pageIsPaidLate, at: day.Add(time.Hour)},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				ada := visitor(t, s, name)
				first := beginCheckout(t, s, wish(ada), november)
				if tt.before != nil {
					tt.before(t, s, ada, first)
				}
				if tt.with == nil {
					tt.with = wish
				}
				for range 3 { // however often it is asked for
					again := beginCheckout(t, s, tt.with(ada), tt.at)
					require.Equal(t, tt.samePage, again.ID == first.ID, "the page")
					require.Equal(t, tt.same, again.DecisionID == first.DecisionID, "the price")
					require.Equal(t, tt.why, again.Decision.Why)
					require.Equal(t, tt.why == pricing.Personal, again.Decision.Personal)
					if !tt.samePage {
						first.ID, tt.samePage = again.ID, true
						first.DecisionID, tt.same = again.DecisionID, true
					}
				}
			})
		}
	})
}

func pageOpens(t *testing.T, s *store.DB, _ *string, first checkout.Receipt) {
	decide(t, s, first, 15, plenty, november)
	openPage(t, s, first.ID, november)
}

func pageEnds(t *testing.T, s *store.DB, ada *string, first checkout.Receipt) {
	pageOpens(t, s, ada, first)
	pageCloses(checkout.Expired)(t, s, ada, first)
}

func pageCloses(as checkout.State) func(*testing.T, *store.DB, *string, checkout.Receipt) {
	return func(t *testing.T, s *store.DB, _ *string, first checkout.Receipt) {
		_, err := s.Checkouts.CloseCheckout(t.Context(), first.ID, as, "", "It is over.", november)
		require.NoError(t, err)
	}
}

func pageIsPaid(t *testing.T, s *store.DB, ada *string, first checkout.Receipt) {
	pageOpens(t, s, ada, first)
	pay(t, s, first.ID, 765, "", november)
}

func pageIsPaidLate(t *testing.T, s *store.DB, ada *string, first checkout.Receipt) {
	pageEnds(t, s, ada, first)
	pay(t, s, first.ID, 765, "", november.Add(pricing.Sticky))
}

func pageIsRefunded(t *testing.T, s *store.DB, ada *string, first checkout.Receipt) {
	pageIsPaid(t, s, ada, first)
	_, err := s.Checkouts.RefundCheckout(t.Context(), first.ID, 765, nil, november)
	require.NoError(t, err)
}

func TestCheckoutsThatAreAskedForAtOnceAreOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, before := range map[string]func(t *testing.T, ada *string){
			"the first": func(*testing.T, *string) {},
			"after one that was paid": func(t *testing.T, ada *string) {
				pageIsPaid(t, s, ada, beginCheckout(t, s, wish(ada), november))
			},
			"after one that is about to end": func(t *testing.T, ada *string) {
				r := beginCheckout(t, s, wish(ada), november)
				decide(t, s, r, 15, plenty, november)
				openPage(t, s, r.ID, november.Add(time.Minute-checkout.OfferLife))
			},
		} {
			t.Run(name, func(t *testing.T) {
				for _, whose := range []string{"ada's", "bea's", "cleo's", "dora's"} { // the first opens the connections
					them, ids := visitor(t, s, whose+name), make([]string, 20)
					before(t, them)
					require.Equal(t, 20, atOnce(t, 20, func(i int) error {
						r, err := s.Checkouts.BeginCheckout(t.Context(), wish(them), november)
						ids[i] = r.ID
						return err
					}))
					for _, id := range ids {
						require.Equal(t, ids[0], id)
					}
				}
			})
		}
	})
}

func TestCheckoutsOfNobodyAreTheirOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		demo := checkout.Ask{Personal: true, Demo: true, Behaviour: pricing.Behaviour{Visits: 1, UserType: pricing.NewVisitor}}
		for range 2 {
			beginCheckout(t, s, wish(nil), november)
			demo.ID = checkout.NewID()
			r := beginCheckout(t, s, demo, november)
			require.True(t, r.Demo && r.Decision.Demo)
			require.Equal(t, pricing.Pending, r.Decision.State)
		}
		require.Equal(t, 4, s.Count(t, "checkouts"))
		require.Equal(t, 4, s.Count(t, "decisions"))
	})
}

func TestCheckoutsOfOthersAreTheirOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := beginCheckout(t, s, wish(visitor(t, s, "ada")), november)
		bea := beginCheckout(t, s, wish(visitor(t, s, "bea")), november)
		require.NotEqual(t, ada.ID, bea.ID)
		require.NotEqual(t, ada.DecisionID, bea.DecisionID)
	})
}
