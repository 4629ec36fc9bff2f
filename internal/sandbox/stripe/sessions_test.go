package stripe

import (
	"net/http"
	"slices"
	"strings"
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
	type params = stripego.CheckoutSessionParams
	type discount = stripego.CheckoutSessionDiscountParams
	const absent = stripego.ErrorCodeParameterMissing
	str := stripego.String
	for name, tt := range map[string]struct {
		spoil func(*world, *params)
		param string
		code  stripego.ErrorCode
	}{
		"29 minutes": {func(w *world, p *params) { p.ExpiresAt = stripego.Int64(w.clock.Now().Add(29 * time.Minute).Unix()) }, "expires_at", ""},
		"a day and a minute": {func(w *world, p *params) {
			p.ExpiresAt = stripego.Int64(w.clock.Now().Add(24*time.Hour + time.Minute).Unix())
		}, "expires_at", ""},
		"a subscription":               {func(_ *world, p *params) { p.Mode = str("subscription") }, "mode", ""},
		"no mode":                      {func(_ *world, p *params) { p.Mode = nil }, "mode", absent},
		"euros":                        {func(_ *world, p *params) { p.LineItems[0].PriceData.Currency = str("eur") }, "line_items[0][price_data][currency]", ""},
		"nothing for sale":             {func(_ *world, p *params) { p.LineItems = nil }, "line_items", absent},
		"a price below zero":           {func(_ *world, p *params) { p.LineItems[0].PriceData.UnitAmount = stripego.Int64(-900) }, "line_items[0][price_data][unit_amount]", ""},
		"no quantity":                  {func(_ *world, p *params) { p.LineItems[0].Quantity = nil }, "line_items[0][quantity]", absent},
		"no way back":                  {func(_ *world, p *params) { p.SuccessURL = nil }, "success_url", absent},
		"a script to go to":            {func(_ *world, p *params) { p.SuccessURL = str("javascript:alert(1)") }, "success_url", stripego.ErrorCodeURLInvalid},
		"a bank debit":                 {func(_ *world, p *params) { p.PaymentMethodTypes = []*string{str("card"), str("sepa_debit")} }, "payment_method_types[1]", ""},
		"a coupon that does not exist": {func(_ *world, p *params) { p.Discounts = []*discount{{Coupon: str("none")}} }, "discounts[0][coupon]", stripego.ErrorCodeResourceMissing},
		"two coupons": {func(w *world, p *params) {
			one, two := w.coupon("one", 10).ID, w.coupon("two", 10).ID
			p.Discounts = []*discount{{Coupon: &one}, {Coupon: &two}}
		}, "discounts", ""},
		"a coupon whose time is over": {func(w *world, p *params) {
			p.Discounts = []*discount{{Coupon: &w.coupon("old", 10).ID}}
			w.clock.advance(time.Hour)
			p.ExpiresAt = nil
		}, "discounts[0][coupon]", stripego.ErrorCodeCouponExpired},
		"a parameter that is not played": {func(_ *world, p *params) { p.AllowPromotionCodes = stripego.Bool(true) }, "allow_promotion_codes", stripego.ErrorCodeParameterUnknown},
		"a part that cannot be expanded": {func(_ *world, p *params) { p.AddExpand("customer") }, "expand", ""},
		"a label that is too long":       {func(_ *world, p *params) { p.AddMetadata("long", string(make([]byte, 501))) }, "metadata[long]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			offer := w.offer("")
			tt.spoil(w, offer)
			_, err := w.api.CheckoutSessions.New(offer)
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
	w.pay(session.ID, badCard, buyer)
	w.clock.advance(31*time.Minute - time.Second)
	require.Equal(t, stripego.CheckoutSessionStatusOpen, w.read(session.ID).Status)
	w.clock.advance(time.Second)
	ended := w.read(session.ID)
	require.Equal(t, stripego.CheckoutSessionStatusExpired, ended.Status)
	require.Equal(t, stripego.PaymentIntentStatusCanceled, ended.PaymentIntent.Status, "a declined payment ends with its session")
	require.Equal(t, []string{"payment_intent.payment_failed", "checkout.session.expired"}, w.kinds())
}

func TestHowLongASessionLasts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.LeastTime = time.Second })
	params := w.offer("")
	params.ExpiresAt = nil
	session, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Equal(t, w.clock.Now().Add(24*time.Hour).Unix(), session.ExpiresAt, "a day by default")

	params.ExpiresAt = stripego.Int64(w.clock.Now().Add(2 * time.Second).Unix())
	session, err = w.api.CheckoutSessions.New(params)
	require.NoError(t, err, "less than half an hour where the sandbox is told so")
	w.clock.advance(2 * time.Second)
	require.Equal(t, stripego.CheckoutSessionStatusExpired, w.read(session.ID).Status)
}

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

