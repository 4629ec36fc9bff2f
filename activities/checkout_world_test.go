package activities

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// ledger is a payment service that answers as it is told, and notes how it was asked.
type ledger struct {
	Payments // what is not here is not called
	events   []checkout.Event
	page     checkout.Session
	err      error // in place of any answer

	since  []time.Time // of every Events
	offers []checkout.Offer
	looks  int
}

func (l *ledger) Events(_ context.Context, since time.Time, most int) ([]checkout.Event, error) {
	l.since = append(l.since, since)
	return l.events[:min(most, len(l.events))], l.err
}

func (l *ledger) Session(context.Context, string) (checkout.Session, error) {
	l.looks++
	return l.page, l.err
}

func (l *ledger) CreateCoupon(_ context.Context, o checkout.Offer) (string, error) {
	l.offers = append(l.offers, o)
	return checkout.CouponID(o.CheckoutID), l.err
}

// alarms are the runs that were woken. They may fail.
type alarms struct {
	rung []string
	err  error
}

func (a *alarms) NotifyPayment(_ context.Context, id string, m checkout.EventKind) error {
	a.rung = append(a.rung, string(m)+" "+id)
	return a.err
}

func (a *alarms) StartCheckout(_ context.Context, id string) error {
	a.rung = append(a.rung, "start "+id)
	return a.err
}

// counter is the activities of checkouts, with a real store.
type counter struct {
	*Checkout
	db     *store.DB
	bank   *ledger
	alarms *alarms
	at     time.Time
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	c := &counter{db: storetest.New(t, "sqlite"), bank: &ledger{}, alarms: &alarms{}, at: noon}
	c.Checkout = &Checkout{
		Store: c.db.Checkouts, Limits: c.db.Limits, Calls: c.db.ModelCalls, Payments: c.bank, Runs: c.alarms, Site: "https://customerzero.test", Now: func() time.Time { return c.at },
		Budget: checkout.Budget{FloorCents: 600, MonthCents: 1000},
	}
	return c
}

// opens is a checkout whose page can be paid.
func (c *counter) opens(t *testing.T) checkout.Checkout {
	t.Helper()
	r, err := c.db.Checkouts.BeginCheckout(t.Context(), checkout.Ask{ID: checkout.NewID(), Why: pricing.Unknown}, noon)
	require.NoError(t, err)
	page := checkout.Session{ID: "cs_" + r.ID, URL: "https://checkout.stripe.com/x", ExpiresAt: noon.Add(checkout.OfferLife)}
	open, err := c.db.Checkouts.OpenCheckout(t.Context(), r.ID, "", page, noon)
	require.NoError(t, err)
	c.bank.page = checkout.Session{ID: page.ID, Status: checkout.SessionOpen}
	return open
}

// paid is what the page of a checkout shows once it was paid, and how much of that went back.
func (c *counter) paid(open checkout.Checkout, refundedCents int) {
	c.bank.page = checkout.Session{
		ID: *open.SessionID, Status: checkout.SessionComplete, Paid: true, TotalCents: 900, FeeCents: 56, Email: "ada@example.com",
		PaymentIntent: "pi_" + open.ID, RefundedCents: refundedCents,
	}
}

func (c *counter) row(t *testing.T, id string) checkout.Receipt {
	t.Helper()
	r, err := c.db.Checkouts.Receipt(t.Context(), id)
	require.NoError(t, err)
	return r
}
