package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func visitor(t *testing.T, s *store.DB, name string) *string {
	t.Helper()
	id := account.Hash(name)
	must(s.Visitors.RecordVisit(t.Context(), id, pricing.PricingViewed, november))(t)
	return &id
}

// wish requests a personal price or, without a visitor, the list price.
func wish(visitor *string) checkout.Request {
	a := checkout.Request{ID: checkout.NewID(), Visitor: visitor, Personal: true}
	a.Behaviour = pricing.Behaviour{Visits: 2, TimeOnSite: 90, ViewedPricing: true, UserType: pricing.ReturningVisitor}
	if visitor == nil {
		a = checkout.Request{ID: a.ID, Why: pricing.Unknown}
	}
	return a
}

func fullPrice(visitor *string) checkout.Request {
	a := wish(visitor)
	a.Personal, a.Why, a.Behaviour = false, pricing.Chosen, pricing.Behaviour{}
	return a
}

func beginCheckout(t *testing.T, s *store.DB, a checkout.Request, at time.Time) checkout.Receipt {
	t.Helper()
	r := must(s.Checkouts.BeginCheckout(t.Context(), a, at))(t)
	kept := must(s.Checkouts.Receipt(t.Context(), r.ID))(t)
	require.Equal(t, []any{r.ID, r.DecisionID}, []any{kept.ID, kept.Decision.ID})
	return r
}

// plenty is a budget that no test exhausts.
var plenty = checkout.Budget{FloorCents: 600, MonthCents: 100_000}

func proposing(percent int) pricing.Proposal {
	return pricing.Proposal{DiscountPercent: percent, Reason: "You came back.", Source: pricing.ByRules}
}

func decide(t *testing.T, s *store.DB, r checkout.Receipt, percent int, b checkout.Budget, at time.Time) pricing.Decision {
	t.Helper()
	return must(s.Checkouts.DecidePrice(t.Context(), r.DecisionID, proposing(percent), b, at))(t)
}

func openPage(t *testing.T, s *store.DB, id string, at time.Time) checkout.Checkout {
	t.Helper()
	page := checkout.Session{ID: "cs_" + id, URL: "https://checkout.stripe.com/" + id, ExpiresAt: at.Add(checkout.OfferLife)}
	return must(s.Checkouts.OpenCheckout(t.Context(), id, checkout.CouponID(id), page, at))(t)
}

// offered returns a visitor's checkout with an open payment page.
func offered(t *testing.T, s *store.DB, a checkout.Request, percent int, at time.Time) checkout.Receipt {
	t.Helper()
	r := beginCheckout(t, s, a, at)
	decide(t, s, r, percent, plenty, at)
	openPage(t, s, r.ID, at)
	return must(s.Checkouts.Receipt(t.Context(), r.ID))(t)
}

