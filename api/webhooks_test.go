package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (w *world) hook(t *testing.T, signature, body string) *httptest.ResponseRecorder {
	return w.do(t, call{method: http.MethodPost, path: "/webhooks/stripe", body: body, key: "none", header: map[string]string{"Stripe-Signature": signature}})
}

// paidEvent tells that a checkout's page was paid.
func paidEvent(checkoutID string) string {
	return `{"ID":"evt_1","Type":"checkout.session.completed","SessionID":"cs_` + checkoutID + `","CheckoutID":"` + checkoutID + `"}`
}

// Proves: F14
func TestAWebhookWakesItsCheckoutOnce(t *testing.T) {
	w := newWorld(t)
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	for range 3 {
		require.Equal(t, ok, w.hook(t, "good", paidEvent(got.CheckoutID)).Code)
	}
	require.Equal(t, []string{"heed payment " + got.CheckoutID}, w.runs.orders[1:])
}

// Proves: F5, V16.5.2
func TestAWebhookThatCouldNotBeActedOnIsActedOnTheNextTime(t *testing.T) {
	w := newWorld(t)
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	w.runs.err = problem.New(problem.Unavailable, "The workflow service cannot be reached.")
	require.Equal(t, http.StatusServiceUnavailable, w.hook(t, "good", paidEvent(got.CheckoutID)).Code)
	w.runs.err = nil
	require.Equal(t, ok, w.hook(t, "good", paidEvent(got.CheckoutID)).Code)
	require.Len(t, w.runs.orders, 3)
}

func TestARefundIsFoundByItsPayment(t *testing.T) {
	w := newWorld(t)
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	w.pay(t, got.CheckoutID)
	require.Equal(t, ok, w.hook(t, "good", `{"ID":"evt_2","Type":"charge.refunded","PaymentIntent":"pi_`+got.CheckoutID+`"}`).Code)
	require.Contains(t, w.runs.orders, "heed refund "+got.CheckoutID)
}

// Proves: F16
func TestWebhooksThatAreNotBelievedOrNotOursChangeNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		signature, body string
		status          int
		code            problem.Code
	}{
		"forged":                     {"bad", paidEvent("x"), 400, problem.SignatureInvalid},
		"unsigned":                   {"", paidEvent("x"), 400, problem.SignatureInvalid},
		"signed, but not an event":   {"good", "not json", 422, problem.Invalid},
		"64 kB and more":             {"good", `{"ID":"` + strings.Repeat("x", 64<<10) + `"}`, 413, problem.TooLarge},
		"of a kind that is new":      {"good", `{"ID":"evt_1","Type":"customer.created"}`, ok, ""},
		"about a page not ours":      {"good", paidEvent("somebody-elses"), ok, ""},
		"about a payment not ours":   {"good", `{"ID":"evt_1","Type":"charge.refunded","PaymentIntent":"pi_other"}`, ok, ""},
		"a signature beyond measure": {strings.Repeat("v1=a,", 1000), paidEvent("x"), 422, problem.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			rec := w.hook(t, tt.signature, tt.body)
			require.Equal(t, tt.status, rec.Code, rec.Body.String())
			if tt.code != "" {
				require.Equal(t, tt.code, problemOf(t, rec).Code)
			}
			require.Empty(t, w.runs.orders)
		})
	}
}

// An event that was refused may come again, signed well.
// Proves: F16
func TestAForgedWebhookLeavesNoTrace(t *testing.T) {
	w := newWorld(t)
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	w.hook(t, "bad", paidEvent(got.CheckoutID))
	require.Len(t, w.runs.orders, 1)
	w.hook(t, "good", paidEvent(got.CheckoutID))
	require.Len(t, w.runs.orders, 2)
}

const hookSecret = "whsec_canary0of0the0webhooks"

// wired reads webhooks as the product does.
type wired struct{}

