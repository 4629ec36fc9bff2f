package stripe

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"
)

func TestASessionIsOpenedWithADiscount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.coupon("quarter", 25)
	session := w.session("quarter")
	require.Equal(t, stripego.CheckoutSessionStatusOpen, session.Status)
	require.Equal(t, stripego.CheckoutSessionPaymentStatusUnpaid, session.PaymentStatus)
	require.Equal(t, int64(900), session.AmountSubtotal)
	require.Equal(t, int64(675), session.AmountTotal)
	require.Equal(t, int64(225), session.TotalDetails.AmountDiscount)
	require.Equal(t, stripego.CurrencyUSD, session.Currency)
	require.Equal(t, "chk_1", session.ClientReferenceID)
	require.Equal(t, map[string]string{"checkout": "chk_1"}, session.Metadata)
	require.Equal(t, w.clock.Now().Add(31*time.Minute).Unix(), session.ExpiresAt)
	require.Equal(t, w.url+"/sandbox/stripe/pay/"+session.ID, session.URL)
	require.Nil(t, session.PaymentIntent)
	require.Nil(t, session.CustomerDetails)
	require.False(t, session.Livemode)
	require.Equal(t, session.AmountTotal, w.read(session.ID).AmountTotal)
}

func TestTotals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		percent float64
		total   int64
		status  stripego.CheckoutSessionPaymentStatus
		code    stripego.ErrorCode
	}{
		"a third of a cent is rounded":         {33.3, 600, "unpaid", ""},
		"the least that is charged":            {94.44, 50, "unpaid", ""},
		"a cent less than the least":           {94.56, 0, "", stripego.ErrorCodeAmountTooSmall},
		"nothing is due":                       {100, 0, "no_payment_required", ""},
		"the smallest discount takes nothing":  {0.01, 900, "unpaid", ""},
		"half a cent off rounds in their hand": {0.5, 895, "unpaid", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.coupon("off", tt.percent)
			session, err := w.api.CheckoutSessions.New(w.offer("off"))
			if tt.code != "" {
				require.Equal(t, tt.code, refused(t, err).Code)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.total, session.AmountTotal)
			require.Equal(t, tt.status, session.PaymentStatus)
		})
	}
}

func TestSessionsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil func(*world, *stripego.CheckoutSessionParams)
		param string
		code  stripego.ErrorCode
	}{
		"29 minutes": {func(w *world, p *stripego.CheckoutSessionParams) {
			p.ExpiresAt = stripego.Int64(w.clock.Now().Add(29 * time.Minute).Unix())
		}, "expires_at", ""},
		"a day and a minute": {func(w *world, p *stripego.CheckoutSessionParams) {
			p.ExpiresAt = stripego.Int64(w.clock.Now().Add(24*time.Hour + time.Minute).Unix())
		}, "expires_at", ""},
		"a subscription": {func(_ *world, p *stripego.CheckoutSessionParams) { p.Mode = stripego.String("subscription") }, "mode", ""},
		"no mode":        {func(_ *world, p *stripego.CheckoutSessionParams) { p.Mode = nil }, "mode", stripego.ErrorCodeParameterMissing},
		"euros": {func(_ *world, p *stripego.CheckoutSessionParams) {
			p.LineItems[0].PriceData.Currency = stripego.String("eur")
		}, "line_items[0][price_data][currency]", ""},
		"nothing for sale": {func(_ *world, p *stripego.CheckoutSessionParams) { p.LineItems = nil }, "line_items", stripego.ErrorCodeParameterMissing},
		"a price below zero": {func(_ *world, p *stripego.CheckoutSessionParams) {
			p.LineItems[0].PriceData.UnitAmount = stripego.Int64(-900)
		}, "line_items[0][price_data][unit_amount]", ""},
		"no quantity": {func(_ *world, p *stripego.CheckoutSessionParams) { p.LineItems[0].Quantity = nil }, "line_items[0][quantity]", stripego.ErrorCodeParameterMissing},
		"no way back": {func(_ *world, p *stripego.CheckoutSessionParams) { p.SuccessURL = nil }, "success_url", stripego.ErrorCodeParameterMissing},
		"a script to go to": {func(_ *world, p *stripego.CheckoutSessionParams) {
			p.SuccessURL = stripego.String("javascript:alert(1)")
		}, "success_url", stripego.ErrorCodeURLInvalid},
		"a bank debit": {func(_ *world, p *stripego.CheckoutSessionParams) {
			p.PaymentMethodTypes = []*string{stripego.String("card"), stripego.String("sepa_debit")}
		}, "payment_method_types[1]", ""},
		"a coupon that does not exist": {func(_ *world, p *stripego.CheckoutSessionParams) {
			p.Discounts = []*stripego.CheckoutSessionDiscountParams{{Coupon: stripego.String("none")}}
		}, "discounts[0][coupon]", stripego.ErrorCodeResourceMissing},
		"two coupons": {func(w *world, p *stripego.CheckoutSessionParams) {
			one, two := w.coupon("one", 10).ID, w.coupon("two", 10).ID
			p.Discounts = []*stripego.CheckoutSessionDiscountParams{{Coupon: &one}, {Coupon: &two}}
		}, "discounts", ""},
		"a coupon whose time is over": {func(w *world, p *stripego.CheckoutSessionParams) {
			p.Discounts = []*stripego.CheckoutSessionDiscountParams{{Coupon: &w.coupon("old", 10).ID}}
			w.clock.advance(time.Hour)
			p.ExpiresAt = nil
		}, "discounts[0][coupon]", stripego.ErrorCodeCouponExpired},
		"a parameter that is not played": {func(_ *world, p *stripego.CheckoutSessionParams) {
			p.AllowPromotionCodes = stripego.Bool(true)
		}, "allow_promotion_codes", stripego.ErrorCodeParameterUnknown},
		"a part that cannot be expanded": {func(_ *world, p *stripego.CheckoutSessionParams) { p.AddExpand("customer") }, "expand", ""},
		"a label that is too long": {func(_ *world, p *stripego.CheckoutSessionParams) {
			p.AddMetadata("long", string(make([]byte, 501)))
		}, "metadata[long]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			params := w.offer("")
			tt.spoil(w, params)
			_, err := w.api.CheckoutSessions.New(params)
			refusal := refused(t, err)
			require.Equal(t, http.StatusBadRequest, refusal.HTTPStatusCode)
			require.Equal(t, stripego.ErrorTypeInvalidRequest, refusal.Type)
			require.Equal(t, tt.param, refusal.Param, refusal.Msg)
			require.Equal(t, tt.code, refusal.Code)
			require.Empty(t, w.sandbox.Sessions())
		})
	}
}

