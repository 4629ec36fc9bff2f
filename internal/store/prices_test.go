package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// undecided is a checkout of somebody new, whose price nobody has proposed yet.
func undecided(t *testing.T, s *store.DB) checkout.Receipt {
	t.Helper()
	return beginCheckout(t, s, wish(visitor(t, s, xid.New().String())), november)
}

// held is what a month's discounts come to.
func held(t *testing.T, s *store.DB) int {
	t.Helper()
	return s.Number(t, "SELECT COALESCE(sum(held_cents), 0) FROM discount_months")
}

// heldByDecisions is the same, by the decisions: both must tell the same.
func heldByDecisions(t *testing.T, s *store.DB) int {
	t.Helper()
	return s.Number(t, "SELECT COALESCE(sum(held_cents), 0) FROM decisions")
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
		d := must(s.Checkouts.DecidePrice(t.Context(), r.DecisionID, first, checkout.Budget{FloorCents: 700, MonthCents: 1000}, at))(t)
		require.Equal(t, []any{pricing.Decided, 500, 22, 702}, []any{d.State, d.ProposedPercent, d.DiscountPercent, d.FinalCents})
		require.Equal(t, []any{198, "2026-11"}, []any{d.HeldCents, *d.Month})
		require.Equal(t, []pricing.Clamp{pricing.AboveMaximum, pricing.BelowFloor}, d.ClampList())
		require.True(t, d.DecidedAt.Equal(at))

		again := decide(t, s, r, 0, plenty, november.Add(time.Hour))
		require.Equal(t, d.FinalCents, again.FinalCents, "the first word counts")
		require.Equal(t, []any{call, pricing.ByModel}, []any{*again.CallID, again.Source})
		require.True(t, again.DecidedAt.Equal(at))
		require.Equal(t, 198, held(t, s))
	})
	each(t, "many decisions at once give one price", func(t *testing.T, s *store.DB) {
		r, finals := undecided(t, s), make([]int, 20)
		require.Equal(t, 20, atOnce(t, 20, func(i int) error {
			d, err := s.Checkouts.DecidePrice(t.Context(), r.DecisionID, proposing(i), plenty, november)
			finals[i] = d.FinalCents
			return err
		}))
		for _, cents := range finals {
			require.Equal(t, finals[0], cents)
		}
		require.Equal(t, 900-finals[0], held(t, s))
	})
	each(t, "an unknown price is not found", func(t *testing.T, s *store.DB) {
		require.Equal(t, problem.NotFound, codeOf(s.Checkouts.DecidePrice(t.Context(), xid.New().String(), proposing(10), plenty, november)))
	})
	each(t, "discounts keep to the month's budget", func(t *testing.T, s *store.DB) {
		budget := checkout.Budget{FloorCents: 600, MonthCents: 400}
		d := decide(t, s, undecided(t, s), 20, budget, november)
		require.Equal(t, 180, d.HeldCents)
		require.Empty(t, d.Clamps)
		d = decide(t, s, undecided(t, s), 25, budget, november)
		require.Equal(t, 24, d.DiscountPercent, "220 cents are left, and 24 % are 216")
		require.Equal(t, []pricing.Clamp{pricing.OverBudget}, d.ClampList())
		d = decide(t, s, undecided(t, s), 25, budget, november)
		require.Equal(t, 0, d.DiscountPercent)
		require.Equal(t, 396, held(t, s))

		december := november.AddDate(0, 1, 0)
		d = decide(t, s, undecided(t, s), 25, budget, december)
		require.Equal(t, 25, d.DiscountPercent, "a new month is a new budget")
		require.Equal(t, "2026-12", *d.Month)
		require.Equal(t, held(t, s), heldByDecisions(t, s))
	})
	each(t, "discounts may use the budget to the cent", func(t *testing.T, s *store.DB) {
		budget := checkout.Budget{FloorCents: 600, MonthCents: 360}
		for range 2 {
			require.Empty(t, decide(t, s, undecided(t, s), 20, budget, november).Clamps)
		}
		require.Equal(t, 360, held(t, s))
	})
	each(t, "discounts decided at once keep to the budget", func(t *testing.T, s *store.DB) {
		asked := make([]checkout.Receipt, 50)
		for i := range asked {
			asked[i] = undecided(t, s)
		}
		budget := checkout.Budget{FloorCents: 600, MonthCents: 1000}
		require.Equal(t, 50, atOnce(t, 50, func(i int) error {
			return errOf(s.Checkouts.DecidePrice(t.Context(), asked[i].DecisionID, proposing(20), budget, november))
		}))
		require.Equal(t, 1000-1, held(t, s), "five at 20 %, and one at the 11 % that are left")
		require.Equal(t, held(t, s), heldByDecisions(t, s))
		require.Equal(t, 1000, s.Number(t, "SELECT budget_cents FROM discount_months"))
	})
	each(t, "discounts of the demo cost nothing", func(t *testing.T, s *store.DB) {
		spent := checkout.Budget{FloorCents: 600, MonthCents: 0}
		r := beginCheckout(t, s, checkout.Request{ID: checkout.NewID(), Personal: true, Demo: true}, november)
		d := decide(t, s, r, 30, spent, november)
		require.Equal(t, 30, d.DiscountPercent)
		require.Zero(t, d.HeldCents)
		require.Nil(t, d.Month)
		require.Zero(t, s.Count(t, "discount_months"))
		r = beginCheckout(t, s, checkout.Request{ID: checkout.NewID(), Personal: true, Demo: true}, november)
		require.Equal(t, 702, decide(t, s, r, 30, checkout.Budget{FloorCents: 700}, november).FinalCents, "its floor is the same")
	})
	// A discount that lapsed and was given to somebody else is paid all the same: what was on
	// the page counts, even above the budget.
	each(t, "a lapsed discount is paid as shown", func(t *testing.T, s *store.DB) {
		budget := checkout.Budget{FloorCents: 600, MonthCents: 180}
		first := undecided(t, s)
		decide(t, s, first, 20, budget, november)
		openPage(t, s, first.ID, november)
		late := november.Add(3 * 24 * time.Hour)
		decide(t, s, undecided(t, s), 20, budget, late)
		require.Equal(t, 180, held(t, s))
		pay(t, s, first.ID, 720, "ada@example.com", late)
		r := must(s.Checkouts.Receipt(t.Context(), first.ID))(t)
		require.Equal(t, []any{pricing.Spent, 180}, []any{r.Decision.State, r.Decision.HeldCents})
		require.Equal(t, 360, held(t, s))
		require.Equal(t, held(t, s), heldByDecisions(t, s))
		require.Zero(t, decide(t, s, undecided(t, s), 20, budget, late).DiscountPercent)
	})
	each(t, "a changed budget", func(t *testing.T, s *store.DB) {
		first := undecided(t, s)
		decide(t, s, first, 30, checkout.Budget{FloorCents: 600, MonthCents: 300}, november)
		d := decide(t, s, undecided(t, s), 30, checkout.Budget{FloorCents: 600, MonthCents: 100}, november)
		require.Zero(t, d.DiscountPercent, "lowered, it gives nothing more")
		require.Equal(t, 630, must(s.Checkouts.Receipt(t.Context(), first.ID))(t).Decision.FinalCents, "and keeps what it promised")
		require.Equal(t, 270, held(t, s))
		d = decide(t, s, undecided(t, s), 30, checkout.Budget{FloorCents: 600, MonthCents: 360}, november)
		require.Equal(t, 10, d.DiscountPercent, "raised, it gives the rest")
	})
	each(t, "a model call is stored once", func(t *testing.T, s *store.DB) {
		call := model.Call{
			ID: xid.New().String(), Task: "price", Prompt: "price.v1", Model: "openai:gpt", Question: strings.Repeat("ä", 4000), Answer: "{}",
			Outcome: model.Malformed, Detail: "No JSON.", TokensIn: 100, TokensOut: 20, CostNanoUSD: 27_000, Priced: true, TookMS: 312, CreatedAt: november,
		}
		for range 2 { // a repeat of the step that asked
			require.NoError(t, s.ModelCalls.SaveCall(t.Context(), call))
		}
		kept := must(s.ModelCalls.Call(t.Context(), call.ID))(t)
		kept.CreatedAt = kept.CreatedAt.UTC()
		require.Equal(t, call, kept)
		require.Equal(t, problem.NotFound, codeOf(s.ModelCalls.Call(t.Context(), "nobody's")))
	})
}