func TestCheckouts(t *testing.T) {
	t.Parallel()
	each(t, "a checkout and its price are stored", func(t *testing.T, s *store.DB) {
		ada := visitor(t, s, "ada")
		a := wish(ada)
		r := beginCheckout(t, s, a, november)
		require.Equal(t, []any{a.ID, checkout.Quoting, false, november}, []any{r.ID, r.State, r.Demo, r.CreatedAt})
		d := r.Decision
		require.Equal(t, pricing.Pending, d.State)
		require.Equal(t, a.Behaviour, d.Behaviour())
		require.Equal(t, []any{true, ada, november.Add(pricing.Sticky)}, []any{d.Personal, d.Visitor, d.ValidUntil})
		require.Equal(t, pricing.ListCents, d.FinalCents, "until it is decided")
	})
	each(t, "the list price needs no budget", func(t *testing.T, s *store.DB) {
		for why, a := range map[pricing.Why]checkout.Request{pricing.Chosen: fullPrice(visitor(t, s, "ada")), pricing.Unknown: wish(nil)} {
			d := beginCheckout(t, s, a, november).Decision
			require.Equal(t, []any{pricing.Decided, pricing.ByList, why, false}, []any{d.State, d.Source, d.ListPriceReason, d.Personal})
			require.Equal(t, []any{pricing.Behaviour{}, pricing.ListCents, (*string)(nil)}, []any{d.Behaviour(), d.FinalCents, d.OpenKey})
			again := decide(t, s, checkout.Receipt{Checkout: checkout.Checkout{DecisionID: d.ID}}, 30, plenty, november)
			require.Equal(t, pricing.ListCents, again.FinalCents, "nobody lowers it afterwards")
		}
		require.Zero(t, s.Count(t, "discount_months"))
	})
	each(t, "requests at once get one checkout", func(t *testing.T, s *store.DB) {
		for name, before := range map[string]func(ada *string){
			"the first":        func(*string) {},
			"after a paid one": func(ada *string) { pageIsPaid(t, s, ada, beginCheckout(t, s, wish(ada), november)) },
			"after one about to expire": func(ada *string) {
				r := beginCheckout(t, s, wish(ada), november)
				decide(t, s, r, 15, plenty, november)
				openPage(t, s, r.ID, november.Add(time.Minute-checkout.OfferLife))
			},
		} {
			for _, whose := range []string{"ada's", "bea's", "cleo's", "dora's"} { // the first round opens the connections
				them, ids := visitor(t, s, whose+name), make([]string, 20)
				before(them)
				require.Equal(t, 20, atOnce(t, 20, func(i int) error {
					r, err := s.Checkouts.BeginCheckout(t.Context(), wish(them), november)
					ids[i] = r.ID
					return err
				}), name)
				require.Len(t, slices.Compact(ids), 1, name)
			}
		}
	})
	each(t, "checkouts without a visitor, or of two, are separate", func(t *testing.T, s *store.DB) {
		demo := checkout.Request{Personal: true, Demo: true, Behaviour: pricing.Behaviour{Visits: 1, UserType: pricing.NewVisitor}}
		for _, name := range []string{"ada", "bea"} {
			beginCheckout(t, s, wish(nil), november)
			beginCheckout(t, s, wish(visitor(t, s, name)), november)
			demo.ID = checkout.NewID()
			r := beginCheckout(t, s, demo, november)
			require.Equal(t, []any{true, true, pricing.Pending}, []any{r.Demo, r.Decision.Demo, r.Decision.State})
		}
		require.Equal(t, []int{6, 6}, []int{s.Count(t, "checkouts"), s.Count(t, "price_decisions")})
	})
	each(t, "the payment page is opened once", func(t *testing.T, s *store.DB) {
		for _, state := range allStates {
			before := checkoutIn(t, s, state)
			page := checkout.Session{ID: "cs_other_" + before.ID, URL: "https://checkout.stripe.com/other", ExpiresAt: november.Add(time.Hour)}
			c := must(s.Checkouts.OpenCheckout(t.Context(), before.ID, "cz-other", page, november.Add(time.Minute)))(t)
			if state != checkout.Quoting {
				require.Equal(t, []any{state, before.SessionID, before.CouponID}, []any{c.State, c.SessionID, c.CouponID}, "the page that was shown is the one")
				continue
			}
			require.Equal(t, []any{checkout.Open, page.ID, page.URL, "cz-other"}, []any{c.State, *c.SessionID, c.PaymentURL, c.CouponID})
			require.True(t, c.ExpiresAt.Equal(page.ExpiresAt))
			require.Equal(t, before.OpenKey, c.OpenKey)
		}
	})
	each(t, "a checkout is closed once", func(t *testing.T, s *store.DB) {
		for _, state := range allStates {
			before, later := checkoutIn(t, s, state), november.Add(time.Hour)
			c := must(s.Checkouts.CloseCheckout(t.Context(), before.ID, checkout.Cancelled, "late_code", "Late reason.", later))(t)
			if !state.Live() {
				require.Equal(t, []any{state, before.Code, before.Reason, november}, []any{c.State, c.Code, c.Reason, c.EndedAt.UTC()}, "it had ended")
				continue
			}
			require.Equal(t, []any{checkout.Cancelled, "late_code", "Late reason.", later}, []any{c.State, c.Code, c.Reason, *c.EndedAt})
			require.Nil(t, c.OpenKey, "another may be opened")
		}
	})
	each(t, "an unknown checkout is not found", func(t *testing.T, s *store.DB) {
		ctx, id := t.Context(), checkout.NewID()
		requireCode(t, problem.NotFound,
			errOf(s.Checkouts.Receipt(ctx, id)), errOf(s.Checkouts.NoteCheckoutRun(ctx, id, "run", november)),
			errOf(s.Checkouts.PayCheckout(ctx, id, paidPage(id, 900), buyer("ada@example.com"), november)))
	})
	each(t, "checkouts that wait for a run or are overdue are listed", func(t *testing.T, s *store.DB) {
		ids := map[checkout.State]string{}
		for _, state := range allStates {
			ids[state] = checkoutIn(t, s, state).ID
		}
		listed := func(all bool, before time.Time) []string {
			return idsOf(must(s.Checkouts.WaitingCheckouts(t.Context(), all, before))(t))
		}
		live := []string{ids[checkout.Quoting], ids[checkout.Open]}
		require.ElementsMatch(t, live, listed(false, november))
		require.Empty(t, listed(true, november.Add(-time.Second)), "whoever stored them starts their run")
		ends := november.Add(checkout.OfferLife)
		require.Empty(t, must(s.Checkouts.OverdueCheckouts(t.Context(), ends.Add(-time.Microsecond)))(t))
		require.Equal(t, live[1:], idsOf(must(s.Checkouts.OverdueCheckouts(t.Context(), ends))(t)))
		for state, id := range ids {
			r := must(s.Checkouts.NoteCheckoutRun(t.Context(), id, "run-2", november))(t)
			require.Equal(t, []any{"run-2", state, r.DecisionID}, []any{r.RunID, r.State, r.Decision.ID})
		}
		require.Empty(t, listed(false, november))
		require.ElementsMatch(t, live, listed(true, november))
	})
}