func (wired) ReadEvent(payload []byte, signature string, now time.Time) (checkout.Event, error) {
	return stripe.ReadEvent(payload, signature, []string{hookSecret}, now)
}

// sign is Stripe's way: the digest of the time and the body, under a secret.
func sign(body, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// stripesWords is an event about a checkout's page, as Stripe words it.
func stripesWords(checkoutID, version string) string {
	return fmt.Sprintf(`{"id":"evt_1","object":"event","api_version":%q,"type":"checkout.session.completed","created":%d,"data":{"object":{"id":"cs_%s","client_reference_id":%q}}}`,
		version, now.Unix(), checkoutID, checkoutID)
}

// awaitsPayment is a world with a checkout whose page is open.
func awaitsPayment(t *testing.T) (w *world, checkoutID string) {
	w = newWorld(t)
	w.server.Webhooks = wired{}
	w.canaries.add(hookSecret)
	return w, read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok).CheckoutID
}

// Whoever forges a webhook changes nothing, is told nothing, and leaves one line.
// Proves: F16
func TestForgedWebhooksLeaveOneLineAndNoTrace(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(body string) (signature, sent string){
		"by another's secret": func(body string) (string, string) { return sign(body, "whsec_other", now), body },
		"by no secret":        func(body string) (string, string) { return sign(body, "", now), body },
		"five minutes late":   func(body string) (string, string) { return sign(body, hookSecret, now.Add(-301*time.Second)), body },
		"from the future":     func(body string) (string, string) { return sign(body, hookSecret, now.Add(301*time.Second)), body },
		"with another body": func(body string) (string, string) {
			return sign(body, hookSecret, now), strings.Replace(body, "evt_1", "evt_2", 1)
		},
		"with a blank more": func(body string) (string, string) { return sign(body, hookSecret, now), body + " " },
		"with no signature": func(body string) (string, string) { return "", body },
		"with an old version": func(body string) (string, string) {
			return strings.Replace(sign(body, hookSecret, now), "v1", "v0", 1), body
		},
		"with another time": func(body string) (string, string) {
			return "t=1," + strings.SplitAfter(sign(body, hookSecret, now), ",")[1], body
		},
		"with a line break": func(body string) (string, string) {
			return sign(body, "whsec_other", now) + `,x="\n level=INFO msg=paid"`, body
		},
		"with its own secret":  func(body string) (string, string) { return sign(body, body, now), body },
		"with a cut signature": func(body string) (string, string) { s := sign(body, hookSecret, now); return s[:len(s)-2], body },
	} {
		t.Run(name, func(t *testing.T) {
			w, id := awaitsPayment(t)
			before, orders := w.rows(t), w.runs.told()
			signature, body := forge(stripesWords(id, "2023-10-16"))
			rec := w.hook(t, signature, body)
			require.Equal(t, http.StatusBadRequest, rec.Code)
			p := problemOf(t, rec)
			require.Equal(t, problem.SignatureInvalid, p.Code)
			require.Equal(t, before, w.rows(t))
			require.Equal(t, orders, w.runs.told())

			var lines []string
			for line := range strings.Lines(journal.String()) {
				if strings.Contains(line, p.RequestID) && !strings.Contains(line, "level=DEBUG") {
					lines = append(lines, line)
				}
			}
			require.Len(t, lines, 1, "whoever looks for it finds it, once")
			require.Contains(t, lines[0], "a webhook was refused")
			require.False(t, signature != "" && strings.Contains(lines[0], signature), "and nothing of what a stranger wrote")
		})
	}
}

