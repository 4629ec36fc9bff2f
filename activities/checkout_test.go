package activities

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// fakePayments is a fake payment service that records its calls.
type fakePayments struct {
	Payments // other methods are not called
	events   []checkout.Event
	page     checkout.Session
	err      error // overrides answers

	since  []time.Time // of each call of Events
	offers []checkout.Offer
	looks  int
}

func (l *fakePayments) Events(_ context.Context, since time.Time, most int) ([]checkout.Event, error) {
	l.since = append(l.since, since)
	return l.events[:min(most, len(l.events))], l.err
}

func (l *fakePayments) Session(context.Context, string) (checkout.Session, error) {
	l.looks++
	return l.page, l.err
}

func (l *fakePayments) CreateCoupon(_ context.Context, o checkout.Offer) (string, error) {
	l.offers = append(l.offers, o)
	return checkout.CouponID(o.CheckoutID), l.err
}

func (l *fakePayments) OpenSession(_ context.Context, o checkout.Offer, _ string) (checkout.Session, error) {
	l.offers = append(l.offers, o)
	return l.page, l.err
}

// fakeRuns records signaled runs. It may fail.
type fakeRuns struct {
	rung []string
	err  error
}

func (a *fakeRuns) NotifyPayment(_ context.Context, id string, m checkout.EventKind) error {
	a.rung = append(a.rung, string(m)+" "+id)
	return a.err
}

func (a *fakeRuns) StartCheckout(_ context.Context, id string) error {
	a.rung = append(a.rung, "start "+id)
	return a.err
}

// checkoutWorld is the activities of checkouts with a real store.
type checkoutWorld struct {
	*Checkout
	db       *store.DB
	bank     *fakePayments
	fakeRuns *fakeRuns
	at       time.Time
}

func newCheckoutWorld(t *testing.T) *checkoutWorld {
	c := &checkoutWorld{db: storetest.New(t, "sqlite"), bank: &fakePayments{}, fakeRuns: &fakeRuns{}, at: noon}
	c.Checkout = &Checkout{
		Store: c.db.Checkouts, Limits: c.db.Limits, ModelCalls: c.db.ModelCalls, Payments: c.bank, Runs: c.fakeRuns, Site: "https://customerzero.test", Now: func() time.Time { return c.at },
		Budget: checkout.Budget{FloorCents: 600, MonthCents: 1000},
	}
	return c
}

func (c *checkoutWorld) opens(t *testing.T) checkout.Checkout {
	r := must(c.db.Checkouts.BeginCheckout(t.Context(), checkout.Request{ID: checkout.NewID(), Why: pricing.Unknown}, noon))
	page := checkout.Session{ID: "cs_" + r.ID, URL: "https://checkout.stripe.com/x", ExpiresAt: noon.Add(checkout.OfferLife)}
	open := must(c.db.Checkouts.OpenCheckout(t.Context(), r.ID, "", page, noon))
	c.bank.page = checkout.Session{ID: page.ID, Status: checkout.SessionOpen}
	return open
}

// paid completes the page of a checkout, with a refund.
func (c *checkoutWorld) paid(open checkout.Checkout, refundedCents int) {
	c.bank.page = checkout.Session{
		ID: *open.SessionID, Status: checkout.SessionComplete, Paid: true, TotalCents: 900, FeeCents: 56, Email: "ada@example.com",
		PaymentIntent: "pi_" + open.ID, RefundedCents: refundedCents,
	}
}

func (c *checkoutWorld) row(t *testing.T, id string) checkout.Receipt {
	return must(c.db.Checkouts.Receipt(t.Context(), id))
}

func TestProposePriceTimeout(t *testing.T) {
	t.Parallel()
	c := newCheckoutWorld(t)
	open := c.opens(t)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	_, err := c.ProposePrice(ctx, DecideInput{CheckoutID: open.ID})
	var failed *temporal.ApplicationError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, string(model.TimedOut), failed.Type())
}

func (c *checkoutWorld) reconcile(t *testing.T) ReconcilePaymentsResult {
	c.fakeRuns.rung = nil
	return must(c.ReconcilePayments(t.Context(), NoInput{}))
}

func (c *checkoutWorld) searchedUntil(t *testing.T) time.Time {
	return must(c.db.Checkouts.EventsSearchedUntil(t.Context())).UTC()
}

func paidEvent(id string, c checkout.Checkout, at time.Time) checkout.Event {
	return checkout.Event{ID: id, Type: "checkout.session.completed", SessionID: *c.SessionID, CheckoutID: c.ID, CreatedAt: at}
}

