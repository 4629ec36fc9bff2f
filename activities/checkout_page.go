package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/checkout"
)

// OfferInput is what a payment page is made of: decided once, in the flow, so that every
// try sends the same.
type OfferInput struct {
	CheckoutID      string
	ListCents       int
	DiscountPercent int
	Attempt         int
	ExpiresAt       time.Time
	Demo            bool
	CouponID        string // of the page; empty: the list price
}

func (a *Checkout) offer(in OfferInput) checkout.Offer {
	return checkout.Offer{
		CheckoutID: in.CheckoutID, ListCents: in.ListCents, DiscountPercent: in.DiscountPercent, Attempt: in.Attempt,
		ExpiresAt: in.ExpiresAt, Demo: in.Demo,
		SuccessURL: a.Site + "/pricing/success?checkout=" + in.CheckoutID,
		CancelURL:  a.Site + "/pricing/cancelled?checkout=" + in.CheckoutID,
	}
}

type CouponResult struct{ CouponID string }

// CreateCoupon makes the discount: for one redemption, as long as the offer lasts.
func (a *Checkout) CreateCoupon(ctx context.Context, in OfferInput) (CouponResult, error) {
	id, err := a.payments(in.Demo).CreateCoupon(ctx, a.offer(in))
	return CouponResult{id}, asOfferFailure(err)
}

// CreateCheckoutSession makes the payment page, and notes it. The key is the checkout's, so
// every repeat gets the same page back.
func (a *Checkout) CreateCheckoutSession(ctx context.Context, in OfferInput) (CheckoutState, error) {
	page, err := a.payments(in.Demo).OpenSession(ctx, a.offer(in), in.CouponID)
	if err != nil {
		return CheckoutState{}, asOfferFailure(err)
	}
	if _, err := a.Book.OpenCheckout(ctx, in.CheckoutID, in.CouponID, page, a.Now()); err != nil {
		return CheckoutState{}, err
	}
	return a.read(ctx, in.CheckoutID)
}

type CouponInput struct {
	CheckoutID string
	Demo       bool
}

// DeleteCoupon takes the discount back. Its name is known before it is made, so what may
// have been made without an answer is taken back, too.
func (a *Checkout) DeleteCoupon(ctx context.Context, in CouponInput) (Done, error) {
	err := a.payments(in.Demo).DeleteCoupon(ctx, checkout.CouponID(in.CheckoutID))
	return Done{}, asPaymentFailure(err)
}

// PaymentBroken is the type of a failure that the payment service repeats under the same
// key: the next try needs another.
const PaymentBroken = "payment_broken"

// asOfferFailure tells the flow when an offer must be made under another key.
func asOfferFailure(err error) error {
	failed, ok := errors.AsType[*checkout.PaymentError](err)
	if ok && failed.Class == checkout.PaymentBroken {
		return temporal.NewNonRetryableApplicationError(failed.Message, PaymentBroken, nil)
	}
	return asPaymentFailure(err)
}

// asPaymentFailure tells the flow what a failed call means for the next one.
func asPaymentFailure(err error) error {
	failed, ok := errors.AsType[*checkout.PaymentError](err)
	if !ok {
		return err
	}
	switch failed.Class {
	case checkout.PaymentRefused, checkout.PaymentGone, checkout.PaymentForbidden:
		return temporal.NewNonRetryableApplicationError(failed.Message, failed.Code, nil)
	default: // time may help
		return temporal.NewApplicationError(failed.Message, failed.Code)
	}
}
