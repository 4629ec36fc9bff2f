package stripe

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"
)

func TestTotals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		percent float64
		total   int64
		code    stripego.ErrorCode
	}{
		"a third of a cent is rounded":                {33.3, 600, ""},
		"the least that is charged":                   {94.44, 50, ""},
		"a cent less than the least":                  {94.56, 0, stripego.ErrorCodeAmountTooSmall},
		"the smallest discount takes nothing":         {0.01, 900, ""},
		"half a cent is rounded in the buyer's favor": {0.5, 895, ""},
	} {
		w := newWorld(t)
		w.coupon("off", tt.percent)
		session, err := w.api.CheckoutSessions.New(w.offer("off"))
		if tt.code != "" {
			require.Equal(t, tt.code, refused(t, err).Code, name)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, tt.total, session.AmountTotal, name)
	}
}

func TestSessionsThatAreRefused(t *testing.T) {
	t.Parallel()
	type params = stripego.CheckoutSessionParams
	type discount = stripego.CheckoutSessionDiscountParams
	const absent = stripego.ErrorCodeParameterMissing
	str := stripego.String
	for name, tt := range map[string]struct {
		spoil func(*world, *params)
		param string
		code  stripego.ErrorCode
	}{
		"a day and a minute": {func(w *world, p *params) {
			p.ExpiresAt = stripego.Int64(w.clock.Now().Add(24*time.Hour + time.Minute).Unix())
		}, "expires_at", ""},
		"too soon":          {func(w *world, p *params) { p.ExpiresAt = stripego.Int64(w.clock.Now().Unix()) }, "expires_at", ""},
		"a subscription":    {func(_ *world, p *params) { p.Mode = str("subscription") }, "mode", ""},
		"euros":             {func(_ *world, p *params) { p.LineItems[0].PriceData.Currency = str("eur") }, "line_items[0][price_data][currency]", ""},
		"nothing for sale":  {func(_ *world, p *params) { p.LineItems = nil }, "line_items", ""},
		"no way back":       {func(_ *world, p *params) { p.SuccessURL = nil }, "success_url", absent},
		"a script to go to": {func(_ *world, p *params) { p.SuccessURL = str("javascript:alert(1)") }, "success_url", stripego.ErrorCodeURLInvalid},
		"a bank debit":      {func(_ *world, p *params) { p.PaymentMethodTypes = []*string{str("card"), str("sepa_debit")} }, "payment_method_types[1]", ""},
		"two coupons": {func(w *world, p *params) {
			one, two := w.coupon("one", 10).ID, w.coupon("two", 10).ID
			p.Discounts = []*discount{{Coupon: &one}, {Coupon: &two}}
		}, "discounts", ""},
		"a coupon whose time is over": {func(w *world, p *params) {
			p.Discounts = []*discount{{Coupon: &w.coupon("old", 10).ID}}
			w.clock.Advance(time.Hour)
			p.ExpiresAt = stripego.Int64(w.clock.Now().Add(time.Hour).Unix())
		}, "discounts[0][coupon]", stripego.ErrorCodeCouponExpired},
		"a parameter that is not played": {func(_ *world, p *params) { p.AllowPromotionCodes = stripego.Bool(true) }, "allow_promotion_codes", stripego.ErrorCodeParameterUnknown},
	} {
		w := newWorld(t)
		offer := w.offer("")
		tt.spoil(w, offer)
		_, err := w.api.CheckoutSessions.New(offer)
		refusal := refused(t, err)
		require.Equal(t, http.StatusBadRequest, refusal.HTTPStatusCode, name)
		require.Equal(t, tt.param, refusal.Param, refusal.Msg)
		require.Equal(t, tt.code, refusal.Code, name)
		require.Empty(t, w.sandbox.Sessions(), name)
	}
}

