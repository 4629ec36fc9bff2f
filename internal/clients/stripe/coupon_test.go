package stripe_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
)

func TestCreateCoupon(t *testing.T) {
	t.Parallel()
	stripe := answering(t, answer{200, `{"object":"coupon","id":"cz-chk_1","percent_off":25}`})
	id, err := newClient(t, stripe.url).CreateCoupon(t.Context(), offer)
	require.NoError(t, err)
	require.Equal(t, "cz-chk_1", id)
	require.Equal(t, id, checkout.CouponID(offer.CheckoutID), "undoing knows it before it is there")

	require.Equal(t, []string{"POST /v1/coupons"}, stripe.asked())
	require.Equal(t, map[string]string{
		"id": "cz-chk_1", "name": "Your personal discount", "percent_off": "25", "duration": "once", "max_redemptions": "1",
		"redeem_by": strconv.FormatInt(offer.ExpiresAt.Unix(), 10), "metadata[checkout]": "chk_1",
	}, withoutZeros(stripe.requests[0].params))
	require.Equal(t, "checkout:chk_1:coupon:2", stripe.requests[0].header.Get("Idempotency-Key"))
}

func TestCreateCouponThatIsThere(t *testing.T) {
	t.Parallel()
	taken := refusing(400, "invalid_request_error", "resource_already_exists", "Coupon already exists.")
	for name, tt := range map[string]struct {
		there answer
		class checkout.PaymentClass
		code  string
	}{
		"the same, from an earlier try":      {there: answer{200, `{"object":"coupon","id":"cz-chk_1","percent_off":25}`}},
		"with another discount":              {answer{200, `{"object":"coupon","id":"cz-chk_1","percent_off":30}`}, checkout.PaymentRefused, "stripe_resource_already_exists"},
		"with a sum instead of a percentage": {answer{200, `{"object":"coupon","id":"cz-chk_1","amount_off":25}`}, checkout.PaymentRefused, "stripe_resource_already_exists"},
		"gone again in between":              {refusing(404, "invalid_request_error", "resource_missing", ""), checkout.PaymentGone, "stripe_gone"},
		"but it cannot be read":              {answer{500, ""}, checkout.PaymentBroken, "stripe_broken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stripe := answering(t, taken, tt.there)
			id, err := newClient(t, stripe.url).CreateCoupon(t.Context(), offer)
			require.Equal(t, []string{"POST /v1/coupons", "GET /v1/coupons/cz-chk_1"}, stripe.asked())
			if tt.class == "" {
				require.NoError(t, err)
				require.Equal(t, "cz-chk_1", id)
				return
			}
			failed := said(t, err)
			require.Equal(t, tt.class, failed.Class)
			require.Equal(t, tt.code, failed.Code)
			require.Empty(t, id)
		})
	}
}

func TestDeleteCoupon(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer answer
		class  checkout.PaymentClass
	}{
		"deleted":                          {answer: answer{200, `{"object":"coupon","id":"cz-chk_1","deleted":true}`}},
		"gone already":                     {answer: refusing(404, "invalid_request_error", "resource_missing", "No such coupon")},
		"gone is only what Stripe says so": {answer{404, "<html>"}, checkout.PaymentUnreachable},
		"refused":                          {refusing(400, "invalid_request_error", "", ""), checkout.PaymentRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stripe := answering(t, tt.answer)
			err := newClient(t, stripe.url).DeleteCoupon(t.Context(), "cz-chk_1")
			require.Equal(t, []string{"DELETE /v1/coupons/cz-chk_1"}, stripe.asked())
			if tt.class == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, tt.class, said(t, err).Class)
		})
	}
}

// withoutZeros evens out how numbers are written: 25 or 25.0000.
func withoutZeros(params map[string]string) map[string]string {
	for name, value := range params {
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			params[name] = strconv.FormatFloat(number, 'f', -1, 64)
		}
	}
	return params
}
