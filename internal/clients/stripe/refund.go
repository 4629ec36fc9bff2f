package stripe

import (
	"context"
	"errors"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/domain/checkout"
)

// Refund gives back all that is left of a payment. One that was refunded already is fine.
// What the key was used for once happens once.
func (c *Client) Refund(ctx context.Context, paymentIntent, key string) error {
	done, err := c.refunds.New(&stripe.RefundParams{
		Params:        stripe.Params{Context: ctx, IdempotencyKey: &key},
		PaymentIntent: &paymentIntent,
	})
	if said, ok := errors.AsType[*stripe.Error](err); ok && said.Code == stripe.ErrorCodeChargeAlreadyRefunded {
		return nil
	}
	if err == nil && (done.Status == stripe.RefundStatusFailed || done.Status == stripe.RefundStatusCanceled) {
		return saying(checkout.PaymentRefused, codeNoRefund)
	}
	return failure(err)
}
