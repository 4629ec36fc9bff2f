package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
)

func (c *counter) settle(t *testing.T, id string) CheckoutState {
	t.Helper()
	state, err := c.SettleCheckout(t.Context(), SettleInput{CheckoutID: id})
	require.NoError(t, err)
	require.Equal(t, c.row(t, id).State, state.State, "it tells what the row tells")
	return state
}

// No event is believed: the page says whether it was paid, and by what it says we go.
// Proves: F15
func TestSettleBelievesThePageAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		page  checkout.Session
		state checkout.State
	}{
		"open: it waits":                         {checkout.Session{Status: checkout.SessionOpen}, checkout.Open},
		"open, and nothing is due: it waits":     {checkout.Session{Status: checkout.SessionOpen, Paid: true}, checkout.Open},
		"complete, and its money on the way":     {checkout.Session{Status: checkout.SessionComplete}, checkout.Open},
		"complete and paid":                      {checkout.Session{Status: checkout.SessionComplete, Paid: true, TotalCents: 900}, checkout.Paid},
		"expired":                                {checkout.Session{Status: checkout.SessionExpired}, checkout.Expired},
		"paid, and all sent back":                {checkout.Session{Status: checkout.SessionComplete, Paid: true, TotalCents: 900, RefundedCents: 900}, checkout.Refunded},
		"paid, and a part sent back: it is paid": {checkout.Session{Status: checkout.SessionComplete, Paid: true, TotalCents: 900, RefundedCents: 899}, checkout.Paid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCounter(t)
			open := c.opens(t)
			c.bank.page = tt.page
			c.bank.page.ID = *open.SessionID
			for range 3 { // as often as it is asked
				require.Equal(t, tt.state, c.settle(t, open.ID).State)
			}
			require.Equal(t, tt.page.RefundedCents, c.row(t, open.ID).RefundedCents)
		})
	}
}

// halfway is a book that is away when a refund is to be booked.
type halfway struct {
	CheckoutStore
	fails int
}

func (h *halfway) RefundCheckout(ctx context.Context, id string, cents int, facts map[string]string, at time.Time) (checkout.Checkout, error) {
	if h.fails--; h.fails >= 0 {
		return checkout.Checkout{}, errors.New("no database")
	}
	return h.CheckoutStore.RefundCheckout(ctx, id, cents, facts, at)
}

// A webhook of a refund that came before we knew of the payment means nothing to us, so what
// the page shows is booked with the payment, also when we die in between.
// Proves: F15
func TestSettleBooksARefundThatCameFirst(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	open := c.opens(t)
	c.paid(open, 900)
	c.Store = &halfway{CheckoutStore: c.db.Checkouts, fails: 1}
	_, err := c.SettleCheckout(t.Context(), SettleInput{CheckoutID: open.ID})
	require.Error(t, err)
	require.Equal(t, checkout.Paid, c.row(t, open.ID).State, "half of it is written")

	require.Equal(t, checkout.Refunded, c.settle(t, open.ID).State)
	listed, err := c.db.Members.Members(t.Context(), "2026-11")
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, member.StatusFrozen, listed[0].Status)
	require.Zero(t, listed[0].Credits)
	letters, err := c.db.Emails.WaitingLetters(t.Context(), true)
	require.NoError(t, err)
	kinds := map[email.Kind]int{}
	for _, l := range letters {
		kinds[l.Kind]++
		if l.Kind == email.Refund {
			_, content, err := c.db.Emails.Letter(t.Context(), l.ID)
			require.NoError(t, err)
			require.Equal(t, map[string]string{"Amount": "$9.00", "ReceiptURL": "https://customerzero.test/receipts/" + open.ID}, content.Facts)
		}
	}
	require.Equal(t, map[email.Kind]int{email.Welcome: 1, email.Receipt: 1, email.Refund: 1}, kinds)

	looks := c.bank.looks
	c.settle(t, open.ID)
	require.Equal(t, looks, c.bank.looks, "there is nothing more to ask")
}

// A repeat of a step that gave up must not undo what went on without it.
func TestAbandonLeavesAPageAlone(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	open := c.opens(t)
	state, err := c.AbandonCheckout(t.Context(), AbandonInput{CheckoutID: open.ID, State: checkout.Failed, Reason: "No page."})
	require.NoError(t, err)
	require.Equal(t, checkout.Open, state.State)
	require.Empty(t, c.row(t, open.ID).Code)
}

func TestOfferSaysWhereTheBuyerComesBackTo(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	in := OfferInput{CheckoutID: "abc", ListCents: 900, DiscountPercent: 15, Attempt: 2, ExpiresAt: noon, CouponID: "cz-abc"}
	made, err := c.CreateCoupon(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, "cz-abc", made.CouponID)
	require.Equal(t, []checkout.Offer{{
		CheckoutID: "abc", ListCents: 900, DiscountPercent: 15, Attempt: 2, ExpiresAt: noon,
		SuccessURL: "https://customerzero.test/pricing/success?checkout=abc",
		CancelURL:  "https://customerzero.test/pricing/cancelled?checkout=abc",
	}}, c.bank.offers)
}

// What a failed call means for the next one.
// Proves: F19
func TestPaymentFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		class          checkout.PaymentClass
		offer, other   string // the failure's type, of an offer and of other calls
		again, another bool   // may be tried again: the offer, and other calls
	}{
		"refused":     {checkout.PaymentRefused, "stripe_code", "stripe_code", false, false},
		"gone":        {checkout.PaymentGone, "stripe_code", "stripe_code", false, false},
		"forbidden":   {checkout.PaymentForbidden, "stripe_code", "stripe_code", false, false},
		"limited":     {checkout.PaymentLimited, "stripe_code", "stripe_code", true, true},
		"unreachable": {checkout.PaymentUnreachable, "stripe_code", "stripe_code", true, true},
		"broken":      {checkout.PaymentBroken, PaymentBroken, "stripe_code", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := &checkout.PaymentError{Class: tt.class, Code: "stripe_code", Message: "For people."}
			for _, made := range []struct {
				err   error
				kind  string
				again bool
			}{{asOfferFailure(failed), tt.offer, tt.again}, {asPaymentFailure(failed), tt.other, tt.another}} {
				said, ok := errors.AsType[*temporal.ApplicationError](made.err)
				require.True(t, ok)
				require.Equal(t, made.kind, said.Type())
				require.Equal(t, made.again, !said.NonRetryable())
				require.Equal(t, "For people.", said.Message())
			}
		})
	}
	ours := errors.New("a trouble of ours")
	require.Equal(t, ours, asOfferFailure(ours))
	require.NoError(t, asPaymentFailure(nil))
}