// Proves: F17
func TestReconcileFindsMissedEvents(t *testing.T) {
	t.Parallel()
	c := newCheckoutWorld(t)
	missed, heard, died := c.opens(t), c.opens(t), c.opens(t)
	stranger := checkout.Event{ID: "evt_4", Type: "checkout.session.completed", SessionID: "cs_of_another_shop", CreatedAt: noon}
	c.bank.events = []checkout.Event{paidEvent("evt_1", missed, noon), paidEvent("evt_2", heard, noon), paidEvent("evt_3", died, noon), stranger}
	for _, e := range c.bank.events[1:3] { // the webhooks of both arrived
		_, _, err := c.db.Checkouts.NoteEvent(t.Context(), e, noon)
		require.NoError(t, err)
	}
	require.NoError(t, c.db.Checkouts.MarkEventHandled(t.Context(), "evt_2", noon)) // one of them was not handled

	require.Equal(t, ReconcilePaymentsResult{Events: 2}, c.reconcile(t))
	require.Equal(t, []string{"payment " + missed.ID, "payment " + died.ID}, c.fakeRuns.rung)
	require.Equal(t, ReconcilePaymentsResult{}, c.reconcile(t), "once is enough")
	require.Empty(t, c.fakeRuns.rung)
}

// Proves: F17
func TestReconcileFindsRefunds(t *testing.T) {
	t.Parallel()
	c := newCheckoutWorld(t)
	open := c.opens(t)
	c.bank.events = []checkout.Event{{ID: "evt_1", Type: "charge.refunded", PaymentIntent: "pi_" + open.ID, CreatedAt: noon}}
	require.Equal(t, ReconcilePaymentsResult{}, c.reconcile(t), "of a payment that we do not know yet")

	c.paid(open, 0)
	must(c.SettleCheckout(t.Context(), SettleInput{CheckoutID: open.ID}))
	require.Equal(t, ReconcilePaymentsResult{Events: 1}, c.reconcile(t), "the next round checks it again")
	require.Equal(t, []string{"refund " + open.ID}, c.fakeRuns.rung)
}

// Proves: F17
func TestReconcileContinuesFromTheLastSearch(t *testing.T) {
	t.Parallel()
	c := newCheckoutWorld(t)
	for i, since := range []time.Duration{-30 * 24 * time.Hour, -10 * time.Minute, 50 * time.Minute} {
		c.at = noon.Add(time.Duration(i) * time.Hour)
		c.reconcile(t)
		require.Equal(t, noon.Add(since), c.bank.since[i].UTC(), "as far back as the service remembers, then a little further than it stopped")
	}
}

// TestReconcileFailsMidway checks that a failed round is repeated from the same time.
// Proves: F17
func TestReconcileFailsMidway(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		service, temporal error
		rung              int // signals during the failure
	}{
		"the payment service is unavailable": {service: &checkout.PaymentError{Class: checkout.PaymentUnreachable, Code: "stripe_unreachable"}},
		"Temporal is unavailable":            {temporal: errors.New("no Temporal"), rung: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCheckoutWorld(t)
			c.reconcile(t)
			one, two := c.opens(t), c.opens(t)
			c.bank.events = []checkout.Event{paidEvent("evt_1", one, noon), paidEvent("evt_2", two, noon)}
			c.at = noon.Add(20 * time.Minute)
			c.bank.err, c.fakeRuns.err = tt.service, tt.temporal
			for range 2 {
				c.fakeRuns.rung = nil
				_, err := c.ReconcilePayments(t.Context(), NoInput{})
				require.Error(t, err)
				require.Len(t, c.fakeRuns.rung, tt.rung)
				require.Equal(t, noon, c.searchedUntil(t), "nothing was searched")
			}
			c.bank.err, c.fakeRuns.err = nil, nil
			require.Equal(t, ReconcilePaymentsResult{Events: 2}, c.reconcile(t))
			require.Equal(t, c.at, c.searchedUntil(t))
		})
	}
}

// Proves: F17
func TestReconcileContinuesAfterABatch(t *testing.T) {
	t.Parallel()
	c := newCheckoutWorld(t)
	for i := range 700 { // all within the overlap of 10 minutes
		c.bank.events = append(c.bank.events, checkout.Event{
			ID: "evt_" + strconv.Itoa(i), Type: "checkout.session.completed", SessionID: "cs_of_another_shop",
			CreatedAt: noon.Add(-time.Hour + time.Duration(i/2)*time.Second),
		})
	}
	c.reconcile(t)
	c.reconcile(t)
	require.Equal(t, c.bank.events[499].CreatedAt, c.bank.since[1].UTC(), "the rest is not left, and it does not stand still")
}

// Proves: F17
func TestReconcileRestartsLostRuns(t *testing.T) {
	t.Parallel()
	c := newCheckoutWorld(t)
	open := c.opens(t)
	ended := noon.Add(checkout.OfferLife)
	c.at = ended.Add(2*time.Minute - time.Microsecond)
	require.Equal(t, ReconcilePaymentsResult{}, c.reconcile(t), "its own run has a little time")
	c.at = ended.Add(2 * time.Minute)
	require.Equal(t, ReconcilePaymentsResult{Woken: 1}, c.reconcile(t))
	require.Equal(t, []string{"start " + open.ID}, c.fakeRuns.rung)

	c.fakeRuns.err = errors.New("no Temporal")
	until := c.searchedUntil(t)
	c.at = c.at.Add(time.Hour)
	_, err := c.ReconcilePayments(t.Context(), NoInput{})
	require.Error(t, err)
	require.Equal(t, until, c.searchedUntil(t))
}

