package stripe_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/checkout"
	sandbox "customerzero/internal/sandbox/stripe"
)

// shop is a Stripe sandbox, a client of it, and the webhooks it received.
type shop struct {
	stripe *sandbox.Server
	client *stripe.Client
	config stripe.Config
	events chan checkout.Event
}

func newShop(t *testing.T) shop {
	t.Helper()
	s := shop{events: make(chan checkout.Event, 100)}
	webhooks := httptest.NewServer(http.HandlerFunc(s.receive))
	t.Cleanup(webhooks.Close)
	server := httptest.NewUnstartedServer(nil)
	address := server.Listener.Addr().String()
	var err error
	s.stripe, err = sandbox.New(sandbox.Config{
		Key: key, WebhookSecret: secret, WebhookURL: webhooks.URL, PagesURL: "http://" + address + "/sandbox/stripe",
	})
	require.NoError(t, err)
	server.Config.Handler = s.stripe.Handler()
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(func() { require.NoError(t, s.stripe.Close()) })
	s.config = stripe.Config{SecretKey: key, BaseURL: server.URL, PayHosts: []string{address}, Product: "Founding membership"}
	s.client, err = stripe.New(s.config)
	require.NoError(t, err)
	return s
}

func (s *shop) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	event, err := stripe.ReadEvent(body, r.Header.Get("Stripe-Signature"), []string{secret}, time.Now())
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if event.Kind() != checkout.OtherEvent {
		s.events <- event
	}
}

// fresh returns an offer that starts now, because the sandbox uses the clock.
func fresh(changes ...func(*checkout.Offer)) checkout.Offer {
	o := offer
	o.ExpiresAt = time.Now().Add(31 * time.Minute).Truncate(time.Second).UTC()
	for _, change := range changes {
		change(&o)
	}
	return o
}

// open creates the coupon and the page of an offer.
func (s *shop) open(t *testing.T, o checkout.Offer) checkout.Session {
	t.Helper()
	coupon := ""
	if o.DiscountPercent > 0 {
		var err error
		coupon, err = s.client.CreateCoupon(t.Context(), o)
		require.NoError(t, err)
	}
	opened, err := s.client.OpenSession(t.Context(), o, coupon)
	require.NoError(t, err)
	return opened
}

// pay submits the payment page's form.
func pay(t *testing.T, opened checkout.Session) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.PostForm(opened.URL, url.Values{"email": {buyer}, "card": {"4242"}})
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusSeeOther, resp.StatusCode)
}

func TestAPurchase(t *testing.T) {
	t.Parallel()
	s, o, began := newShop(t), fresh(), time.Now().Add(-time.Second)
	opened := s.open(t, o)
	require.Equal(t, checkout.Session{
		ID: opened.ID, CheckoutID: "chk_1", URL: opened.URL, Status: checkout.SessionOpen, TotalCents: 675, Currency: "usd", ExpiresAt: o.ExpiresAt,
	}, opened)

	pay(t, opened)
	paid := opened
	paid.URL, paid.Status, paid.Paid, paid.Email, paid.FeeCents = "", checkout.SessionComplete, true, buyer, 50
	got, err := s.client.Session(t.Context(), opened.ID)
	require.NoError(t, err)
	require.NotEmpty(t, got.PaymentIntent)
	paid.PaymentIntent = got.PaymentIntent
	require.Equal(t, paid, got)
	completed := <-s.events
	require.Equal(t, "checkout.session.completed", completed.Type)
	require.Equal(t, opened.ID, completed.SessionID)
	require.Equal(t, "chk_1", completed.CheckoutID)
	require.False(t, completed.Live)

	for _, key := range []string{"refund:chk_1", "refund:chk_1", "refund:chk_1:again"} {
		require.NoError(t, s.client.Refund(t.Context(), paid.PaymentIntent, key))
	}
	paid.RefundedCents = 675
	got, err = s.client.Session(t.Context(), opened.ID)
	require.NoError(t, err)
	require.Equal(t, paid, got)
	received := []checkout.Event{completed}
	for range 2 {
		e := <-s.events
		require.Equal(t, paid.PaymentIntent, e.PaymentIntent)
		received = append(received, e)
	}

	listed, err := s.client.Events(t.Context(), began, 10)
	require.NoError(t, err)
	require.ElementsMatch(t, received, listed, "the list holds the webhooks' events")
	listed, err = s.client.Events(t.Context(), time.Now().Add(time.Hour), 10)
	require.NoError(t, err)
	require.Empty(t, listed)
}

