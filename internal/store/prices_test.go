package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func undecided(t *testing.T, s *store.DB) checkout.Receipt {
	t.Helper()
	return beginCheckout(t, s, wish(visitor(t, s, xid.New().String())), november)
}

// held sums a month's discounts. The decisions must agree.
func held(t *testing.T, s *store.DB) int {
	t.Helper()
	cents := s.Number(t, "SELECT COALESCE(sum(held_cents), 0) FROM discount_months")
	require.Equal(t, cents, s.Number(t, "SELECT COALESCE(sum(held_cents), 0) FROM price_decisions"))
	return cents
}

func budget(floor, month int) checkout.Budget {
	return checkout.Budget{FloorCents: floor, MonthCents: month}
}

// Proves: F20, V2.3.2, F17
func TestPrices(t *testing.T) {
	t.Parallel()
	each(t, "a price is decided once", func(t *testing.T, s *store.DB) {
		r, call := undecided(t, s), xid.New().String()
		require.NoError(t, s.ModelCalls.SaveCall(t.Context(), model.Call{ID: call, Task: "price", Model: "builtin-1", Outcome: model.Answered, CreatedAt: november}))
		first := pricing.Proposal{
			DiscountPercent: 500, Reason: "You came back.", Source: pricing.ByModel, CallID: &call, Model: "builtin-1", Prompt: "price.v1",
		}
		at := november.Add(time.Second)
		d := must(s.Checkouts.DecidePrice(t.Context(), r.DecisionID, first, budget(700, 1000), at))(t)
		require.Equal(t, []any{pricing.Decided, 500, 22, 702}, []any{d.State, d.ProposedPercent, d.DiscountPercent, d.FinalCents})
		require.Equal(t, []any{0, "2026-11", at}, []any{d.HeldCents, *d.Month, d.DecidedAt.UTC()})
		require.Equal(t, []pricing.Clamp{pricing.AboveMaximum, pricing.BelowFloor}, d.ClampList())
		again := decide(t, s, r, 0, plenty, november.Add(time.Hour)) // the first proposal counts
		require.Equal(t, []any{d.FinalCents, call, pricing.ByModel, at}, []any{again.FinalCents, *again.CallID, again.Source, again.DecidedAt.UTC()})
		require.Zero(t, held(t, s), "an offer counts when it is paid")
	})
	each(t, "many decisions at once give one price", func(t *testing.T, s *store.DB) {
		r, finals := undecided(t, s), make([]int, 20)
		require.Equal(t, 20, atOnce(t, 20, func(i int) error {
			d, err := s.Checkouts.DecidePrice(t.Context(), r.DecisionID, proposing(i), plenty, november)
			finals[i] = d.FinalCents
			return err
		}))
		require.Len(t, slices.Compact(finals), 1)
	})
	each(t, "discounts keep to the month's budget", func(t *testing.T, s *store.DB) {
		for _, tt := range []struct {
			proposed, given int
			at              time.Time
			held            int // after the payment
			clamps          []pricing.Clamp
		}{
			{20, 20, november, 180, nil},
			{25, 24, november, 396, []pricing.Clamp{pricing.OverBudget}}, // 220 cents are left, and 24 % are 216
			{25, 0, november, 396, []pricing.Clamp{pricing.OverBudget}},
			{25, 25, november.AddDate(0, 1, 0), 396 + 225, nil}, // a new month is a new budget
		} {
			r := undecided(t, s)
			d := decide(t, s, r, tt.proposed, budget(600, 400), tt.at)
			require.Equal(t, []any{tt.given, tt.at.Format("2006-01")}, []any{d.DiscountPercent, *d.Month})
			require.ElementsMatch(t, tt.clamps, d.ClampList())
			openPage(t, s, r.ID, tt.at)
			for range 2 {
				pay(t, s, r.ID, d.FinalCents, "", tt.at)
			}
			require.Equal(t, tt.held, held(t, s))
		}
		requireCode(t, problem.NotFound, errOf(s.Checkouts.DecidePrice(t.Context(), xid.New().String(), proposing(10), plenty, november)))
	})
	// A visitor who requests offers without paying them uses nothing up.
	each(t, "offers hold nothing of the budget", func(t *testing.T, s *store.DB) {
		asked := make([]checkout.Receipt, 50)
		for i := range asked {
			asked[i] = undecided(t, s)
		}
		require.Equal(t, 50, atOnce(t, 50, func(i int) error {
			return errOf(s.Checkouts.DecidePrice(t.Context(), asked[i].DecisionID, proposing(20), budget(600, 400), november))
		}))
		require.Zero(t, held(t, s))
		require.Equal(t, 20, decide(t, s, undecided(t, s), 20, budget(600, 400), november).DiscountPercent, "an honest buyer gets a discount")
		for _, r := range asked[:3] {
			openPage(t, s, r.ID, november)
		}
		require.Equal(t, 3, atOnce(t, 3, func(i int) error {
			return errOf(s.Checkouts.PayCheckout(t.Context(), asked[i].ID, paidPage(asked[i].ID, 720), buyer(""), november))
		}))
		require.Equal(t, 3*180, held(t, s), "prices are paid as shown, even above the budget")
		require.Equal(t, 3*180, s.Number(t, "SELECT budget_cents FROM discount_months"))
		require.Zero(t, decide(t, s, undecided(t, s), 20, budget(600, 400), november).DiscountPercent, "then it is used up")
	})
	each(t, "discounts of the demo cost nothing", func(t *testing.T, s *store.DB) {
		for floor, final := range map[int]int{600: 630, 700: 702} { // the floor applies
			r := beginCheckout(t, s, checkout.Request{ID: checkout.NewID(), Personal: true, Demo: true}, november)
			d := decide(t, s, r, 30, budget(floor, 0), november)
			require.Equal(t, []any{final, 0, (*string)(nil)}, []any{d.FinalCents, d.HeldCents, d.Month})
		}
		require.Zero(t, s.Count(t, "discount_months"))
	})
	each(t, "a changed budget", func(t *testing.T, s *store.DB) {
		first := undecided(t, s)
		decide(t, s, first, 30, budget(600, 300), november)
		openPage(t, s, first.ID, november)
		pay(t, s, first.ID, 630, "", november)
		require.Zero(t, decide(t, s, undecided(t, s), 30, budget(600, 100), november).DiscountPercent, "lowered, it gives nothing more")
		require.Equal(t, 630, must(s.Checkouts.Receipt(t.Context(), first.ID))(t).Decision.FinalCents, "and keeps what it promised")
		require.Equal(t, 270, held(t, s))
		require.Equal(t, 10, decide(t, s, undecided(t, s), 30, budget(600, 360), november).DiscountPercent, "raised, it gives the rest")
	})
	each(t, "a model call is stored once", func(t *testing.T, s *store.DB) {
		call := model.Call{
			ID: xid.New().String(), Task: "price", Prompt: "price.v1", Model: "openai:gpt", Question: strings.Repeat("ä", 4000), Answer: "{}",
			Outcome: model.Malformed, Detail: "No JSON.", TokensIn: 100, TokensOut: 20, CostNanoUSD: 27_000, Priced: true, TookMS: 312, CreatedAt: november,
		}
		for range 2 { // a repeated activity
			require.NoError(t, s.ModelCalls.SaveCall(t.Context(), call))
		}
		kept := must(s.ModelCalls.Call(t.Context(), call.ID))(t)
		kept.CreatedAt = kept.CreatedAt.UTC()
		require.Equal(t, call, kept)
		require.Equal(t, problem.NotFound, codeOf(s.ModelCalls.Call(t.Context(), "nobody's")))
	})
}