func TestRepeatedCheckoutRequests(t *testing.T) {
	t.Parallel()
	day := november.Add(pricing.Sticky)
	cases := map[string]struct {
		before   func(t *testing.T, s *store.DB, ada *string, first checkout.Receipt)
		with     func(*string) checkout.Request
		at       time.Time
		samePage bool
		same     bool // price
		why      pricing.Why
	}{
		"while the price is decided: the same":                {at: november.Add(time.Second), samePage: true, same: true},
		"while the page is open: the same":                    {before: pageOpens, at: november.Add(28 * time.Minute), samePage: true, same: true},
		"2 minutes before its expiry: another, at this price": {before: pageOpens, at: november.Add(29 * time.Minute), same: true},
		"after its expiry: another, at this price":            {before: pageEnds, at: november.Add(time.Hour), same: true},
		"after it was cancelled: another, at this price":      {before: pageCloses(checkout.Cancelled), at: november.Add(time.Minute), same: true},
		"after it failed: another, at this price":             {before: pageCloses(checkout.Failed), at: november.Add(time.Minute), same: true},
		"in the last microsecond of the price: at this price": {before: pageEnds, at: day.Add(-time.Second), same: true},
		"after the price expired: at a new price":             {before: pageEnds, at: day},
		"at the list price: a separate one":                   {before: pageOpens, with: fullPrice, at: november.Add(time.Minute), why: pricing.Chosen},
		"after it was paid: at the list price":                {before: pageIsPaid, at: november.Add(time.Hour), why: pricing.UsedUp},
		"after it was refunded: at the list price":            {before: pageIsRefunded, at: november.Add(time.Hour), why: pricing.UsedUp},
		"a day after it was paid: at a new price":             {before: pageIsPaid, at: day},
		"paid late, at the price's expiry: then a new price":  {before: pageIsPaidLate, at: day.Add(time.Hour)},
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
				for range 3 { // repeats change nothing
					again := beginCheckout(t, s, tt.with(ada), tt.at)
					require.Equal(t, tt.samePage, again.ID == first.ID, "the page")
					require.Equal(t, tt.same, again.DecisionID == first.DecisionID, "the price")
					require.Equal(t, []any{tt.why, tt.why == pricing.Personal}, []any{again.Decision.ListPriceReason, again.Decision.Personal})
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
		must(s.Checkouts.CloseCheckout(t.Context(), first.ID, as, "", "It is over.", november))(t)
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
	must(s.Checkouts.RefundCheckout(t.Context(), first.ID, 765, "", november))(t)
}

func checkoutIn(t *testing.T, s *store.DB, state checkout.State) checkout.Checkout {
	t.Helper()
	r := undecided(t, s)
	switch state {
	case checkout.Quoting:
	case checkout.Paid:
		pageIsPaid(t, s, nil, r)
	case checkout.Refunded:
		pageIsRefunded(t, s, nil, r)
	default:
		pageOpens(t, s, nil, r)
		if state != checkout.Open {
			must(s.Checkouts.CloseCheckout(t.Context(), r.ID, state, "first_code", "First reason.", november))(t)
		}
	}
	c := must(s.Checkouts.Receipt(t.Context(), r.ID))(t).Checkout
	require.Equal(t, state, c.State)
	return c
}

var allStates = []checkout.State{
	checkout.Quoting, checkout.Open, checkout.Paid, checkout.Expired, checkout.Cancelled, checkout.Failed, checkout.Refunded,
}

func TestCheckoutConstraints(t *testing.T) {
	t.Parallel()
	const decision, row = `UPDATE price_decisions SET `, `UPDATE checkouts SET `
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		quoted, open, paid := checkoutIn(t, s, checkout.Quoting), checkoutIn(t, s, checkout.Open), bought(t, s, "ada@example.com")
		for name, tt := range map[string]struct {
			change, id string
			refusal    error
		}{
			"a discount of 31 percent":                    {decision + `discount_percent = 31, final_cents = 621`, open.DecisionID, gorm.ErrCheckConstraintViolated},
			"a discount without its price":                {decision + `discount_percent = 16`, open.DecisionID, gorm.ErrCheckConstraintViolated},
			"two live prices of a visitor":                {decision + `open_key = (SELECT open_key FROM price_decisions WHERE id = '` + open.DecisionID + `')`, quoted.DecisionID, gorm.ErrDuplicatedKey},
			"a price by a model call that does not exist": {decision + `call_id = 'nobody'`, open.DecisionID, gorm.ErrForeignKeyViolated},
			"two open checkouts of a visitor":             {row + `open_key = (SELECT open_key FROM checkouts WHERE id = '` + open.ID + `')`, quoted.ID, gorm.ErrDuplicatedKey},
			"two checkouts of one page":                   {row + `session_id = '` + *paid.SessionID + `'`, open.ID, gorm.ErrDuplicatedKey},
			"two checkouts of one payment":                {row + `payment_intent = '` + *paid.PaymentIntent + `'`, open.ID, gorm.ErrDuplicatedKey},
			"a member of an unpaid checkout":              {row + `member_id = '` + *paid.MemberID + `'`, open.ID, gorm.ErrCheckConstraintViolated},
			"a member who does not exist":                 {row + `member_id = 'nobody'`, paid.ID, gorm.ErrForeignKeyViolated},
			"a refund above the payment":                  {row + `refunded_cents = paid_cents + 1`, paid.ID, gorm.ErrCheckConstraintViolated},
		} {
			require.ErrorIs(t, s.Exec(tt.change+` WHERE id = ?`, tt.id), tt.refusal, name)
		}
		require.ErrorIs(t, s.Exec(`UPDATE discount_months SET budget_cents = held_cents - 1`), gorm.ErrCheckConstraintViolated)
	})
}