// TestMoneyThatGoesBack reads a payment after each button of the sandbox, and checks that its events are relevant.
func TestMoneyThatGoesBack(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	opened := s.open(t, fresh())
	pay(t, opened)
	<-s.events
	disputed := checkout.Session{Dispute: checkout.DisputeOpen, DisputedCents: 675, DisputeFeeCents: 1500}
	for _, step := range []struct {
		action string
		want   checkout.Session // refunds and disputes only
		events int
	}{
		{"refund", checkout.Session{RefundedCents: 675}, 2},
		{"fail-refund", checkout.Session{}, 3},
		{"dispute", disputed, 2},
		{"win-dispute", checkout.Session{Dispute: checkout.DisputeWon}, 3},
	} {
		require.NoError(t, s.stripe.Act(step.action, opened.ID))
		got, err := s.client.Session(t.Context(), opened.ID)
		require.NoError(t, err)
		require.Equal(t, step.want, checkout.Session{
			RefundedCents: got.RefundedCents, Dispute: got.Dispute, DisputedCents: got.DisputedCents, DisputeFeeCents: got.DisputeFeeCents,
		}, step.action)
		for range step.events {
			e := <-s.events
			require.Equal(t, []any{checkout.Refund, got.PaymentIntent}, []any{e.Kind(), e.PaymentIntent}, e.Type)
		}
	}
}

func TestAPurchaseOfNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	opened := s.open(t, fresh(func(o *checkout.Offer) { o.DiscountPercent = 100 }))
	require.Zero(t, opened.TotalCents)
	require.False(t, opened.Paid)
	pay(t, opened)
	got, err := s.client.Session(t.Context(), opened.ID)
	require.NoError(t, err)
	require.True(t, got.Paid)
	require.Empty(t, got.PaymentIntent)
	require.Zero(t, got.FeeCents)
}

func TestUndoingAPurchase(t *testing.T) {
	t.Parallel()
	s, o := newShop(t), fresh()
	coupon := checkout.CouponID(o.CheckoutID)
	require.NoError(t, s.client.DeleteCoupon(t.Context(), coupon), "it was never created")
	opened := s.open(t, o)
	for range 2 {
		closed, err := s.client.ExpireSession(t.Context(), opened.ID)
		require.NoError(t, err)
		require.Equal(t, checkout.SessionExpired, closed.Status)
		require.Empty(t, closed.URL)
		require.NoError(t, s.client.DeleteCoupon(t.Context(), coupon))
	}
	require.Equal(t, checkout.PaymentGone, failure(t, second(s.client.ExpireSession(t.Context(), "cs_none"))).Class)
	require.Equal(t, checkout.PaymentGone, failure(t, second(s.client.Session(t.Context(), "cs_none"))).Class)

	late := s.open(t, fresh(func(o *checkout.Offer) { o.CheckoutID, o.DiscountPercent = "chk_2", 0 }))
	pay(t, late)
	final, err := s.client.ExpireSession(t.Context(), late.ID)
	require.NoError(t, err)
	require.Equal(t, checkout.SessionComplete, final.Status)
	require.True(t, final.Paid)
	require.Equal(t, buyer, final.Email)
}

// TestTroubleOnTheWay checks that the same offer ends with one coupon and one page whatever happens to a
// call. Only an error that Stripe stores under the key needs the next attempt's key.
// Proves: F19
func TestTroubleOnTheWay(t *testing.T) {
	t.Parallel()
	for fault, class := range map[sandbox.Fault]checkout.PaymentClass{
		sandbox.DropBefore:  checkout.PaymentUnreachable,
		sandbox.DropAfter:   checkout.PaymentUnreachable,
		sandbox.HangBefore:  checkout.PaymentUnreachable,
		sandbox.HangAfter:   checkout.PaymentUnreachable,
		sandbox.Conflict:    checkout.PaymentUnreachable,
		sandbox.RateLimit:   checkout.PaymentLimited,
		sandbox.Broken:      checkout.PaymentBroken,
		sandbox.BrokenAfter: checkout.PaymentBroken,
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			s, o := newShop(t), fresh()
			s.failOnce(t, fault, class, &o, func(ctx context.Context) error { return second(s.client.CreateCoupon(ctx, o)) })
			s.failOnce(t, fault, class, &o, func(ctx context.Context) error {
				return second(s.client.OpenSession(ctx, o, checkout.CouponID(o.CheckoutID)))
			})
			require.Len(t, s.stripe.Coupons(), 1)
			if fault != sandbox.BrokenAfter { // the client never learned of the first page
				require.Len(t, s.stripe.Sessions(), 1)
			}
		})
	}
}

// failOnce makes a call fail once and repeats it.
func (s *shop) failOnce(t *testing.T, fault sandbox.Fault, class checkout.PaymentClass, o *checkout.Offer, call func(context.Context) error) {
	t.Helper()
	rule := sandbox.Rule{On: sandbox.OnAny, Fault: fault, Times: 1}
	if fault == sandbox.DropBefore || fault == sandbox.DropAfter {
		rule.Times = 2 // net/http may resend on a reused connection
	}
	require.NoError(t, s.stripe.SetFaults(sandbox.Faults{Rules: []sandbox.Rule{rule}}))
	ctx := t.Context()
	if fault == sandbox.HangBefore || fault == sandbox.HangAfter {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
	}
	require.Equal(t, class, failure(t, call(ctx)).Class)
	require.NoError(t, s.stripe.SetFaults(sandbox.Faults{}))
	if class == checkout.PaymentBroken {
		require.Equal(t, class, failure(t, call(t.Context())).Class, "Stripe stores it under the key")
		o.Attempt++
	}
	require.NoError(t, call(t.Context()))
}
