package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	checkoutapi "customerzero/api/checkout"
	"customerzero/api/httpapi"
	membersapi "customerzero/api/members"
	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

func (w *world) hook(t *testing.T, signature, body string) *httptest.ResponseRecorder {
	return w.do(t, call{method: http.MethodPost, path: "/webhooks/stripe", body: body, key: "none", header: map[string]string{"Stripe-Signature": signature}})
}

const hookSecret = "whsec_canary0of0the0webhooks"

// wired verifies webhooks as the product does.
type wired struct{}

func (wired) ReadEvent(payload []byte, signature string, now time.Time) (checkout.Event, error) {
	return stripe.ReadEvent(payload, signature, []string{hookSecret}, now)
}

// sign signs a body as Stripe does: HMAC-SHA256 of the time and the body.
func sign(body, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// sell stores a paid membership of $9 with a fee of $0.56.
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

func (w *world) publish(t *testing.T, text string) {
	w.runs.publish = w.db
	rec := w.send(t, http.MethodPost, "/tweet", `{"content":"`+text+`"}`)
	require.Equal(t, ok, rec.Code, rec.Body.String())
}

func (w *world) treasury(t *testing.T) checkoutapi.Treasury {
	return read[checkoutapi.Treasury](t, w.visits(t, "/api/treasury"), ok)
}

func TestAnEmptyTreasuryOmitsUnknownFigures(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, checkoutapi.Treasury{
		AsOf: now, Currency: "usd", Sandbox: true,
		Costs: checkoutapi.Costs{
			Posts: checkoutapi.Charge{Each: 15_000}, LinkPosts: checkoutapi.Charge{Each: 200_000}, Reads: checkoutapi.Charge{Each: 1_000},
		},
		Credits:   checkoutapi.CreditCost{Count: 90, Plain: 1_350_000, WithLink: 18_000_000},
		Discounts: checkoutapi.Discounts{Month: post.MonthOf(now), BudgetCents: 5000},
		Months:    []checkoutapi.MonthOfMoney{},
	}, w.treasury(t))
	raw := w.visits(t, "/api/treasury").Body.String()
	require.NotContains(t, raw, "runway")
	require.NotContains(t, raw, "per_post")
}

func TestTheTreasurySumsIncomeAndCosts(t *testing.T) {
	w := newWorld(t)
	w.join(t, "entered")
	id := w.sell(t, "ada")
	w.publish(t, "good morning")
	w.publish(t, "read example.com")

	got := w.treasury(t)
	require.Equal(t, checkoutapi.Income{Payments: 1, PaidCents: 900}, got.Income)
	require.Equal(t, checkoutapi.Costs{
		Total:    775_000,
		CardFees: checkoutapi.CardFees{Cents: 56},
		Posts:    checkoutapi.Charge{Count: 1, ThisMonth: 1, Each: 15_000, Cost: 15_000}, Reads: checkoutapi.Charge{Each: 1_000},
		LinkPosts: checkoutapi.Charge{Count: 1, ThisMonth: 1, Each: 200_000, Cost: 200_000},
	}, got.Costs)
	require.EqualValues(t, 9_000_000-775_000, got.Left)
	require.EqualValues(t, 107_500, *got.PerPost, "2 posts for 21.5 cents")
	require.Equal(t, &checkoutapi.Runway{Days: 38, SpentMicroUSD: 215_000, OverDays: 1}, got.Runway)
	require.Equal(t, 1, got.Unpaid, "added by a founder")
	paid := map[string][]any{}
	for _, m := range read[membersapi.Members](t, w.visits(t, "/api/members"), ok).Members {
		paid[m.PaymentStatus] = append(paid[m.PaymentStatus], m.PaymentAmount)
	}
	require.Equal(t, map[string][]any{"granted": {0}, "paid": {900}}, paid, "the members and the treasury agree")
	require.Equal(t, []checkoutapi.MonthOfMoney{{Month: "2026-11", PaidCents: 900, Cost: 775_000}}, got.Months)
	w.server.Pricing.Sandbox, w.server.Site.Sandbox = false, true
	w.handler = handlerOf(w.server)
	disputed := checkout.Session{Dispute: checkout.DisputeOpen, DisputedCents: 900, DisputeFeeCents: 1500}
	must(w.db.Checkouts.ReconcilePayment(t.Context(), id, 0, disputed, "", now))(t)
	got = w.treasury(t)
	require.Equal(t, checkoutapi.Income{Payments: 1, PaidCents: 900, Disputes: 1, DisputedCents: 900}, got.Income)
	require.Equal(t, checkoutapi.CardFees{Cents: 56, Dispute: 1500}, got.Costs.CardFees)
	require.EqualValues(t, -15_000_000-775_000, got.Left, "the fee is lost and the dispute's fee is to be paid")
	require.Equal(t, []checkoutapi.MonthOfMoney{{Month: "2026-11", PaidCents: 900, DisputedCents: 900, Cost: 15_775_000}}, got.Months)
	must(w.db.Checkouts.ReconcilePayment(t.Context(), id, 1, checkout.Session{RefundedCents: 900}, "", now))(t)
	got = w.treasury(t)
	require.Equal(t, []any{checkoutapi.Income{Payments: 1, PaidCents: 900, Refunds: 1, RefundedCents: 900}, false, true}, []any{got.Income, got.Sandbox, got.SandboxX})
}