func (c *checkoutWorld) settle(t *testing.T, id string) CheckoutState {
	t.Helper()
	state := must(c.SettleCheckout(t.Context(), SettleInput{CheckoutID: id}))
	require.Equal(t, c.row(t, id).State, state.State, "it returns the row's state")
	return state
}

// failingStore is a store that fails to record a refund.
type failingStore struct {
	CheckoutStore
	fails int
}

func (h *failingStore) ReconcilePayment(
	ctx context.Context, id string, version int, page checkout.Session, receiptURL string, at time.Time,
) (checkout.Checkout, error) {
	if h.fails--; h.fails >= 0 {
		return checkout.Checkout{}, errors.New("no database")
	}
	return h.CheckoutStore.ReconcilePayment(ctx, id, version, page, receiptURL, at)
}

// TestSettleRecordsAnEarlierRefund covers a refund whose webhook arrived before the payment was
// recorded: it is recorded with the payment, also after a crash in between.
// Proves: F15
func TestSettleRecordsAnEarlierRefund(t *testing.T) {
	t.Parallel()
	c := newCheckoutWorld(t)
	open := c.opens(t)
	c.paid(open, 900)
	c.Store = &failingStore{CheckoutStore: c.db.Checkouts, fails: 1}
	_, err := c.SettleCheckout(t.Context(), SettleInput{CheckoutID: open.ID})
	require.Error(t, err)
	require.Equal(t, checkout.Paid, c.row(t, open.ID).State, "half of it is written")

	require.Equal(t, checkout.Refunded, c.settle(t, open.ID).State)
	listed := must(c.db.Members.Members(t.Context(), "2026-11"))
	require.Len(t, listed, 1)
	require.Equal(t, []any{member.StatusFrozen, 0}, []any{listed[0].Status, listed[0].Credits})
	kinds := map[email.Kind]int{}
	for _, l := range must(c.db.Emails.WaitingEmails(t.Context(), true)) {
		kinds[l.Kind]++
		if l.Kind == email.Refund {
			_, content, err := c.db.Emails.Email(t.Context(), l.ID)
			require.NoError(t, err)
			require.Equal(t, map[string]string{"Amount": "$9.00", "ReceiptURL": "https://customerzero.test/receipts/" + open.ID}, content.Facts)
		}
	}
	require.Equal(t, map[email.Kind]int{email.Welcome: 1, email.Receipt: 1, email.Refund: 1}, kinds)

	looks := c.bank.looks
	c.settle(t, open.ID)
	require.Equal(t, looks, c.bank.looks, "there is nothing more to ask")
}

// TestOfferIsTheRows makes an offer with an input that asks for another price.
func TestOfferIsTheRows(t *testing.T) {
	t.Parallel()
	c := newCheckoutWorld(t)
	r := must(c.db.Checkouts.BeginCheckout(t.Context(), checkout.Request{ID: "abc", Visitor: new("v"), Personal: true}, noon))
	in := OfferInput{CheckoutID: "abc", ListCents: 1, DiscountPercent: 100, Attempt: 2, ExpiresAt: noon, Demo: true, CouponID: "cz-other"}
	_, err := c.CreateCoupon(t.Context(), in)
	require.Equal(t, problem.Conflict, problem.CodeOf(err), "its price is not decided")

	must(c.db.Checkouts.DecidePrice(t.Context(), r.DecisionID, pricing.Proposal{Source: pricing.ByRules, DiscountPercent: 15}, c.Budget, noon))
	offer := checkout.Offer{
		CheckoutID: "abc", ListCents: 900, DiscountPercent: 15, Attempt: 2, ExpiresAt: noon,
		SuccessURL: "https://customerzero.test/pricing/success?checkout=abc",
		CancelURL:  "https://customerzero.test/pricing/cancelled?checkout=abc",
	}
	require.Equal(t, "cz-abc", must(c.CreateCoupon(t.Context(), in)).CouponID)
	c.bank.page = checkout.Session{ID: "cs_abc", Status: checkout.SessionOpen, ExpiresAt: noon}
	require.Equal(t, checkout.Open, must(c.CreateCheckoutSession(t.Context(), in)).State)
	require.Equal(t, []checkout.Offer{offer, offer}, c.bank.offers)
	require.Equal(t, "cz-abc", c.row(t, "abc").CouponID)

	must(c.DeleteCoupon(t.Context(), CouponInput{CheckoutID: "abc", Demo: true})) // the page needs it
	must(c.db.Checkouts.CloseCheckout(t.Context(), "abc", checkout.Expired, "", "", noon))
	_, err = c.CreateCheckoutSession(t.Context(), in)
	require.Equal(t, problem.Conflict, problem.CodeOf(err), "it has ended")
	_, err = c.AbandonCheckout(t.Context(), AbandonInput{CheckoutID: must(c.db.Checkouts.BeginCheckout(t.Context(), checkout.Request{ID: "def", Why: pricing.Unknown}, noon)).ID, State: checkout.Paid})
	require.Equal(t, problem.Conflict, problem.CodeOf(err), "nobody has paid")
	require.Len(t, c.bank.offers, 2)
}
