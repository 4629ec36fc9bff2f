package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
)

// sell lets somebody buy a membership for nine dollars, of which the service keeps 56 cents.
func (w *world) sell(t *testing.T, name string) (checkoutID string) {
	t.Helper()
	id, memberID := checkout.NewID(), "m-"+name
	_, err := w.db.Checkouts.BeginCheckout(t.Context(), checkout.Ask{ID: id}, now)
	require.NoError(t, err)
	page := checkout.Session{ID: "cs_" + id, URL: "http://pay", ExpiresAt: now.Add(checkout.OfferLife), TotalCents: 900, FeeCents: 56, PaymentIntent: "pi_" + id}
	_, err = w.db.Checkouts.OpenCheckout(t.Context(), id, checkout.CouponID(id), page, now)
	require.NoError(t, err)
	w.canaries.addAddress(name + "@example.com")
	_, err = w.db.Checkouts.PayCheckout(t.Context(), id, page, checkout.Buyer{
		MemberID: memberID, Username: name, Receipt: map[string]string{},
		Welcome: &account.Welcome{Email: name + "@example.com", Token: account.NewToken()},
	}, now)
	require.NoError(t, err)
	return id
}

// publish lets the bot post a text.
func (w *world) publish(t *testing.T, text string) {
	t.Helper()
	w.runs.publish = w.db
	rec := w.do(t, call{method: http.MethodPost, path: "/tweet", body: `{"content":"` + text + `"}`})
	require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
}

func (w *world) treasury(t *testing.T) api.Treasury {
	t.Helper()
	return read[api.Treasury](t, w.do(t, call{path: "/api/treasury", key: "none"}), http.StatusOK)
}

func TestAnEmptyTreasurySaysNothingItDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, api.Treasury{
		AsOf: now, Currency: "usd", Sandbox: true,
		Costs: api.Costs{
			Posts: api.Charge{Each: 15_000}, LinkPosts: api.Charge{Each: 200_000}, Reads: api.Charge{Each: 1_000},
		},
		Credits:   api.CreditCost{Count: 90, Plain: 1_350_000, WithLink: 18_000_000},
		Discounts: api.Discounts{Month: post.MonthOf(now), BudgetCents: 5000},
		Months:    []api.MonthOfMoney{},
	}, w.treasury(t))
	raw := w.do(t, call{path: "/api/treasury", key: "none"}).Body.String()
	require.NotContains(t, raw, "runway")
	require.NotContains(t, raw, "per_post")
}

func TestTheTreasurySumsWhatHappened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(t, "entered")
	w.sell(t, "ada")
	w.publish(t, "good morning")
	w.publish(t, "read example.com")

	got := w.treasury(t)
	require.Equal(t, api.Income{Payments: 1, PaidCents: 900}, got.Income)
	require.Equal(t, api.Costs{
		Total:    775_000,
		CardFees: api.CardFees{Cents: 56},
		Posts:    api.Charge{Count: 1, ThisMonth: 1, Each: 15_000, Cost: 15_000}, Reads: api.Charge{Each: 1_000},
		LinkPosts: api.Charge{Count: 1, ThisMonth: 1, Each: 200_000, Cost: 200_000},
	}, got.Costs)
	require.EqualValues(t, 9_000_000-775_000, got.Left)
	require.EqualValues(t, 107_500, *got.PerPost, "two posts for 21.5 cents")
	require.Equal(t, &api.Runway{Days: 38, Spent: 215_000, OverDays: 1}, got.Runway)
	require.Equal(t, 1, got.Unpaid, "whom a founder entered")
	require.Equal(t, []api.MonthOfMoney{{Month: "2026-11", PaidCents: 900, Cost: 775_000}}, got.Months)
}

func TestARefundLeavesTheTreasuryPoorerByTheCardFee(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.sell(t, "ada")
	_, err := w.db.Checkouts.RefundCheckout(t.Context(), id, 900, map[string]string{}, now)
	require.NoError(t, err)

	got := w.treasury(t)
	require.Equal(t, api.Income{Payments: 1, PaidCents: 900, Refunds: 1, RefundedCents: 900}, got.Income)
	require.EqualValues(t, -560_000, got.Left)
	require.Nil(t, got.Runway, "nothing was spent to run the bot")
}

func TestTheTreasurySaysWhenNoRealMoneyIsMeant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Till.Sandbox, w.server.Site.Sandbox = false, true
	got := w.treasury(t)
	require.False(t, got.Sandbox)
	require.True(t, got.SandboxX)
}

func TestFoundersSeeWhoBought(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	founder, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	as := map[string]string{"Cookie": "session=" + w.login(t, founder.ID, "")}
	list := func(query string) api.Checkouts {
		rec := w.do(t, call{path: "/api/checkouts" + query, key: "none", header: as})
		require.NotContains(t, rec.Body.String(), "@", "nobody's address")
		require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
		return read[api.Checkouts](t, rec, http.StatusOK)
	}
	require.Equal(t, api.Checkouts{Checkouts: []api.CheckoutEntry{}, Pagination: httpapi.Pagination{Limit: 20}}, list(""))
	for _, bad := range []string{"?limit=101", "?offset=-1", "?paid=perhaps", "?state=paid"} {
		require.Equal(t, http.StatusUnprocessableEntity, w.do(t, call{path: "/api/checkouts" + bad, key: "none", header: as}).Code, bad)
	}

	bought, opened := w.sell(t, "ada"), checkout.NewID()
	_, err = w.db.Checkouts.BeginCheckout(t.Context(), checkout.Ask{ID: opened}, now.Add(time.Second))
	require.NoError(t, err)
	all := list("?limit=1")
	require.Equal(t, httpapi.Pagination{Total: 2, Limit: 1, HasMore: true}, all.Pagination)
	require.Equal(t, opened, all.Checkouts[0].ID, "the newest first")
	require.Equal(t, "quoting", all.Checkouts[0].State)
	require.False(t, all.Checkouts[0].Refundable)
	require.Nil(t, all.Checkouts[0].PaidAt)

	paid := list("?paid=true")
	require.Equal(t, 1, paid.Pagination.Total)
	got := paid.Checkouts[0]
	require.Equal(t, bought, got.ID)
	require.Equal(t, "ada", got.Username)
	require.Equal(t, []int{900, 56, 0}, []int{got.PaidAmount, got.FeeAmount, got.RefundedAmount})
	require.True(t, got.Refundable)
	require.Equal(t, "checkout:"+bought, got.Run.WorkflowID)
	require.Nil(t, got.RefundRun)

	_, err = w.db.Checkouts.RefundCheckout(t.Context(), bought, 900, map[string]string{}, now)
	require.NoError(t, err)
	got = list("?paid=true").Checkouts[0]
	require.Equal(t, "refunded", got.State)
	require.Equal(t, 900, got.RefundedAmount)
	require.False(t, got.Refundable)
	require.Equal(t, "refund:"+bought, got.RefundRun.WorkflowID)
}