func TestASessionEndsWhenItsTimeComes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.session("")
	w.pay(session.ID, badCard, buyer)
	w.clock.Advance(31*time.Minute - time.Second)
	require.Equal(t, stripego.CheckoutSessionStatusOpen, w.read(session.ID).Status)
	w.clock.Advance(time.Second)
	ended := w.read(session.ID)
	require.Equal(t, stripego.CheckoutSessionStatusExpired, ended.Status)
	require.Equal(t, stripego.PaymentIntentStatusCanceled, ended.PaymentIntent.Status, "a declined payment ends with its session")
	require.Equal(t, []string{"payment_intent.payment_failed", "checkout.session.expired"}, w.kinds())
}

func TestHowLongASessionLasts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.LeastTime = time.Second })
	params := w.offer("")
	params.ExpiresAt = stripego.Int64(w.clock.Now().Add(2 * time.Second).Unix())
	session, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err, "LeastTime allows it")
	w.clock.Advance(2 * time.Second)
	require.Equal(t, stripego.CheckoutSessionStatusExpired, w.read(session.ID).Status)
}

func TestCouponsThatAreRefused(t *testing.T) {
	t.Parallel()
	type params = stripego.CouponParams
	for name, tt := range map[string]struct {
		spoil func(*world, *params)
		param string
	}{
		"nothing off":            {func(_ *world, p *params) { p.PercentOff = stripego.Float64(0) }, "percent_off"},
		"a time that is over":    {func(w *world, p *params) { p.RedeemBy = stripego.Int64(w.clock.Now().Unix()) }, "redeem_by"},
		"an ID that is too long": {func(_ *world, p *params) { p.ID = stripego.String(strings.Repeat("a", 201)) }, "id"},
	} {
		w := newWorld(t)
		coupon := w.couponParams("cz-1", 25)
		tt.spoil(w, coupon)
		_, err := w.api.Coupons.New(coupon)
		require.Equal(t, tt.param, refused(t, err).Param, name)
		require.Empty(t, w.sandbox.Coupons(), name)
	}
}

func TestADeletedCouponIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.coupon("cz-1", 25)
	w.coupon("cz-2", 25)
	session := w.session("cz-1")
	deleted, err := w.api.Coupons.Del("cz-1", nil)
	require.NoError(t, err)
	require.True(t, deleted.Deleted)
	require.Equal(t, "cz-1", deleted.ID)
	_, again := w.api.Coupons.Del("cz-1", nil)
	_, read := w.api.Coupons.Get("cz-1", nil)
	for _, err := range []error{again, read} {
		require.Equal(t, http.StatusNotFound, refused(t, err).HTTPStatusCode)
		require.Equal(t, stripego.ErrorCodeResourceMissing, refused(t, err).Code)
	}
	_, err = w.api.CheckoutSessions.New(w.offer("cz-1"))
	require.Equal(t, stripego.ErrorCodeResourceMissing, refused(t, err).Code)
	_, err = w.api.CheckoutSessions.New(w.offer("cz-2"))
	require.NoError(t, err)

	w.coupon("cz-1", 50) // the same ID, another coupon
	require.Equal(t, http.StatusSeeOther, w.pay(session.ID, goodCard, buyer).status, "a session outlives its coupon")
	require.Equal(t, int64(675), w.read(session.ID).AmountTotal)
	require.Zero(t, w.readCoupon().TimesRedeemed)
}

func TestACouponIsUsedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.coupon("cz-1", 25)
	first, second := w.session("cz-1"), w.session("cz-1")
	require.Equal(t, http.StatusSeeOther, w.pay(first.ID, goodCard, buyer).status)
	require.Equal(t, int64(1), w.readCoupon().TimesRedeemed)
	require.False(t, w.readCoupon().Valid)

	late := w.pay(second.ID, goodCard, buyer)
	require.Equal(t, http.StatusPaymentRequired, late.status)
	require.Contains(t, late.body, "This discount was already used or has expired. You were not charged.")
	require.Equal(t, stripego.CheckoutSessionStatusOpen, w.read(second.ID).Status)
	_, err := w.api.CheckoutSessions.New(w.offer("cz-1"))
	require.Equal(t, stripego.ErrorCodeCouponExpired, refused(t, err).Code)
}
