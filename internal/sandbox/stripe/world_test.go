package stripe

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/client"

	"customerzero/internal/platform/testwait"
)

const (
	testKey    = "sk_test_sandbox"
	testSecret = "whsec_sandbox"
	buyer      = "buyer@example.test"
)

// world is a sandbox with Stripe's own client and a webhook endpoint.
type world struct {
	t       *testing.T
	sandbox *Server
	clock   *testwait.Clock
	url     string
	api     *client.API
	hook    *hook
}

func newWorld(t *testing.T, changes ...func(*Config)) *world {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	w := &world{t: t, clock: testwait.NewClock(time.Now()), url: "http://" + listener.Listener.Addr().String(), hook: newHook(t)}
	config := Config{
		Key: testKey, WebhookSecret: testSecret, WebhookURL: w.hook.url, PagesURL: w.url + root, Product: "Test shop",
		RetryBase: time.Millisecond, Now: w.clock.Now, Log: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(&config)
	}
	sandbox, err := New(config)
	require.NoError(t, err)
	listener.Config.Handler = sandbox.Handler()
	listener.Start()
	t.Cleanup(func() {
		require.NoError(t, sandbox.Close())
		listener.Close()
	})
	w.sandbox = sandbox
	w.api = w.client(&http.Client{Timeout: testwait.Limit})
	return w
}

// client returns Stripe's own client of the sandbox, without retries.
func (w *world) client(through *http.Client) *client.API {
	backend := stripego.GetBackendWithConfig(stripego.APIBackend, &stripego.BackendConfig{
		URL: &w.url, HTTPClient: through, MaxNetworkRetries: stripego.Int64(0), EnableTelemetry: stripego.Bool(false),
		LeveledLogger: &stripego.LeveledLogger{Level: stripego.LevelNull},
	})
	return client.New(testKey, &stripego.Backends{API: backend, Connect: backend, Uploads: backend})
}

func (w *world) fault(rules ...Rule) {
	w.t.Helper()
	require.NoError(w.t, w.sandbox.SetFaults(Faults{Seed: 1, Rules: rules}))
}

// readCoupon returns the coupon cz-1.
func (w *world) readCoupon() *stripego.Coupon {
	w.t.Helper()
	coupon, err := w.api.Coupons.Get("cz-1", nil)
	require.NoError(w.t, err)
	return coupon
}

// coupon creates a coupon that can be used once.
func (w *world) coupon(id string, percent float64) *stripego.Coupon {
	w.t.Helper()
	coupon, err := w.api.Coupons.New(w.couponParams(id, percent))
	require.NoError(w.t, err)
	return coupon
}

func (w *world) couponParams(id string, percent float64) *stripego.CouponParams {
	return &stripego.CouponParams{
		ID: &id, PercentOff: &percent, Duration: stripego.String("once"), MaxRedemptions: stripego.Int64(1),
		RedeemBy: stripego.Int64(w.clock.Now().Add(time.Hour).Unix()),
	}
}

// offer returns the parameters of a session for $9.00 with a coupon.
func (w *world) offer(coupon string) *stripego.CheckoutSessionParams {
	params := &stripego.CheckoutSessionParams{
		Mode: stripego.String("payment"), SuccessURL: stripego.String("http://127.0.0.1:1/paid?session={CHECKOUT_SESSION_ID}"),
		CancelURL: stripego.String("http://127.0.0.1:1/cancelled"), ClientReferenceID: stripego.String("chk_1"),
		ExpiresAt:          stripego.Int64(w.clock.Now().Add(31 * time.Minute).Unix()),
		PaymentMethodTypes: []*string{stripego.String("card")},
		LineItems: []*stripego.CheckoutSessionLineItemParams{{
			Quantity: stripego.Int64(1),
			PriceData: &stripego.CheckoutSessionLineItemPriceDataParams{
				Currency: stripego.String("usd"), UnitAmount: stripego.Int64(900),
				ProductData: &stripego.CheckoutSessionLineItemPriceDataProductDataParams{Name: stripego.String("Founding membership")},
			},
		}},
	}
	if coupon != "" {
		params.Discounts = []*stripego.CheckoutSessionDiscountParams{{Coupon: &coupon}}
	}
	params.AddMetadata("checkout", "chk_1")
	return params
}

func (w *world) session(coupon string) *stripego.CheckoutSession {
	w.t.Helper()
	session, err := w.api.CheckoutSessions.New(w.offer(coupon))
	require.NoError(w.t, err)
	return session
}

// paid returns a paid session.
func (w *world) paid() *stripego.CheckoutSession {
	w.t.Helper()
	session := w.session("")
	require.Equal(w.t, http.StatusSeeOther, w.pay(session.ID, goodCard, buyer).status)
	return w.read(session.ID)
}

// expired expires a session, which emits exactly one event.
func (w *world) expired() {
	w.t.Helper()
	_, err := w.api.CheckoutSessions.Expire(w.session("").ID, nil)
	require.NoError(w.t, err)
}

// read returns a session with its payment.
func (w *world) read(id string) *stripego.CheckoutSession {
	w.t.Helper()
	params := &stripego.CheckoutSessionParams{}
	params.AddExpand(expanded)
	session, err := w.api.CheckoutSessions.Get(id, params)
	require.NoError(w.t, err)
	return session
}

// refused returns Stripe's error.
func refused(t *testing.T, err error) *stripego.Error {
	t.Helper()
	var refusal *stripego.Error
	require.ErrorAs(t, err, &refusal)
	require.NotEmpty(t, refusal.RequestID)
	return refusal
}

func (w *world) refund(payment string) (*stripego.Refund, error) {
	return w.api.Refunds.New(&stripego.RefundParams{PaymentIntent: &payment})
}

// answer is a response, read completely.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request with pairs of headers and follows no redirect.
func (w *world) send(method, path, body string, headers ...string) answer {
	w.t.Helper()
	got, err := w.try(method, path, body, headers...)
	require.NoError(w.t, err)
	return got
}

func (w *world) try(method, path, body string, headers ...string) (answer, error) {
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(content)}, err
}

// call sends an authorized call.
func (w *world) call(method, path, body string, headers ...string) answer {
	w.t.Helper()
	return w.send(method, path, body, append(headers, "Authorization", "Bearer "+testKey)...)
}

// pay submits the payment form.
func (w *world) pay(session, card, email string, headers ...string) answer {
	w.t.Helper()
	return w.send(http.MethodPost, root+"/pay/"+session, payForm(card, email), headers...)
}

func payForm(card, email string) string {
	return url.Values{"card": {card}, "email": {email}}.Encode()
}

// kinds returns the types of all events, oldest first.
func (w *world) kinds() []string {
	var kinds []string
	for _, e := range w.sandbox.Events() {
		kinds = append(kinds, e.Type)
	}
	return kinds
}
