package activities

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
)

// reconcile runs one round of sweeping.
func (c *counter) reconcile(t *testing.T) ReconcilePaymentsResult {
	t.Helper()
	c.alarms.rung = nil
	result, err := c.ReconcilePayments(t.Context(), ReconcilePaymentsInput{})
	require.NoError(t, err)
	return result
}

func paidEvent(id string, c checkout.Checkout, at time.Time) checkout.Event {
	return checkout.Event{ID: id, Type: "checkout.session.completed", SessionID: *c.SessionID, CheckoutID: c.ID, CreatedAt: at}
}

// Proves: F17
func TestReconcileFindsWhatNoWebhookBrought(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	missed, heard, died := c.opens(t), c.opens(t), c.opens(t)
	stranger := checkout.Event{ID: "evt_4", Type: "checkout.session.completed", SessionID: "cs_of_another_shop", CreatedAt: noon}
	c.bank.events = []checkout.Event{paidEvent("evt_1", missed, noon), paidEvent("evt_2", heard, noon), paidEvent("evt_3", died, noon), stranger}
	for _, e := range c.bank.events[1:3] { // the webhooks of both came
		_, _, err := c.db.Checkouts.NoteEvent(t.Context(), e, noon)
		require.NoError(t, err)
	}
	require.NoError(t, c.db.Checkouts.MarkEventHandled(t.Context(), "evt_2", noon)) // one of them was not acted on

	require.Equal(t, ReconcilePaymentsResult{Events: 2}, c.reconcile(t))
	require.Equal(t, []string{"payment " + missed.ID, "payment " + died.ID}, c.alarms.rung)
	require.Equal(t, ReconcilePaymentsResult{}, c.reconcile(t), "once is enough")
	require.Empty(t, c.alarms.rung)
}

// Proves: F17
func TestReconcileHeedsRefunds(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	open := c.opens(t)
	c.bank.events = []checkout.Event{{ID: "evt_1", Type: "charge.refunded", PaymentIntent: "pi_" + open.ID, CreatedAt: noon}}
	require.Equal(t, ReconcilePaymentsResult{}, c.reconcile(t), "of a payment that we do not know yet")

	c.paid(open, 0)
	_, err := c.SettleCheckout(t.Context(), SettleInput{CheckoutID: open.ID})
	require.NoError(t, err)
	require.Equal(t, ReconcilePaymentsResult{Events: 1}, c.reconcile(t), "the next round looks at it again")
	require.Equal(t, []string{"refund " + open.ID}, c.alarms.rung)
}

// Proves: F17
func TestReconcileLooksFromWhereItStopped(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.reconcile(t)
	c.at = noon.Add(time.Hour)
	c.reconcile(t)
	c.at = noon.Add(2 * time.Hour)
	c.reconcile(t)
	require.Len(t, c.bank.since, 3)
	require.Equal(t, noon.Add(-30*24*time.Hour), c.bank.since[0], "as far back as the service remembers")
	require.Equal(t, noon.Add(-10*time.Minute), c.bank.since[1].UTC(), "and a little further than it stopped")
	require.Equal(t, noon.Add(50*time.Minute), c.bank.since[2].UTC())
}

// What fails midway is looked at again, from the same place.
// Proves: F17
func TestReconcileThatFailsMidway(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		breaks, mends func(c *counter)
		rung          int // while it was broken
	}{
		"the payment service is away": {
			breaks: func(c *counter) {
				c.bank.err = &checkout.PaymentError{Class: checkout.PaymentUnreachable, Code: "stripe_unreachable", Message: "Stripe cannot be reached."}
			},
			mends: func(c *counter) { c.bank.err = nil },
		},
		"Temporal is away": {
			breaks: func(c *counter) { c.alarms.err = errors.New("no Temporal") },
			mends:  func(c *counter) { c.alarms.err = nil }, rung: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCounter(t)
			c.reconcile(t)
			one, two := c.opens(t), c.opens(t)
			c.bank.events = []checkout.Event{paidEvent("evt_1", one, noon), paidEvent("evt_2", two, noon)}
			c.at = noon.Add(20 * time.Minute)
			tt.breaks(c)
			for range 2 {
				c.alarms.rung = nil
				_, err := c.ReconcilePayments(t.Context(), ReconcilePaymentsInput{})
				require.Error(t, err)
				require.Len(t, c.alarms.rung, tt.rung)
				until, err := c.db.Checkouts.LookedUntil(t.Context())
				require.NoError(t, err)
				require.Equal(t, noon, until.UTC(), "nothing was looked through")
			}
			tt.mends(c)
			require.Equal(t, ReconcilePaymentsResult{Events: 2}, c.reconcile(t))
			until, err := c.db.Checkouts.LookedUntil(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.at, until.UTC())
		})
	}
}

// Proves: F17
func TestReconcileGoesOnFromTheLastOfMany(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	for i := range 700 { // all within the ten minutes that rounds overlap
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
func TestReconcileWakesRunsThatWereLost(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	open := c.opens(t)
	ended := noon.Add(checkout.OfferLife)
	c.at = ended.Add(2*time.Minute - time.Microsecond)
	require.Equal(t, ReconcilePaymentsResult{}, c.reconcile(t), "its own run has a little time")
	c.at = ended.Add(2 * time.Minute)
	require.Equal(t, ReconcilePaymentsResult{Woken: 1}, c.reconcile(t))
	require.Equal(t, []string{"start " + open.ID}, c.alarms.rung)

	c.alarms.err = errors.New("no Temporal")
	until, err := c.db.Checkouts.LookedUntil(t.Context())
	require.NoError(t, err)
	c.at = c.at.Add(time.Hour)
	_, err = c.ReconcilePayments(t.Context(), ReconcilePaymentsInput{})
	require.Error(t, err)
	still, err := c.db.Checkouts.LookedUntil(t.Context())
	require.NoError(t, err)
	require.Equal(t, until.UTC(), still.UTC())
}