func TestPaidDiscountsCount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range map[string]struct {
			paid, refunded bool
			percent        int // of the next offer
		}{
			"not an open offer":                 {percent: 20},
			"a paid one":                        {paid: true},
			"a paid one, also after its refund": {paid: true, refunded: true},
		} {
			t.Run(name, func(t *testing.T) {
				require.NoError(t, s.Exec("UPDATE price_decisions SET held_cents = 0, state = 'used', decided_at = created_at"))
				require.NoError(t, s.Exec("UPDATE discount_months SET held_cents = 0, budget_cents = 180"))
				first := undecided(t, s)
				require.Equal(t, 20, decide(t, s, first, 20, budget(600, 180), november).DiscountPercent)
				openPage(t, s, first.ID, november)
				if tt.paid {
					pay(t, s, first.ID, 720, "", november.Add(3*24*time.Hour))
				}
				if tt.refunded {
					must(s.Checkouts.RefundCheckout(t.Context(), first.ID, 720, "", november))(t)
				}
				require.Equal(t, tt.percent, decide(t, s, undecided(t, s), 20, budget(600, 180), november).DiscountPercent)
			})
		}
	})
}

// Proves: S-zero-values
func TestVisitors(t *testing.T) {
	t.Parallel()
	each(t, "a visitor is counted from the first event", func(t *testing.T, s *store.DB) {
		require.Nil(t, must(s.Visitors.Visitor(t.Context(), "ada"))(t))
		must(s.Visitors.RecordVisit(t.Context(), "ada", pricing.PageViewed, november))(t)
		must(s.Visitors.RecordVisit(t.Context(), "ada", pricing.PricingViewed, november.Add(pricing.HeartbeatInterval)))(t)
		must(s.Visitors.RecordVisit(t.Context(), "bea", pricing.PageViewed, november))(t)
		later := november.Add(pricing.HeartbeatInterval + pricing.VisitTimeout)
		told := must(s.Visitors.RecordVisit(t.Context(), "ada", pricing.PageViewed, later))(t)
		ada := must(s.Visitors.Visitor(t.Context(), "ada"))(t)
		ada.FirstSeenAt, ada.LastSeenAt = ada.FirstSeenAt.UTC(), ada.LastSeenAt.UTC()
		require.Equal(t, pricing.Visitor{
			ID: "ada", Visits: 2, Seconds: 15, ViewedPricing: true, FirstSeenAt: november, LastSeenAt: later,
		}, *ada)
		require.Equal(t, ada.Behaviour(), told.Behaviour())
	})
	each(t, "events at once are counted once", func(t *testing.T, s *store.DB) {
		says := []pricing.VisitEvent{pricing.PageViewed, pricing.PricingViewed, pricing.CartViewed}
		for _, name := range []string{"ada", "bea", "cleo", "dora", "eve"} { // the first opens the connections
			for _, at := range []time.Time{november, november.Add(pricing.HeartbeatInterval), november.Add(pricing.HeartbeatInterval + pricing.VisitTimeout)} {
				require.Equal(t, 20, atOnce(t, 20, func(i int) error { return errOf(s.Visitors.RecordVisit(t.Context(), name, says[i%3], at)) }))
				v := must(s.Visitors.Visitor(t.Context(), name))(t)
				require.True(t, v.ViewedPricing && v.AddedToCart, "no word is lost")
			}
			v := must(s.Visitors.Visitor(t.Context(), name))(t)
			require.Equal(t, []any{2, 15}, []any{v.Visits, v.Seconds})
		}
	})
	// Prices stay for the ledger, without the visitor.
	each(t, "prices are anonymized with the visitor", func(t *testing.T, s *store.DB) {
		named := func() int {
			return s.Number(t, "SELECT count(*) FROM price_decisions WHERE visitor IS NOT NULL OR open_key IS NOT NULL")
		}
		for _, name := range []string{"ada", "bea"} {
			offered(t, s, wish(visitor(t, s, name)), 15, november)
		}
		require.Equal(t, 2, named())
		require.NoError(t, s.Visitors.ForgetVisitor(t.Context(), account.Hash("ada")))
		require.Equal(t, 1, named())
		require.Zero(t, s.Number(t, "SELECT count(*) FROM price_decisions WHERE visitor = '"+account.Hash("ada")+"'"))
		require.NoError(t, s.Tidy(t.Context(), november.Add(pricing.VisitorRetention-time.Second)))
		require.Equal(t, 1, named())
		require.NoError(t, s.Tidy(t.Context(), november.Add(pricing.VisitorRetention)))
		require.Zero(t, named())
		require.Equal(t, 2, s.Count(t, "price_decisions"))
	})
	// An inactive visitor is deleted, like the browser's cookie.
	each(t, "a visitor is deleted, also after a long absence", func(t *testing.T, s *store.DB) {
		for _, name := range []string{"ada", "bea"} {
			must(s.Visitors.RecordVisit(t.Context(), name, pricing.PageViewed, november))(t)
		}
		for range 2 {
			require.NoError(t, s.Visitors.ForgetVisitor(t.Context(), "ada"))
		}
		require.Nil(t, must(s.Visitors.Visitor(t.Context(), "ada"))(t))
		require.NoError(t, s.Tidy(t.Context(), november.Add(pricing.VisitorRetention-time.Second)))
		require.Equal(t, 1, s.Count(t, "visitors"))
		require.NoError(t, s.Tidy(t.Context(), november.Add(pricing.VisitorRetention)))
		require.Zero(t, s.Count(t, "visitors"))
	})
}