func TestCouponsThatAreRefused(t *testing.T) {
	t.Parallel()
	type params = stripego.CouponParams
	for name, tt := range map[string]struct {
		spoil func(*world, *params)
		param string
	}{
		"nothing off":              {func(_ *world, p *params) { p.PercentOff = stripego.Float64(0) }, "percent_off"},
		"more than everything off": {func(_ *world, p *params) { p.PercentOff = stripego.Float64(100.1) }, "percent_off"},
		"no percentage":            {func(_ *world, p *params) { p.PercentOff = nil }, "percent_off"},
		"an amount off":            {func(_ *world, p *params) { p.AmountOff = stripego.Int64(100) }, "amount_off"},
		"no redemptions":           {func(_ *world, p *params) { p.MaxRedemptions = stripego.Int64(0) }, "max_redemptions"},
		"a time that is over":      {func(w *world, p *params) { p.RedeemBy = stripego.Int64(w.clock.Now().Unix()) }, "redeem_by"},
		"a duration of its own":    {func(_ *world, p *params) { p.Duration = stripego.String("twice") }, "duration"},
		"an ID with a blank":       {func(_ *world, p *params) { p.ID = stripego.String("a b") }, "id"},
		"an ID that is too long":   {func(_ *world, p *params) { p.ID = stripego.String(strings.Repeat("a", 201)) }, "id"},
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

	w.coupon("cz-1", 50) // the same name, another coupon
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
	require.Contains(t, late.body, "This discount was used already, or it is over. You were not charged.")
	require.Equal(t, stripego.CheckoutSessionStatusOpen, w.read(second.ID).Status)
	_, err := w.api.CheckoutSessions.New(w.offer("cz-1"))
	require.Equal(t, stripego.ErrorCodeCouponExpired, refused(t, err).Code)
}

func TestAPaidSessionShowsStripesFee(t *testing.T) {
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

	plain, err := w.api.CheckoutSessions.Get(session.ID, nil)
	require.NoError(t, err)
	require.Equal(t, session.PaymentIntent.ID, plain.PaymentIntent.ID)
	require.Nil(t, plain.PaymentIntent.LatestCharge, "it was not asked for")
	for amount, want := range map[int64]int64{50: 31, 810: 53, 900: 56, 10_000: 320, 17: 30, 18: 31} {
		require.Equal(t, want, fee(amount), amount)
	}
}

func TestRefunds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	payment := w.paid().PaymentIntent.ID
	done, err := w.refund(payment)
	require.NoError(t, err)
	require.Equal(t, stripego.RefundStatusSucceeded, done.Status)
	require.Equal(t, int64(900), done.Amount)
	events := w.hook.await(2) // in any order
	told := events[slices.IndexFunc(events, func(e stripego.Event) bool { return e.Type == "charge.refunded" })]
	require.Equal(t, payment, told.Data.Object["payment_intent"])
	require.Equal(t, true, told.Data.Object["refunded"])
	require.InDelta(t, 900, told.Data.Object["amount_refunded"], 0)

	declined := w.session("")
	require.Equal(t, http.StatusPaymentRequired, w.pay(declined.ID, badCard, buyer).status)
	for name, tt := range map[string]struct {
		payment string
		status  int
		code    stripego.ErrorCode
	}{
		"an unknown payment":  {"pi_none", http.StatusNotFound, stripego.ErrorCodeResourceMissing},
		"a declined payment":  {w.read(declined.ID).PaymentIntent.ID, http.StatusBadRequest, ""},
		"no payment":          {"", http.StatusBadRequest, stripego.ErrorCodeParameterMissing},
		"what was given back": {payment, http.StatusBadRequest, stripego.ErrorCodeChargeAlreadyRefunded},
	} {
		_, err := w.refund(tt.payment)
		require.Equal(t, tt.status, refused(t, err).HTTPStatusCode, name)
		require.Equal(t, tt.code, refused(t, err).Code, name)
	}
	require.Len(t, w.sandbox.Refunds(), 1)
}