func TestFoundersListCheckouts(t *testing.T) {
	w := newWorld(t)
	grace := w.founder(t)
	list := func(query string) checkoutapi.Checkouts {
		rec := grace.get(t, "/api/checkouts"+query)
		require.NotContains(t, rec.Body.String(), "@", "no email address")
		return read[checkoutapi.Checkouts](t, rec, ok)
	}
	bought, opened := w.sell(t, "ada"), checkout.NewID()
	must(w.db.Checkouts.BeginCheckout(t.Context(), checkout.Request{ID: opened}, now.Add(time.Second)))(t)
	all := list("?limit=1")
	require.Equal(t, []any{httpapi.Pagination{Total: 2, Limit: 1, HasMore: true}, opened, "quoting", false},
		[]any{all.Pagination, all.Checkouts[0].ID, all.Checkouts[0].State, all.Checkouts[0].Refundable}, "newest first")
	paid := list("?paid=true")
	got := paid.Checkouts[0]
	require.Equal(t, []any{1, bought, "ada", 900, 56, 0, true, "checkout:" + bought, (*httpapi.RunRef)(nil)},
		[]any{paid.Pagination.Total, got.ID, got.Username, got.PaidAmount, got.FeeAmount, got.RefundedAmount, got.Refundable, got.Run.WorkflowID, got.RefundRun})
	disputed := checkout.Session{Dispute: checkout.DisputeOpen, DisputedCents: 900, DisputeFeeCents: 1500}
	must(w.db.Checkouts.ReconcilePayment(t.Context(), bought, 0, disputed, "", now))(t)
	got = list("?paid=true").Checkouts[0]
	require.Equal(t, []any{"paid", "open", 900, 1500, false, "refund:" + bought},
		[]any{got.State, got.Dispute, got.DisputedAmount, got.DisputeFee, got.Refundable, got.RefundRun.WorkflowID})
	refused := grace.post(t, "/api/checkouts/"+bought+"/refund", "")
	require.Contains(t, read[httpapi.Problem](t, refused, http.StatusConflict).Message, "This payment is disputed, so nothing was refunded.")
	must(w.db.Checkouts.ReconcilePayment(t.Context(), bought, 1, checkout.Session{RefundedCents: 900}, "", now))(t)
	got = list("?paid=true").Checkouts[0]
	require.Equal(t, []any{"refunded", 900, false, "refund:" + bought}, []any{got.State, got.RefundedAmount, got.Refundable, got.RefundRun.WorkflowID})
}

// event returns a Stripe event in an API version.
func event(version, kind, object string) string {
	return fmt.Sprintf(`{"id":"evt_1","object":"event","api_version":%q,"type":%q,"created":%d,"data":{"object":{%s}}}`, version, kind, now.Unix(), object)
}

// paidEvent reports a completed checkout session.
func paidEvent(checkoutID, version string) string {
	return event(version, "checkout.session.completed", fmt.Sprintf(`"id":"cs_%s","object":"checkout.session","client_reference_id":%q`, checkoutID, checkoutID))
}

// refundEvent reports a refunded charge.
func refundEvent(payment string) string {
	return event("2023-10-16", "charge.refunded", `"id":"ch_1","object":"charge","payment_intent":"`+payment+`"`)
}

// notify sends a signed event.
func (w *world) notify(t *testing.T, body string) *httptest.ResponseRecorder {
	return w.hook(t, sign(body, hookSecret, now), body)
}

// opened returns the ID of an open checkout.
func (w *world) opened(t *testing.T) (checkoutID string) {
	return read[checkoutapi.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok).CheckoutID
}

