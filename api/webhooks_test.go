package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/problem"
)

func (w *world) hook(t *testing.T, signature, body string) *httptest.ResponseRecorder {
	t.Helper()
	return w.do(t, call{method: http.MethodPost, path: "/webhooks/stripe", body: body, key: "none", header: map[string]string{"Stripe-Signature": signature}})
}

// paidEvent tells that a checkout's page was paid.
func paidEvent(checkoutID string) string {
	return `{"ID":"evt_1","Type":"checkout.session.completed","SessionID":"cs_` + checkoutID + `","CheckoutID":"` + checkoutID + `"}`
}

// Proves: F14
func TestAWebhookWakesItsCheckoutOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	for range 3 {
		require.Equal(t, ok, w.hook(t, "good", paidEvent(got.CheckoutID)).Code)
	}
	require.Equal(t, []string{"heed payment " + got.CheckoutID}, w.runs.orders[1:])
}

// Proves: F5, V16.5.2
func TestAWebhookThatCouldNotBeActedOnIsActedOnTheNextTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	w.runs.err = problem.New(problem.Unavailable, "The workflow service cannot be reached.")
	require.Equal(t, http.StatusServiceUnavailable, w.hook(t, "good", paidEvent(got.CheckoutID)).Code)
	w.runs.err = nil
	require.Equal(t, ok, w.hook(t, "good", paidEvent(got.CheckoutID)).Code)
	require.Len(t, w.runs.orders, 3)
}

func TestARefundIsFoundByItsPayment(t *testing.T) {
	t.Parallel()
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
			t.Parallel()
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
	t.Parallel()
	w := newWorld(t)
	got := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok)
	w.hook(t, "bad", paidEvent(got.CheckoutID))
	require.Len(t, w.runs.orders, 1)
	w.hook(t, "good", paidEvent(got.CheckoutID))
	require.Len(t, w.runs.orders, 2)
}
