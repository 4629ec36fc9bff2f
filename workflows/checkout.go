package workflows

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
)

var checkoutActivities *activities.Checkout // nil: only names activities

// CheckoutInput names a checkout whose row is written.
type CheckoutInput struct {
	CheckoutID string
	OfferLife  time.Duration // how long its page can be paid; 0: checkout.OfferLife
}

// CheckoutResult says how it ended. Who bought stays in the database.
type CheckoutResult struct {
	State checkout.State
	Code  string
}

const (
	// UpdateQuote waits until there is a price and a page to pay it, or it is known that
	// there is none.
	UpdateQuote = "quote"
	// SignalPaymentSettled says that the payment service has news of the page.
	SignalPaymentSettled = "payment-settled"
	// SignalCancel says that the buyer gives up.
	SignalCancelled = "cancelled"
	// QueryProgress tells the steps that were taken.
	QueryProgress = "progress"
)

// CheckoutID is the workflow ID of a checkout.
func CheckoutID(id string) string { return "checkout:" + id }

// Checkout sells a membership: it decides a price, opens a payment page, and waits until it
// is paid, cancelled or over. Unless it ends paid, no discount of it can be used.
func Checkout(ctx workflow.Context, in CheckoutInput) (CheckoutResult, error) {
	flow := &checkoutFlow{
		ref: activities.CheckoutRef{CheckoutID: in.CheckoutID}, offerLife: cmp.Or(in.OfferLife, checkout.OfferLife),
	}
	if err := flow.listen(ctx); err != nil {
		return CheckoutResult{}, err
	}
	err := flow.run(ctx)
	flow.ended = true
	if err != nil {
		return CheckoutResult{}, err
	}
	err = workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
	return CheckoutResult{State: flow.state.State, Code: flow.state.Code}, err
}

type checkoutFlow struct {
	ref       activities.CheckoutRef
	offerLife time.Duration
	state     activities.CheckoutState
	progress  Progress
	ended     bool // nothing more will come of it

	news, cancel workflow.ReceiveChannel
}

// listen opens the run's doors.
func (f *checkoutFlow) listen(ctx workflow.Context) error {
	f.news = workflow.GetSignalChannel(ctx, SignalPaymentSettled)
	f.cancel = workflow.GetSignalChannel(ctx, SignalCancelled)
	return errors.Join(
		workflow.SetQueryHandler(ctx, QueryProgress, func() (Progress, error) { return f.progress, nil }),
		workflow.SetUpdateHandler(ctx, UpdateQuote, func(ctx workflow.Context) (activities.CheckoutState, error) {
			err := workflow.Await(ctx, func() bool {
				return f.ended || f.state.State != "" && f.state.State != checkout.Quoting
			})
			return f.state, err
		}),
	)
}

// run goes on from where the row stands.
func (f *checkoutFlow) run(ctx workflow.Context) (err error) {
	begun, _ := workflow.NewDisconnectedContext(ctx) // one that is cancelled at once has a row to end
	if f.state, err = runLocal(begun, checkoutActivities.BeginCheckout, f.ref); err != nil {
		return err
	}
	f.progress.record(ctx, StepBegun)
	switch f.state.State {
	case checkout.Quoting:
		if err = f.quote(ctx); err != nil {
			err = f.abandon(ctx, err)
		}
	case checkout.Expired, checkout.Cancelled, checkout.Failed: // there is news of a page that had ended
		err = f.recheck(ctx)
	default: // it is open, or was paid
	}
	if err == nil && f.state.State == checkout.Open {
		err = f.awaitPayment(ctx)
	}
	if err == nil && f.state.State == checkout.Paid && f.state.Code == checkout.CodeAlreadyMember {
		err = f.refund(ctx)
	}
	for err == nil && f.pendingSignals() && !f.state.State.Settled() {
		err = f.recheck(ctx)
	}
	return err
}

// pendingSignals takes what came while the run was ending, and says whether there was any.
func (f *checkoutFlow) pendingSignals() (came bool) {
	for f.news.ReceiveAsync(nil) || f.cancel.ReceiveAsync(nil) {
		came = true
	}
	return came
}

// recheck looks at a page that had ended: it may have been paid all the same, or the run
// before this one was ended before the discount was taken back.
func (f *checkoutFlow) recheck(ctx workflow.Context) error {
	if err := f.settle(ctx, ""); err != nil || f.state.State.Settled() {
		return err
	}
	return f.deleteCoupon(ctx)
}

// awaitPayment waits for the end of the page: news of it, its time, or somebody who gives
// up. Whatever wakes it, the payment service is asked.
func (f *checkoutFlow) awaitPayment(ctx workflow.Context) error {
	over := f.state.ExpiresAt.Add(checkout.Grace)
	for f.state.State == checkout.Open {
		closing, err := f.nextNews(ctx, over)
		if err != nil { // cancelled in the console
			ctx, _ = workflow.NewDisconnectedContext(ctx)
			closing = checkout.Cancelled
		}
		if err := f.settle(ctx, closing); err != nil {
			return err
		}
		over = slices.MaxFunc([]time.Time{over, workflow.Now(ctx).Add(recheckEvery)}, time.Time.Compare) // should the service not have ended it
	}
	f.progress.record(ctx, StepSettled)
	if f.state.State.Settled() {
		return nil
	}
	return f.deleteCoupon(ctx)
}