// A forged webhook changes nothing and leaves one log line.
// Proves: F16
func TestForgedWebhooksLeaveOneLineAndNoTrace(t *testing.T) {
	w := newWorld(t)
	id := w.opened(t)
	body := paidEvent(id, "2023-10-16")
	good := sign(body, hookSecret, now)
	before, commands := w.rows(t), w.runs.sent()
	for name, forged := range map[string]struct{ signature, sent string }{
		"another secret":      {sign(body, "whsec_other", now), body},
		"five minutes late":   {sign(body, hookSecret, now.Add(-301*time.Second)), body},
		"with another body":   {good, strings.Replace(body, "evt_1", "evt_2", 1)},
		"with no signature":   {"", body},
		"with an old version": {strings.Replace(good, "v1", "v0", 1), body},
		"with a line break":   {sign(body, "whsec_other", now) + `,x="\n level=INFO msg=paid"`, body},
	} {
		p := refused(t, w.hook(t, forged.signature, forged.sent), problem.SignatureInvalid, name)
		require.Equal(t, before, w.rows(t), name)
		require.Equal(t, commands, w.runs.sent(), name)
		var lines []string
		for line := range strings.Lines(logs.String()) {
			if strings.Contains(line, p.RequestID) && !strings.Contains(line, "level=DEBUG") {
				lines = append(lines, line)
			}
		}
		require.Len(t, lines, 1, "%s: one log line", name)
		require.Contains(t, lines[0], "webhook refused")
		require.False(t, forged.signature != "" && strings.Contains(lines[0], forged.signature), "%s: the log does not contain the signature", name)
	}
	require.Equal(t, ok, w.notify(t, body).Code, "the same event with a valid signature")
	require.Contains(t, w.runs.sent(), "handle payment "+id)
}

// Proves: F16
func TestWebhooksThatAreNotOursChangeNothing(t *testing.T) {
	w := newWorld(t)
	before := w.rows(t)
	refused(t, w.notify(t, "not json"), problem.Invalid)
	refused(t, w.notify(t, `{"id":"`+strings.Repeat("x", 64<<10)+`"}`), problem.TooLarge)
	require.Equal(t, ok, w.notify(t, event("2023-10-16", "customer.created", `"id":"cus_1","object":"customer"`)).Code)
	require.Equal(t, before, w.rows(t))
	require.Equal(t, ok, w.notify(t, paidEvent("somebody-elses", "2023-10-16")).Code)
	require.Equal(t, ok, w.notify(t, refundEvent("pi_other")).Code)
	require.Empty(t, w.runs.commands)
}

// Concurrent duplicates of an event, even in an unknown API version, are handled once.
// Proves: F14
func TestTwentyWebhooksAtOnceAreOneFact(t *testing.T) {
	w := newWorld(t)
	id := w.opened(t)
	body := paidEvent(id, "2031-01-01.tulip")
	statuses := w.atOnce(t, 20, func(int) *http.Request {
		return w.request(t, call{method: "POST", path: "/webhooks/stripe", body: body, key: "none", header: map[string]string{"Stripe-Signature": sign(body, hookSecret, now)}})
	})
	require.Equal(t, map[int]int{ok: 20}, counted(statuses))
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM payment_events WHERE handled_at IS NOT NULL"))
	require.Contains(t, w.runs.sent(), "handle payment "+id)
	handled := len(w.runs.sent())
	require.Equal(t, ok, w.notify(t, body).Code)
	require.Len(t, w.runs.sent(), handled, "a duplicate is not handled")
}

// Proves: F5, V16.5.2
func TestAWebhookThatCouldNotBeActedOnIsActedOnTheNextTime(t *testing.T) {
	w := newWorld(t)
	id := w.opened(t)
	w.runs.err = problem.New(problem.Unavailable, "The workflow service is unavailable.")
	refused(t, w.notify(t, paidEvent(id, "2023-10-16")), problem.Unavailable)
	w.runs.err = nil
	require.Equal(t, ok, w.notify(t, paidEvent(id, "2023-10-16")).Code)
	require.Len(t, w.runs.commands, 3)
	w.pay(t, id)
	require.Equal(t, ok, w.notify(t, strings.Replace(refundEvent("pi_"+id), "evt_1", "evt_2", 1)).Code)
	require.Contains(t, w.runs.commands, "handle refund "+id, "the checkout is found by its payment")
}
