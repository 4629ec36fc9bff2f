package stripe

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"

	"customerzero/internal/platform/testwait"
)

func TestCallsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		got    answer
		status int
		part   string
	}{
		"another path":          {w.call(http.MethodGet, "/v1/customers", ""), http.StatusNotFound, "Unrecognized request URL (GET: /v1/customers)"},
		"another key":           {w.send(http.MethodGet, "/v1/events", "", "Authorization", "Bearer sk_test_another"), http.StatusUnauthorized, "Invalid API Key"},
		"no version":            {w.call(http.MethodGet, "/v1/events", "", "Stripe-Version", "latest"), http.StatusBadRequest, "Invalid Stripe API version: latest"},
		"a parameter of a list": {w.call(http.MethodGet, "/v1/events?ending_before=evt_1", ""), http.StatusBadRequest, "parameter_unknown"},
		"a number that is none": {w.call(http.MethodGet, "/v1/events?limit=ten", ""), http.StatusBadRequest, "parameter_invalid_integer"},
		"a page after nothing":  {w.call(http.MethodGet, "/v1/events?starting_after=evt_1", ""), http.StatusBadRequest, "resource_missing"},
	} {
		require.Equal(t, tt.status, tt.got.status, name)
		require.Contains(t, tt.got.body, tt.part, name)
	}
}

// TestVersions checks that the versions that clients of these years send are accepted and echoed.
func TestVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for sent, want := range map[string]string{"": "2023-10-16", "2024-06-20": "2024-06-20", "2025-03-31.basil": "2025-03-31.basil", "2026-01-28.clover": "2026-01-28.clover"} {
		var headers []string
		if sent != "" {
			headers = []string{"Stripe-Version", sent}
		}
		got := w.call(http.MethodGet, "/v1/events", "", headers...)
		require.Equal(t, http.StatusOK, got.status, sent)
		require.Equal(t, want, got.header.Get("Stripe-Version"))
	}
}

func TestEventsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session("") // will expire
	w.clock.Advance(31 * 60 * 1e9)
	payment := w.paid().PaymentIntent.ID
	_, err := w.refund(payment)
	require.NoError(t, err)
	params := &stripego.EventListParams{
		Types:        stripego.StringSlice([]string{"charge.refunded", "checkout.session.expired"}),
		CreatedRange: &stripego.RangeQueryParams{GreaterThanOrEqual: w.clock.Now().Unix()},
	}
	params.Limit = stripego.Int64(1) // one event per page
	var got []string
	listed := w.api.Events.List(params)
	for listed.Next() {
		got = append(got, string(listed.Event().Type))
	}
	require.NoError(t, listed.Err())
	require.Equal(t, []string{"charge.refunded", "checkout.session.expired"}, got)
	params.CreatedRange.GreaterThanOrEqual++
	require.False(t, w.api.Events.List(params).Next())
}

// Proves: F37, V16.2.5
func TestNoSecretAndNoAddressIsLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	w := newWorld(t, logTo(&log), onFile(t))
	w.hook.fail(2)
	w.paid()
	w.hook.await(1)
	w.breakFile()
	require.Equal(t, http.StatusInternalServerError, w.call(http.MethodPost, "/v1/coupons", "id=c&percent_off=10").status)
	session := w.sandbox.Sessions()[0].ID
	require.NotEmpty(t, session)
	require.Equal(t, http.StatusConflict, w.send(http.MethodPost, root+"/refund", "session=none").status)
	require.Error(t, w.sandbox.Close(), "the broken file")
	require.Contains(t, log.String(), "could not be written")
	for _, secret := range []string{testKey, testSecret, buyer} {
		require.NotContains(t, log.String(), secret)
	}
}

// keyed returns an offer with an idempotency key.
func (w *world) keyed() *stripego.CheckoutSessionParams {
	params := w.offer("")
	params.SetIdempotencyKey("k")
	return params
}

// TestAKeyGivesTheSameAnswer for a day if the request is the same.
// Proves: F2
func TestAKeyGivesTheSameAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := w.keyed()
	params.Mode = stripego.String("other")
	_, err := w.api.CheckoutSessions.New(params)
	require.Error(t, err, "a call that did not start leaves the key free")
	params = w.keyed()
	first, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Empty(t, first.LastResponse.Header.Get("Idempotent-Replayed"))
	w.pay(first.ID, goodCard, buyer)
	for _, later := range []time.Duration{0, 24*time.Hour - time.Second} {
		w.clock.Advance(later)
		again, err := w.api.CheckoutSessions.New(params)
		require.NoError(t, err)
		require.Equal(t, first.ID, again.ID)
		require.Equal(t, stripego.CheckoutSessionStatusOpen, again.Status, "the stored state")
		require.Equal(t, "true", again.LastResponse.Header.Get("Idempotent-Replayed"))
		require.Equal(t, "k", again.LastResponse.Header.Get("Idempotency-Key"))
	}
	require.Len(t, w.sandbox.Sessions(), 1)

	_, err = w.api.CheckoutSessions.New(w.keyed())
	require.Equal(t, stripego.ErrorTypeIdempotency, refused(t, err).Type, "the key belongs to its parameters")
	require.Equal(t, http.StatusBadRequest, refused(t, err).HTTPStatusCode)
	other := w.couponParams("cz-1", 25)
	other.SetIdempotencyKey("k")
	_, err = w.api.Coupons.New(other)
	require.Equal(t, stripego.ErrorTypeIdempotency, refused(t, err).Type, "and to its call")

	w.clock.Advance(time.Second)
	_, err = w.api.CheckoutSessions.New(params)
	require.Equal(t, "expires_at", refused(t, err).Param, "the key has expired")
}

func TestARefusalChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	half := endpoint{serve: func(c *call) (any, *refusal) {
		c.putCoupon(Coupon{Serial: "half"})
		return nil, refuse("", "", "Only half of it can be done.")
	}}
	w.sandbox.perform(half, request{key: "k", fields: &fields{}}, Rule{})
	require.Empty(t, w.sandbox.Coupons())
	_, kept := w.sandbox.state.replyTo("k")
	require.True(t, kept)
}

// Proves: F2, F19
func TestAKeyInUseIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnSessionCreate, Fault: Slow, Times: 1, Delay: time.Hour})
	params := w.keyed()
	done := make(chan *stripego.CheckoutSession, 1)
	go func() {
		session, _ := w.api.CheckoutSessions.New(params)
		done <- session
	}()
	require.Eventually(t, func() bool { _, taken := w.sandbox.inUse.Load("k"); return taken }, testwait.Limit, time.Millisecond)
	_, err := w.api.CheckoutSessions.New(params)
	require.Equal(t, http.StatusConflict, refused(t, err).HTTPStatusCode)
	require.Equal(t, stripego.ErrorCodeIdempotencyKeyInUse, refused(t, err).Code)
	require.Empty(t, w.sandbox.Sessions(), "the call has not been executed yet")
	require.NoError(t, w.sandbox.Close()) // ends the delay
	first := <-done
	again, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
}

func TestRulesOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	put := func(rule string) answer { return w.send(http.MethodPut, root+"/faults", `{"rules":[`+rule+`]}`) }
	require.Equal(t, http.StatusOK, put(`{"on":"session_create","fault":"slow"}`).status)
	for name, rule := range map[string]string{
		"an unknown fault":       `{"on":"any","fault":"explode"}`,
		"a webhook that breaks":  `{"on":"webhook","fault":"broken"}`,
		"a call that is doubled": `{"on":"any","fault":"duplicate"}`,
	} {
		require.Equal(t, http.StatusBadRequest, put(rule).status, name)
	}
}
