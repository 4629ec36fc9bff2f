package stripe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
)

func TestRefund(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer answer
		class  checkout.PaymentClass
		code   string
	}{
		"given back":                     {answer: answer{200, `{"object":"refund","id":"re_1","status":"succeeded"}`}},
		"on its way":                     {answer: answer{200, `{"object":"refund","id":"re_1","status":"pending"}`}},
		"given back already":             {answer: refusing(400, "invalid_request_error", "charge_already_refunded", "")},
		"it could not be given back":     {answer{200, `{"object":"refund","id":"re_1","status":"failed"}`}, checkout.PaymentRefused, "stripe_refund_failed"},
		"it was taken back":              {answer{200, `{"object":"refund","id":"re_1","status":"canceled"}`}, checkout.PaymentRefused, "stripe_refund_failed"},
		"the bank disputes it already":   {refusing(400, "invalid_request_error", "charge_disputed", ""), checkout.PaymentRefused, "stripe_charge_disputed"},
		"there is no such payment":       {refusing(404, "invalid_request_error", "resource_missing", ""), checkout.PaymentGone, "stripe_gone"},
		"nobody knows whether it worked": {answer{500, ""}, checkout.PaymentBroken, "stripe_broken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stripe := answering(t, tt.answer)
			err := newClient(t, stripe.url).Refund(t.Context(), "pi_1", "refund:chk_1")
			require.Equal(t, []string{"POST /v1/refunds"}, stripe.asked())
			require.Equal(t, map[string]string{"payment_intent": "pi_1"}, stripe.requests[0].params)
			require.Equal(t, "refund:chk_1", stripe.requests[0].header.Get("Idempotency-Key"))
			if tt.class == "" {
				require.NoError(t, err)
				return
			}
			failed := said(t, err)
			require.Equal(t, tt.class, failed.Class)
			require.Equal(t, tt.code, failed.Code)
		})
	}
}