// recheckEvery is how often a page is looked at that should have ended and has not.
const recheckEvery = time.Minute

// nextNews waits for what comes first, and says what to do with a page that is not paid.
func (f *checkoutFlow) nextNews(ctx workflow.Context, over time.Time) (closing checkout.State, err error) {
	timing, stop := workflow.WithCancel(ctx)
	defer stop()
	selector := workflow.NewSelector(ctx)
	selector.AddFuture(workflow.NewTimer(timing, over.Sub(workflow.Now(ctx))), func(workflow.Future) { closing = checkout.Expired })
	selector.AddReceive(f.news, func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, nil) })
	selector.AddReceive(f.cancel, func(c workflow.ReceiveChannel, _ bool) {
		c.Receive(ctx, nil)
		closing = checkout.Cancelled
	})
	selector.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { err = ctx.Err() })
	selector.Select(ctx)
	return closing, err
}

// settle looks what became of the page, for as long as it takes: money may have come in.
func (f *checkoutFlow) settle(ctx workflow.Context, closing checkout.State) error {
	for f.news.ReceiveAsync(nil) { // one look answers all news so far
	}
	state, err := call(remote(ctx, stripeTimeout, 0), checkoutActivities.SettleCheckout, activities.SettleInput{
		CheckoutID: f.ref.CheckoutID, Close: closing,
	})
	if err == nil {
		f.state = state
	}
	return err
}

// deleteCoupon makes sure that the discount cannot be used any more. It is taken back also when
// the run was cancelled.
func (f *checkoutFlow) deleteCoupon(ctx workflow.Context) error {
	if f.state.DiscountPercent == 0 {
		return nil
	}
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	_, err := call(remote(ctx, stripeTimeout, 0), checkoutActivities.DeleteCoupon, activities.CouponInput{
		CheckoutID: f.ref.CheckoutID, Demo: f.state.Demo,
	})
	f.progress.record(ctx, StepTakenBack)
	return err
}

// refund refunds somebody who paid twice, also when the run was cancelled.
func (f *checkoutFlow) refund(ctx workflow.Context) error {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if _, err := call(remote(ctx, stripeTimeout, 0), checkoutActivities.RefundPayment, f.ref); err != nil {
		return err
	}
	state, err := call(remote(ctx, stripeTimeout, 0), checkoutActivities.RecordRefund, f.ref)
	if err == nil {
		f.state = state
	}
	f.progress.record(ctx, StepGivenBack)
	return err
}

// RefundInput names a checkout whose money goes back, or went.
type RefundInput struct {
	CheckoutID string
	Send       bool // a founder wants it sent; else it went already
}

// RefundResult says how the checkout stands afterwards.
type RefundResult struct {
	State checkout.State
}

// SignalRefunded says that the payment service has news of a refund.
const SignalRefunded = "refunded"

// RefundID is the workflow ID of a checkout's refund.
func RefundID(checkoutID string) string { return "refund:" + checkoutID }

// Refund sends money back if it is asked to, and books what went back: all of it freezes
// the seat and takes the fee's credits back.
func Refund(ctx workflow.Context, in RefundInput) (RefundResult, error) {
	ref, news := activities.CheckoutRef{CheckoutID: in.CheckoutID}, workflow.GetSignalChannel(ctx, SignalRefunded)
	if in.Send {
		if _, err := call(remote(ctx, stripeTimeout, 0), checkoutActivities.RefundPayment, ref); err != nil {
			return RefundResult{}, err
		}
	}
	for {
		for news.ReceiveAsync(nil) { // one look answers all news so far
		}
		state, err := call(remote(ctx, stripeTimeout, 0), checkoutActivities.RecordRefund, ref)
		if err != nil || news.Len() == 0 {
			return RefundResult{state.State}, err
		}
	}
}

// PaymentReconciliationID names the schedule and, with a time, its runs.
const PaymentReconciliationID = "payment-reconciliation"

// PaymentReconciliation looks for payments whose webhook never came.
func PaymentReconciliation(ctx workflow.Context) (activities.ReconcilePaymentsResult, error) {
	return call(remote(ctx, time.Minute, 5*time.Minute), checkoutActivities.ReconcilePayments, activities.NoInput{})
}

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

// abandon ends a checkout without a page, and takes the discount back: a step that failed may have been
// done. If it was the page, the checkout goes on with it.
func (f *checkoutFlow) abandon(ctx workflow.Context, err error) error {
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

// quote decides the price, makes the coupon and then the page.
func (f *checkoutFlow) quote(ctx workflow.Context) error {
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

// retryWithNewKey asks the payment service, under another key each time that it fails: a failure it
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