func TestASessionIsEndedByItsSeller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.session("")
	expired, err := w.api.CheckoutSessions.Expire(session.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripego.CheckoutSessionStatusExpired, expired.Status)
	require.Empty(t, expired.URL)
	_, err = w.api.CheckoutSessions.Expire(session.ID, nil)
	require.Contains(t, refused(t, err).Msg, "a status of expired")
	_, err = w.api.CheckoutSessions.Expire(w.paid().ID, nil)
	require.Contains(t, refused(t, err).Msg, "a status of complete")
	_, err = w.api.CheckoutSessions.Expire("cs_test_none", nil)
	require.Equal(t, http.StatusNotFound, refused(t, err).HTTPStatusCode)
	require.Equal(t, []string{"checkout.session.expired", "checkout.session.completed"}, w.kinds())
}

func TestASessionEndsWhenItsTimeComes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.session("")
	w.clock.advance(31*time.Minute - time.Second)
	require.Equal(t, stripego.CheckoutSessionStatusOpen, w.read(session.ID).Status)
	w.clock.advance(time.Second)
	require.Equal(t, stripego.CheckoutSessionStatusExpired, w.read(session.ID).Status)
	require.Equal(t, []string{"checkout.session.expired"}, w.kinds())
}

func TestADeclinedPaymentEndsWithItsSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.session("")
	w.pay(session.ID, badCard, buyer)
	w.clock.advance(31 * time.Minute)
	require.Equal(t, stripego.PaymentIntentStatusCanceled, w.read(session.ID).PaymentIntent.Status)
}

func TestASessionLastsADayWhenNobodySays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := w.offer("")
	params.ExpiresAt = nil
	session, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Equal(t, w.clock.Now().Add(24*time.Hour).Unix(), session.ExpiresAt)
}

func TestAShorterSessionWhereTheSandboxIsToldSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.LeastTime = time.Second })
	params := w.offer("")
	params.ExpiresAt = stripego.Int64(w.clock.Now().Add(2 * time.Second).Unix())
	session, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	w.clock.advance(2 * time.Second)
	require.Equal(t, stripego.CheckoutSessionStatusExpired, w.read(session.ID).Status)
}

func TestSessionsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var made []string
	for range 3 {
		made = append([]string{w.session("").ID}, made...)
	}
	params := &stripego.CheckoutSessionListParams{}
	params.Limit = stripego.Int64(2)
	var listed []string
	for sessions := w.api.CheckoutSessions.List(params); sessions.Next(); {
		listed = append(listed, sessions.CheckoutSession().ID)
	}
	require.Equal(t, made, listed)
}
