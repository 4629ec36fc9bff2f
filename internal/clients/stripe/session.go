package stripe

import (
	"context"
	"errors"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/domain/checkout"
)

// OpenSession opens a payment page for the offer. The coupon may be empty.
func (c *Client) OpenSession(ctx context.Context, offer checkout.Offer, couponID string) (checkout.Session, error) {
	if offer.Demo && c.Live() {
		return checkout.Session{}, saying(checkout.PaymentRefused, codeLiveDemo)
	}
	params := &stripe.CheckoutSessionParams{
		Params:             once(ctx, offer, "session"),
		Mode:               stripe.String(string(stripe.CheckoutSessionModePayment)),
		PaymentMethodTypes: stripe.StringSlice([]string{"card"}), // others may settle days later
		LineItems:          []*stripe.CheckoutSessionLineItemParams{c.membership(offer)},
		ClientReferenceID:  &offer.CheckoutID,
		Metadata:           map[string]string{metadataCheckout: offer.CheckoutID},
		ExpiresAt:          stripe.Int64(offer.ExpiresAt.Unix()),
		SuccessURL:         &offer.SuccessURL,
		CancelURL:          &offer.CancelURL,
	}
	if couponID != "" {
		params.Discounts = []*stripe.CheckoutSessionDiscountParams{{Coupon: &couponID}}
	}
	return c.session(c.sessions.New(params))
}

// membership is the one thing on the page, at list price: the coupon shows the discount.
func (c *Client) membership(offer checkout.Offer) *stripe.CheckoutSessionLineItemParams {
	return &stripe.CheckoutSessionLineItemParams{
		Quantity: stripe.Int64(1),
		PriceData: &stripe.CheckoutSessionLineItemPriceDataParams{
			Currency:    stripe.String(string(stripe.CurrencyUSD)),
			UnitAmount:  stripe.Int64(int64(offer.ListCents)),
			ProductData: &stripe.CheckoutSessionLineItemPriceDataProductDataParams{Name: &c.config.Product},
		},
	}
}

// Session reads a payment page, and what came of its payment.
func (c *Client) Session(ctx context.Context, id string) (checkout.Session, error) {
	return c.session(c.sessions.Get(id, &stripe.CheckoutSessionParams{
		Params: stripe.Params{Context: ctx},
		Expand: stripe.StringSlice([]string{"payment_intent.latest_charge.balance_transaction"}),
	}))
}

// ExpireSession closes a payment page and gives it as it stands afterwards: one that was paid
// before is complete, and that is no error.
func (c *Client) ExpireSession(ctx context.Context, id string) (checkout.Session, error) {
	closed, err := c.session(c.sessions.Expire(id, &stripe.CheckoutSessionExpireParams{Params: stripe.Params{Context: ctx}}))
	failed, ok := errors.AsType[*checkout.PaymentError](err)
	if !ok || failed.Class != checkout.PaymentRefused {
		return closed, err
	}
	// Only an open page can be closed, and Stripe has no code for telling so.
	stands, err := c.Session(ctx, id)
	if err == nil && stands.Status == checkout.SessionOpen {
		return checkout.Session{}, failed
	}
	return stands, err
}

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
