package stripe

import (
	"context"
	"errors"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/domain/checkout"
)

// CreateCoupon makes the coupon that gives the offer its discount: for one payment, until the
// offer ends. The same one from an earlier try will do.
func (c *Client) CreateCoupon(ctx context.Context, offer checkout.Offer) (couponID string, err error) {
	id := checkout.CouponID(offer.CheckoutID)
	_, err = c.coupons.New(&stripe.CouponParams{
		Params:         once(ctx, offer, "coupon"),
		ID:             &id,
		Name:           stripe.String("Your personal discount"), // the payment page shows it
		PercentOff:     stripe.Float64(float64(offer.DiscountPercent)),
		Duration:       stripe.String(string(stripe.CouponDurationOnce)),
		MaxRedemptions: stripe.Int64(1),
		RedeemBy:       stripe.Int64(offer.ExpiresAt.Unix()),
		Metadata:       map[string]string{metadataCheckout: offer.CheckoutID},
	})
	if said, ok := errors.AsType[*stripe.Error](err); ok && said.Code == stripe.ErrorCodeResourceAlreadyExists {
		err = c.sameCoupon(ctx, id, offer.DiscountPercent, err)
	}
	if err != nil {
		return "", failure(err)
	}
	return id, nil
}

// sameCoupon sees whether the coupon that stands in the way is the one that was wanted. If
// not, the refusal stands.
func (c *Client) sameCoupon(ctx context.Context, id string, percent int, refusal error) error {
	there, err := c.coupons.Get(id, &stripe.CouponParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return err
	}
	if there.PercentOff != float64(percent) {
		return refusal
	}
	return nil
}

// DeleteCoupon takes a coupon back. One that is gone is fine.
func (c *Client) DeleteCoupon(ctx context.Context, couponID string) error {
	_, err := c.coupons.Del(couponID, &stripe.CouponParams{Params: stripe.Params{Context: ctx}})
	err = failure(err)
	if failed, ok := errors.AsType[*checkout.PaymentError](err); ok && failed.Class == checkout.PaymentGone {
		return nil
	}
	return err
}
