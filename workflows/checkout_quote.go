package workflows

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
)

// Progress is the steps that a checkout has taken, for whoever opens its run.
type Progress struct{ Steps []ProgressStep }

// ProgressStep is a step, and when it was done.
type ProgressStep struct {
	Name string
	At   time.Time
}

// The steps of a checkout.
const (
	StepBegun     = "begun"
	StepDecided   = "price decided"
	StepCoupon    = "coupon created"
	StepPage      = "payment page open"
	StepSettled   = "settled"
	StepTakenBack = "coupon deleted"
	StepGivenBack = "money sent back"
)

func (p *Progress) record(ctx workflow.Context, step string) {
	p.Steps = append(p.Steps, ProgressStep{step, workflow.Now(ctx)})
}

// quoteTries is how often a payment service that fails is asked anew: somebody waits.
const quoteTries = 3

// modelTries is how often a model is asked about one price: each call costs.
const modelTries = 2

// quote decides the price and opens the page. Without a page the checkout ends failed, and
// the discount is taken back: a step that failed may have been done. If it was the page, the
// checkout goes on with it.
func (f *checkoutFlow) quote(ctx workflow.Context) error {
	err := f.open(ctx)
	if err == nil {
		return nil
	}
	ending := activities.AbandonInput{
		CheckoutID: f.ref.CheckoutID, State: checkout.Failed,
		Reason: "The payment service could not be reached, so there is no page to pay on. Nothing was charged. Try again in a moment.",
	}
	if temporal.IsCanceledError(err) {
		ending.State, ending.Reason = checkout.Cancelled, "The checkout was cancelled. Nothing was charged."
	}
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	f.state, err = runLocal(ctx, checkoutActivities.AbandonCheckout, ending)
	if err != nil || f.state.State == checkout.Open {
		return err
	}
	return f.deleteCoupon(ctx)
}

// open decides the price, makes the coupon and then the page.
func (f *checkoutFlow) open(ctx workflow.Context) error {
	if err := f.decide(ctx); err != nil {
		return err
	}
	offer := activities.OfferInput{
		CheckoutID: f.ref.CheckoutID, ListCents: f.state.ListCents, DiscountPercent: f.state.DiscountPercent, Demo: f.state.Demo,
		ExpiresAt: workflow.Now(ctx).Add(f.offerLife).Truncate(time.Second).UTC(),
	}
	if offer.DiscountPercent > 0 {
		coupon, err := retryWithNewKey(ctx, checkoutActivities.CreateCoupon, offer)
		if err != nil {
			return err
		}
		offer.CouponID = coupon.CouponID
		f.progress.record(ctx, StepCoupon)
	}
	state, err := retryWithNewKey(ctx, checkoutActivities.CreateCheckoutSession, offer)
	if err != nil {
		return err
	}
	f.state = state
	f.progress.record(ctx, StepPage)
	return nil
}

// decide lets a model propose a price, and the rules when it fails or is slow.
func (f *checkoutFlow) decide(ctx workflow.Context) error {
	if f.state.Decided {
		return nil
	}
	in := activities.DecideInput{CheckoutID: f.ref.CheckoutID, DecisionID: f.state.DecisionID}
	state, err := runLocalWith(interactive(ctx, modelTimeout, modelTimeout, modelTries), checkoutActivities.ProposePrice, in)
	if temporal.IsCanceledError(err) {
		return err
	}
	if err != nil {
		in.Fallback = fallbackOf(err)
		state, err = runLocal(ctx, checkoutActivities.DecidePriceByRules, in)
	}
	f.state = state
	f.progress.record(ctx, StepDecided)
	return err
}

// fallbackOf says what came of a model's call.
func fallbackOf(err error) string {
	if temporal.IsTimeoutError(err) {
		return string(model.TimedOut)
	}
	failed, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok {
		return string(model.Failed)
	}
	switch said := model.Outcome(failed.Type()); said {
	case model.TimedOut, model.Malformed, model.Overlong, model.Forbidden, model.OutOfQuota:
		return string(said)
	default: // a trouble of our own has a type as well
		return string(model.Failed)
	}
}

// anew asks the payment service, under another key each time that it fails: a failure it
// keeps under the old one. What the lost try may have made, nobody was shown.
func retryWithNewKey[Out any](
	ctx workflow.Context, activity func(context.Context, activities.OfferInput) (Out, error), offer activities.OfferInput,
) (out Out, err error) {
	for offer.Attempt = 1; offer.Attempt <= quoteTries; offer.Attempt++ {
		out, err = runLocalWith(interactive(ctx, stripeTimeout, quotePatience, 0), activity, offer)
		if failed, ok := errors.AsType[*temporal.ApplicationError](err); !ok || failed.Type() != activities.PaymentBroken {
			return out, err
		}
	}
	return out, err
}