func TestCheckoutDiscountThatLapsed(t *testing.T) {
	t.Parallel()
	budget := checkout.Budget{FloorCents: 600, MonthCents: 180}
	free := november.Add(pricing.Sticky + 2*checkout.OfferLife)
	cases := map[string]struct {
		before  func(t *testing.T, s *store.DB, first checkout.Receipt)
		at      time.Time
		percent int
		state   pricing.DecisionState // of the first
	}{
		"holds what it promised while it is valid":  {at: november.Add(pricing.Sticky - time.Second), state: pricing.Decided},
		"and as long as its last page may be open":  {at: free.Add(-time.Microsecond), state: pricing.Decided},
		"is free from then on":                      {at: free, percent: 20, state: pricing.Lapsed},
		"is given for good when it was paid":        {before: payFirst, at: free, state: pricing.Spent},
		"is given for good also after it went back": {before: refundFirst, at: free, state: pricing.Spent},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				require.NoError(t, s.Exec("UPDATE decisions SET held_cents = 0, state = 'spent', decided_at = created_at"))
				require.NoError(t, s.Exec("UPDATE discount_months SET held_cents = 0, budget_cents = 180"))
				first := undecided(t, s)
				require.Equal(t, 20, decide(t, s, first, 20, budget, november).DiscountPercent)
				if tt.before != nil {
					tt.before(t, s, first)
				}
				d := decide(t, s, undecided(t, s), 20, budget, tt.at)
				require.Equal(t, tt.percent, d.DiscountPercent)
				r := must(s.Checkouts.Receipt(t.Context(), first.ID))(t)
				require.Equal(t, tt.state, r.Decision.State)
				require.Equal(t, tt.state == pricing.Lapsed, r.Decision.HeldCents == 0)
				require.Equal(t, 720, r.Decision.FinalCents, "its price stays what it was")
				require.Equal(t, 180, held(t, s))
				require.Equal(t, held(t, s), heldByDecisions(t, s))
			})
		}
	})
}

func payFirst(t *testing.T, s *store.DB, first checkout.Receipt) {
	openPage(t, s, first.ID, november)
	pay(t, s, first.ID, 720, "", november)
}

func refundFirst(t *testing.T, s *store.DB, first checkout.Receipt) {
	payFirst(t, s, first)
	must(s.Checkouts.RefundCheckout(t.Context(), first.ID, 720, nil, november))(t)
}
