package stripe

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"
)

func TestAPaidSessionTellsWhatStripeKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.paid()
	require.Equal(t, stripego.CheckoutSessionStatusComplete, session.Status)
	require.Equal(t, stripego.CheckoutSessionPaymentStatusPaid, session.PaymentStatus)
	require.Equal(t, buyer, session.CustomerDetails.Email)
	require.Empty(t, session.URL)
	require.Equal(t, stripego.PaymentIntentStatusSucceeded, session.PaymentIntent.Status)
	charge := session.PaymentIntent.LatestCharge
	require.Equal(t, int64(900), charge.Amount)
	require.Equal(t, int64(56), charge.BalanceTransaction.Fee, "2.9 % and 30 cents")
	require.Equal(t, int64(844), charge.BalanceTransaction.Net)

	params := &stripego.PaymentIntentParams{}
	params.AddExpand("latest_charge")
	payment, err := w.api.PaymentIntents.Get(session.PaymentIntent.ID, params)
	require.NoError(t, err)
	require.Equal(t, charge.ID, payment.LatestCharge.ID)
	require.True(t, payment.LatestCharge.Paid)
	require.NotEmpty(t, payment.LatestCharge.BalanceTransaction.ID)
	require.Zero(t, payment.LatestCharge.BalanceTransaction.Fee, "nobody asked for it")
	_, err = w.api.PaymentIntents.Get("pi_none", nil)
	require.Equal(t, http.StatusNotFound, refused(t, err).HTTPStatusCode)
}

func TestFee(t *testing.T) {
	t.Parallel()
	for amount, want := range map[int64]int64{50: 31, 810: 53, 900: 56, 10_000: 320, 17: 30, 18: 31} {
		require.Equal(t, want, fee(amount), amount)
	}
}

func (w *world) refund(payment string, amount int64) (*stripego.Refund, error) {
	params := &stripego.RefundParams{PaymentIntent: &payment}
	if amount > 0 {
		params.Amount = &amount
	}
	return w.api.Refunds.New(params)
}

func TestMoneyGoesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	payment := w.paid().PaymentIntent.ID
	part, err := w.refund(payment, 400)
	require.NoError(t, err)
	require.Equal(t, stripego.RefundStatusSucceeded, part.Status)
	_, err = w.refund(payment, 501)
	require.Equal(t, "Refund amount ($5.01) is greater than unrefunded amount on charge ($5.00)", refused(t, err).Msg)
	rest, err := w.refund(payment, 0)
	require.NoError(t, err)
	require.Equal(t, int64(500), rest.Amount)
	_, err = w.refund(payment, 0)
	require.Equal(t, stripego.ErrorCodeChargeAlreadyRefunded, refused(t, err).Code)

	events := w.hook.await(3)
	var back []int64
	for _, e := range w.sandbox.Events()[1:] {
		require.Equal(t, "charge.refunded", e.Type)
		for _, got := range events {
			if got.ID == e.ID {
				require.Equal(t, payment, got.Data.Object["payment_intent"])
				require.Equal(t, len(back) == 1, got.Data.Object["refunded"])
				back = append(back, int64(got.Data.Object["amount_refunded"].(float64)))
			}
		}
	}
	require.Equal(t, []int64{400, 900}, back)
	listed := w.api.Refunds.List(&stripego.RefundListParams{PaymentIntent: &payment})
	require.True(t, listed.Next())
	require.Equal(t, rest.ID, listed.Refund().ID)
	require.True(t, listed.Next())
	require.False(t, listed.Next())
	require.NoError(t, listed.Err())
}

func TestRefundsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	declined := w.session("")
	require.Equal(t, http.StatusPaymentRequired, w.pay(declined.ID, badCard, buyer).status)
	for name, tt := range map[string]struct {
		payment string
		amount  int64
		status  int
	}{
		"an unknown payment": {"pi_none", 0, http.StatusNotFound},
		"a declined payment": {w.read(declined.ID).PaymentIntent.ID, 0, http.StatusBadRequest},
		"no payment":         {"", 0, http.StatusBadRequest},
		"more than was paid": {w.paid().PaymentIntent.ID, 901, http.StatusBadRequest},
	} {
		_, err := w.refund(tt.payment, tt.amount)
		require.Equal(t, tt.status, refused(t, err).HTTPStatusCode, name)
	}
	require.Empty(t, w.sandbox.Refunds())
}
