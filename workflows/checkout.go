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

// CheckoutInput identifies a stored checkout.
type CheckoutInput struct {
	CheckoutID string
	OfferLife  time.Duration // how long the offer can be paid; checkout.OfferLife if 0
}

// CheckoutResult is the outcome of a checkout. The buyer stays in the database.
type CheckoutResult struct {
	State checkout.State
	Code  string
}

const (
	// UpdateQuote waits until there is a price and a payment page, or the checkout has failed.
	UpdateQuote = "quote"
	// SignalPaymentSettled reports an event of the payment page.
	SignalPaymentSettled = "payment-settled"
	// SignalCancelled reports that the buyer has cancelled.
	SignalCancelled = "cancelled"
	// QueryProgress returns the completed steps.
	QueryProgress = "progress"
)

// CheckoutID is the workflow ID of a checkout.
func CheckoutID(id string) string { return "checkout:" + id }

// Checkout sells a membership: it decides a price, opens a payment page, and waits until it is paid,
// cancelled or expired. Unless it ends paid, its discount is deleted.
func Checkout(ctx workflow.Context, in CheckoutInput) (CheckoutResult, error) {
	flow := &checkoutFlow{
		ref: activities.CheckoutRef{CheckoutID: in.CheckoutID}, offerLife: cmp.Or(in.OfferLife, checkout.OfferLife),
	}
	if err := flow.setHandlers(ctx); err != nil {
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
	ended     bool

	events, cancel workflow.ReceiveChannel
}

func (f *checkoutFlow) setHandlers(ctx workflow.Context) error {
	f.events = workflow.GetSignalChannel(ctx, SignalPaymentSettled)
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

// run continues from the state of the row.
func (f *checkoutFlow) run(ctx workflow.Context) (err error) {
	begun, _ := workflow.NewDisconnectedContext(ctx) // even a run that is cancelled at once must end its row
	if f.state, err = runLocal(begun, checkoutActivities.BeginCheckout, f.ref); err != nil {
		return err
	}
	f.progress.record(ctx, StepBegun)
	switch f.state.State {
	case checkout.Quoting:
		if err = f.quote(ctx); err != nil {
			err = f.abandon(ctx, err)
		}
	case checkout.Expired, checkout.Cancelled, checkout.Failed: // an event of a page that had ended
		err = f.recheck(ctx)
	default: // open or paid
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

// pendingSignals receives the signals that arrived while the run was ending, and reports whether there
// were any.
func (f *checkoutFlow) pendingSignals() (received bool) {
	for f.events.ReceiveAsync(nil) || f.cancel.ReceiveAsync(nil) {
		received = true
	}
	return received
}

// recheck settles a page that had ended: it may have been paid anyway, or the previous run may have been
// terminated before the discount was deleted.
func (f *checkoutFlow) recheck(ctx workflow.Context) error {
	if err := f.settle(ctx, ""); err != nil || f.state.State.Settled() {
		return err
	}
	return f.deleteCoupon(ctx)
}

// awaitPayment waits for an event of the page, its expiry, or a cancellation, and settles the page after
// each.
func (f *checkoutFlow) awaitPayment(ctx workflow.Context) error {
	deadline := f.state.ExpiresAt.Add(checkout.Grace)
	for f.state.State == checkout.Open {
		closing, err := f.nextEvent(ctx, deadline)
		if err != nil { // the workflow was cancelled
			ctx, _ = workflow.NewDisconnectedContext(ctx)
			closing = checkout.Cancelled
		}
		if err := f.settle(ctx, closing); err != nil {
			return err
		}
		deadline = slices.MaxFunc([]time.Time{deadline, workflow.Now(ctx).Add(recheckEvery)}, time.Time.Compare) // in case the service has not expired it
	}
	f.progress.record(ctx, StepSettled)
	if f.state.State.Settled() {
		return nil
	}
	return f.deleteCoupon(ctx)
}

// recheckEvery is how often a page is checked that should have ended and has not.
const recheckEvery = time.Minute

// nextEvent waits for the next event, and returns the state in which to close an unpaid page, if any.
func (f *checkoutFlow) nextEvent(ctx workflow.Context, deadline time.Time) (closing checkout.State, err error) {
	timing, stop := workflow.WithCancel(ctx)
	defer stop()
	selector := workflow.NewSelector(ctx)
	selector.AddFuture(workflow.NewTimer(timing, deadline.Sub(workflow.Now(ctx))), func(workflow.Future) { closing = checkout.Expired })
	selector.AddReceive(f.events, func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, nil) })
	selector.AddReceive(f.cancel, func(c workflow.ReceiveChannel, _ bool) {
		c.Receive(ctx, nil)
		closing = checkout.Cancelled
	})
	selector.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { err = ctx.Err() })
	selector.Select(ctx)
	return closing, err
}

// settle reads the state of the page, and retries without limit, because money may have been paid.
func (f *checkoutFlow) settle(ctx workflow.Context, closing checkout.State) error {
	for f.events.ReceiveAsync(nil) { // one check covers all events so far
	}
	state, err := call(remote(ctx, stripeTimeout, 0), checkoutActivities.SettleCheckout, activities.SettleInput{
		CheckoutID: f.ref.CheckoutID, Close: closing,
	})
	if err == nil {
		f.state = state
	}
	return err
}

// deleteCoupon deletes the discount, even after a cancellation.
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

// refund refunds a buyer who is already a member, even after a cancellation.
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

// RefundInput identifies a checkout that is refunded, or was refunded or disputed.
type RefundInput struct {
	CheckoutID string
	Send       bool // a founder requested a refund, as the audit log must show; otherwise only what Stripe reports is recorded
}

// RefundResult is the state of the checkout afterwards.
type RefundResult struct {
	State checkout.State
}

// SignalRefunded reports an event of a refund or a dispute.
const SignalRefunded = "refunded"

// RefundID is the workflow ID of a checkout's refunds and disputes.
func RefundID(checkoutID string) string { return checkout.RefundRun(checkoutID) }

// Refund refunds a payment if requested, and records what was refunded or disputed: a full refund or a dispute
// freezes the membership and takes the fee's credits back, until the refund fails or the dispute is won.
func Refund(ctx workflow.Context, in RefundInput) (RefundResult, error) {
	ref, events := activities.CheckoutRef{CheckoutID: in.CheckoutID}, workflow.GetSignalChannel(ctx, SignalRefunded)
	if in.Send {
		if _, err := call(remote(ctx, stripeTimeout, 0), checkoutActivities.RefundPayment, ref); err != nil {
			return RefundResult{}, err
		}
	}
	for {
		for events.ReceiveAsync(nil) { // one check covers all events so far
		}
		state, err := call(remote(ctx, stripeTimeout, 0), checkoutActivities.RecordRefund, ref)
		if err != nil || events.Len() == 0 {
			return RefundResult{state.State}, err
		}
	}
}

// PaymentReconciliationID is the ID of the schedule and, with a time, of its runs.
const PaymentReconciliationID = "payment-reconciliation"

// PaymentReconciliation searches for payments whose webhook never arrived.
func PaymentReconciliation(ctx workflow.Context) (activities.ReconcilePaymentsResult, error) {
	return call(remote(ctx, time.Minute, 5*time.Minute), checkoutActivities.ReconcilePayments, activities.NoInput{})
}

// Progress lists the completed steps of a checkout.
type Progress struct{ Steps []ProgressStep }

// ProgressStep is a step and when it was completed.
type ProgressStep struct {
	Name string
	At   time.Time
}

// Steps of a checkout.
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

// quoteTries is how often a failing payment service is retried with a new key while the buyer waits.
const quoteTries = 3

// modelTries is how often a model is called for one price, since each call costs money.
const modelTries = 2

// abandon ends a checkout without a page, and deletes the discount, because a failed step may have
// succeeded. If the page was opened, the checkout continues with it.
func (f *checkoutFlow) abandon(ctx workflow.Context, err error) error {
	ending := activities.AbandonInput{
		CheckoutID: f.ref.CheckoutID, State: checkout.Failed,
		Reason: "The payment service could not be reached, so nothing was charged. Try again in a moment.",
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

// quote decides the price, and creates the coupon and then the page.
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

// decide gets a price from a model, or from the rules if there is none, or if it fails or is slow.
func (f *checkoutFlow) decide(ctx workflow.Context) error {
	if f.state.Decided {
		return nil
	}
	in := activities.DecideInput{CheckoutID: f.ref.CheckoutID, DecisionID: f.state.DecisionID}
	var state activities.CheckoutState
	var err error
	if !f.state.ByRules {
		state, err = runLocalWith(interactive(ctx, modelTimeout, modelTimeout, modelTries), checkoutActivities.ProposePrice, in)
		if temporal.IsCanceledError(err) {
			return err
		}
		if err != nil {
			in.Fallback = fallbackOf(err)
		}
	}
	if f.state.ByRules || err != nil {
		state, err = runLocal(ctx, checkoutActivities.DecidePriceByRules, in)
	}
	f.state = state
	f.progress.record(ctx, StepDecided)
	return err
}

// fallbackOf returns the outcome of a failed model call.
func fallbackOf(err error) string {
	if temporal.IsTimeoutError(err) {
		return string(model.TimedOut)
	}
	failed, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok {
		return string(model.Failed)
	}
	switch outcome := model.Outcome(failed.Type()); outcome {
	case model.TimedOut, model.Malformed, model.Overlong, model.Forbidden, model.OutOfQuota:
		return string(outcome)
	default: // other failures have a type as well
		return string(model.Failed)
	}
}

// retryWithNewKey retries a call with a new key, because the payment service keeps a failure under the
// old one. An object that a lost attempt may have created was never shown.
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
