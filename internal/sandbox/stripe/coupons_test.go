package stripe

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"
)

func TestACouponIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := w.couponParams("cz-1", 12.5)
	params.Name = stripego.String("For you")
	params.AddMetadata("checkout", "chk_1")
	made, err := w.api.Coupons.New(params)
	require.NoError(t, err)
	for _, coupon := range []*stripego.Coupon{made, w.readCoupon()} {
		require.Equal(t, "cz-1", coupon.ID)
		require.InDelta(t, 12.5, coupon.PercentOff, 0)
		require.Equal(t, stripego.CouponDurationOnce, coupon.Duration)
		require.Equal(t, int64(1), coupon.MaxRedemptions)
		require.Equal(t, w.clock.Now().Add(time.Hour).Unix(), coupon.RedeemBy)
		require.Equal(t, map[string]string{"checkout": "chk_1"}, coupon.Metadata)
		require.Equal(t, "For you", coupon.Name)
		require.True(t, coupon.Valid)
	}
	_, err = w.api.Coupons.New(w.couponParams("cz-1", 12.5))
	require.Equal(t, stripego.ErrorCodeResourceAlreadyExists, refused(t, err).Code)
	require.Equal(t, http.StatusBadRequest, refused(t, err).HTTPStatusCode)
}

// readCoupon reads the coupon cz-1.
func (w *world) readCoupon() *stripego.Coupon {
	w.t.Helper()
	coupon, err := w.api.Coupons.Get("cz-1", nil)
	require.NoError(w.t, err)
	return coupon
}

func TestCouponsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil func(*world, *stripego.CouponParams)
		param string
	}{
		"nothing off":              {func(_ *world, p *stripego.CouponParams) { p.PercentOff = stripego.Float64(0) }, "percent_off"},
		"more than everything off": {func(_ *world, p *stripego.CouponParams) { p.PercentOff = stripego.Float64(100.1) }, "percent_off"},
		"no percentage":            {func(_ *world, p *stripego.CouponParams) { p.PercentOff = nil }, "percent_off"},
		"an amount off":            {func(_ *world, p *stripego.CouponParams) { p.AmountOff = stripego.Int64(100) }, "amount_off"},
		"no redemptions":           {func(_ *world, p *stripego.CouponParams) { p.MaxRedemptions = stripego.Int64(0) }, "max_redemptions"},
		"a time that is over":      {func(w *world, p *stripego.CouponParams) { p.RedeemBy = stripego.Int64(w.clock.Now().Unix()) }, "redeem_by"},
		"a duration of its own":    {func(_ *world, p *stripego.CouponParams) { p.Duration = stripego.String("twice") }, "duration"},
		"an ID with a blank":       {func(_ *world, p *stripego.CouponParams) { p.ID = stripego.String("a b") }, "id"},
		"an ID that is too long":   {func(_ *world, p *stripego.CouponParams) { p.ID = stripego.String(strings.Repeat("a", 201)) }, "id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			params := w.couponParams("cz-1", 25)
			tt.spoil(w, params)
			_, err := w.api.Coupons.New(params)
			require.Equal(t, tt.param, refused(t, err).Param)
			require.Empty(t, w.sandbox.Coupons())
		})
	}
}

func TestADeletedCouponIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.coupon("cz-1", 25)
	w.coupon("cz-2", 25)
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
	listed := w.api.Coupons.List(nil)
	require.True(t, listed.Next())
	require.Equal(t, "cz-2", listed.Coupon().ID)
	require.False(t, listed.Next())
	require.NoError(t, listed.Err())
}

func TestASessionOutlivesItsCoupon(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.coupon("cz-1", 25)
	session := w.session("cz-1")
	_, err := w.api.Coupons.Del("cz-1", nil)
	require.NoError(t, err)
	w.coupon("cz-1", 50) // the same name, another coupon
	require.Equal(t, http.StatusSeeOther, w.pay(session.ID, goodCard, buyer).status)
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
	require.Contains(t, late.body, "This discount was used already, or it is over. You were not charged.")
	require.Equal(t, stripego.CheckoutSessionStatusOpen, w.read(second.ID).Status)
	_, err := w.api.CheckoutSessions.New(w.offer("cz-1"))
	require.Equal(t, stripego.ErrorCodeCouponExpired, refused(t, err).Code)
}