// Stripe may speak another version of its API, and say a thing twenty times at once: it is believed
// by its signature, and heeded once.
// Proves: F14
func TestTwentyWebhooksAtOnceAreOneFact(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2023-10-16", "2031-01-01.tulip"} {
		t.Run(version, func(t *testing.T) {
			w, id := awaitsPayment(t)
			body := stripesWords(id, version)
			signature := sign(body, hookSecret, now)
			var all sync.WaitGroup
			statuses := make([]int, 20)
			for i := range statuses {
				req := w.request(t, call{method: http.MethodPost, path: "/webhooks/stripe", body: body, key: "none", header: map[string]string{"Stripe-Signature": signature}})
				all.Go(func() { statuses[i] = w.answer(t, req).Code })
			}
			all.Wait()
			for _, status := range statuses {
				require.Equal(t, ok, status)
			}
			require.Equal(t, 1, w.count(t, "SELECT count(*) FROM payment_events WHERE heeded_at IS NOT NULL"))
			require.Contains(t, w.runs.told(), "heed payment "+id)
			heeded := len(w.runs.told())
			require.Equal(t, ok, w.hook(t, signature, body).Code)
			require.Len(t, w.runs.told(), heeded, "what was heeded is not heeded again")
		})
	}
}

// sell lets somebody buy a membership for nine dollars, of which the service keeps 56 cents.
func (w *world) sell(t *testing.T, name string) (checkoutID string) {
	id, memberID := checkout.NewID(), "m-"+name
	must(w.db.Checkouts.BeginCheckout(t.Context(), checkout.Request{ID: id}, now))(t)
	page := checkout.Session{ID: "cs_" + id, URL: "http://pay", ExpiresAt: now.Add(checkout.OfferLife), TotalCents: 900, FeeCents: 56, PaymentIntent: "pi_" + id}
	must(w.db.Checkouts.OpenCheckout(t.Context(), id, checkout.CouponID(id), page, now))(t)
	w.canaries.addAddress(name + "@example.com")
	_, err := w.db.Checkouts.PayCheckout(t.Context(), id, page, checkout.Buyer{
		MemberID: memberID, Username: name, Receipt: map[string]string{},
		Welcome: &account.Welcome{Email: name + "@example.com", Token: account.NewToken()},
	}, now)
	require.NoError(t, err)
	return id
}

// publish lets the bot post a text.
func (w *world) publish(t *testing.T, text string) {
	w.runs.publish = w.db
	rec := w.do(t, call{method: http.MethodPost, path: "/tweet", body: `{"content":"` + text + `"}`})
	require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
}

func (w *world) treasury(t *testing.T) api.Treasury {
	return read[api.Treasury](t, w.do(t, call{path: "/api/treasury", key: "none"}), http.StatusOK)
}

func TestAnEmptyTreasurySaysNothingItDoesNotKnow(t *testing.T) {
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
	w := newWorld(t)
	id := w.sell(t, "ada")
	must(w.db.Checkouts.RefundCheckout(t.Context(), id, 900, map[string]string{}, now))(t)

	got := w.treasury(t)
	require.Equal(t, api.Income{Payments: 1, PaidCents: 900, Refunds: 1, RefundedCents: 900}, got.Income)
	require.EqualValues(t, -560_000, got.Left)
	require.Nil(t, got.Runway, "nothing was spent to run the bot")
}

func TestTheTreasurySaysWhenNoRealMoneyIsMeant(t *testing.T) {
	w := newWorld(t)
	w.server.Till.Sandbox, w.server.Site.Sandbox = false, true
	got := w.treasury(t)
	require.False(t, got.Sandbox)
	require.True(t, got.SandboxX)
}

func TestFoundersSeeWhoBought(t *testing.T) {
	w := newWorld(t)
	founder := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
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
	must(w.db.Checkouts.BeginCheckout(t.Context(), checkout.Request{ID: opened}, now.Add(time.Second)))(t)
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

	must(w.db.Checkouts.RefundCheckout(t.Context(), bought, 900, map[string]string{}, now))(t)
	got = list("?paid=true").Checkouts[0]
	require.Equal(t, "refunded", got.State)
	require.Equal(t, 900, got.RefundedAmount)
	require.False(t, got.Refundable)
	require.Equal(t, "refund:"+bought, got.RefundRun.WorkflowID)
}
