package activities

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// Checkout holds the activities of checkouts.
type Checkout struct {
	Store      CheckoutStore
	Limits     Limits
	ModelCalls ModelCalls
	Payments   Payments
	// DemoPayments always uses Stripe's test mode; nil if no test key is configured.
	DemoPayments Payments
	Models       Models // nil: fixed rules decide prices
	Runs         CheckoutRuns
	Budget       checkout.Budget
	Site         string // public base URL
	Now          func() time.Time
}

// CheckoutStore stores prices, checkouts and payments. *store.Checkouts implements it.
type CheckoutStore interface {
	Receipt(ctx context.Context, id string) (checkout.Receipt, error)
	NoteCheckoutRun(ctx context.Context, id, runID string, at time.Time) (checkout.Receipt, error)
	DecidePrice(ctx context.Context, decisionID string, p pricing.Proposal, b checkout.Budget, at time.Time) (pricing.Decision, error)
	OpenCheckout(ctx context.Context, id, couponID string, page checkout.Session, at time.Time) (checkout.Checkout, error)
	PayCheckout(ctx context.Context, id string, page checkout.Session, b checkout.Buyer, at time.Time) (checkout.Checkout, error)
	CloseCheckout(ctx context.Context, id string, state checkout.State, code, reason string, at time.Time) (checkout.Checkout, error)
	RefundRequested(ctx context.Context, id string) (bool, error)
	ReconcilePayment(ctx context.Context, id string, version int, page checkout.Session, receiptURL string, at time.Time) (checkout.Checkout, error)
	NoteEvent(ctx context.Context, e checkout.Event, at time.Time) (checkoutID string, handled bool, err error)
	MarkEventHandled(ctx context.Context, id string, at time.Time) error
	OverdueCheckouts(ctx context.Context, before time.Time) ([]checkout.Checkout, error)
	EventsSearchedUntil(ctx context.Context) (*time.Time, error)
	SetEventsSearchedUntil(ctx context.Context, until time.Time) error
}

// Limits counts the uses of rate limits. *store.Limits implements it.
type Limits interface {
	Consume(ctx context.Context, limit account.Limit, subject string, at time.Time) error
}

// ModelCalls stores model calls. *store.ModelCalls implements it.
type ModelCalls interface {
	SaveCall(ctx context.Context, c model.Call) error
}

// Payments is the payment service. Every call is safe to repeat with the same offer. Its errors are
// *checkout.PaymentError.
type Payments interface {
	CreateCoupon(ctx context.Context, o checkout.Offer) (couponID string, err error)
	DeleteCoupon(ctx context.Context, couponID string) error
	OpenSession(ctx context.Context, o checkout.Offer, couponID string) (checkout.Session, error)
	Session(ctx context.Context, id string) (checkout.Session, error)
	ExpireSession(ctx context.Context, id string) (checkout.Session, error)
	Refund(ctx context.Context, paymentIntent, key string) error
	Events(ctx context.Context, since time.Time, most int) ([]checkout.Event, error)
}

// Models answers prompts. The call is filled in even if there is an error.
type Models interface {
	Ask(ctx context.Context, q model.Prompt, modelName string) (answer json.RawMessage, call model.Call, err error)
}

// CheckoutRuns signals and starts the runs of checkouts.
type CheckoutRuns interface {
	NotifyPayment(ctx context.Context, checkoutID string, m checkout.EventKind) error
	StartCheckout(ctx context.Context, checkoutID string) error
}

type CheckoutRef struct{ CheckoutID string }

// CheckoutState is what the workflow needs to know of a checkout.
type CheckoutState struct {
	State           checkout.State
	Decided         bool
	ByRules         bool // no model is configured
	DecisionID      string
	ListCents       int
	DiscountPercent int
	ExpiresAt       *time.Time
	Demo            bool
	Code            string
	CreatedAt       time.Time
}

func checkoutState(r checkout.Receipt) CheckoutState {
	return CheckoutState{
		State: r.State, Decided: r.Decision.State != pricing.Pending, DecisionID: r.DecisionID, ListCents: r.Decision.ListCents,
		DiscountPercent: r.Decision.DiscountPercent, ExpiresAt: r.ExpiresAt, Demo: r.Demo, Code: r.Code, CreatedAt: r.CreatedAt,
	}
}

// BeginCheckout stores the run of a checkout, and returns its state, from which a restarted run resumes.
func (a *Checkout) BeginCheckout(ctx context.Context, in CheckoutRef) (CheckoutState, error) {
	r, err := a.Store.NoteCheckoutRun(ctx, in.CheckoutID, runOf(ctx), a.Now())
	state := checkoutState(r)
	state.ByRules = a.Models == nil
	return state, err
}

// read returns the state of a checkout after a change of its row.
func (a *Checkout) read(ctx context.Context, id string) (CheckoutState, error) {
	r, err := a.Store.Receipt(ctx, id)
	return checkoutState(r), err
}

func (a *Checkout) payments(demo bool) Payments {
	if demo {
		return a.DemoPayments
	}
	return a.Payments
}

// OfferInput defines a payment page. The price and the discount are those of the row, not those of the input: an
// operator may have written it.
type OfferInput struct {
	CheckoutID      string
	ListCents       int
	DiscountPercent int
	Attempt         int
	ExpiresAt       time.Time
	Demo            bool
	CouponID        string // empty for the list price
}

// offer returns the offer of a checkout that can be paid, once its price is decided.
func (a *Checkout) offer(ctx context.Context, in OfferInput) (checkout.Offer, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil {
		return checkout.Offer{}, err
	}
	if r.Decision.State == pricing.Pending || !r.State.Live() {
		return checkout.Offer{}, problem.New(problem.Conflict, "This checkout is %s, so it gets no payment page. Start a new checkout.", r.State)
	}
	return checkout.Offer{
		CheckoutID: r.ID, ListCents: r.Decision.ListCents, DiscountPercent: r.Decision.DiscountPercent, Attempt: in.Attempt,
		ExpiresAt: in.ExpiresAt, Demo: r.Demo,
		SuccessURL: a.Site + "/pricing/success?checkout=" + r.ID,
		CancelURL:  a.Site + "/pricing/cancelled?checkout=" + r.ID,
	}, nil
}

type CouponResult struct{ CouponID string }

// CreateCoupon creates the discount, for one redemption and as long as the offer is valid.
func (a *Checkout) CreateCoupon(ctx context.Context, in OfferInput) (CouponResult, error) {
	offer, err := a.offer(ctx, in)
	if err != nil {
		return CouponResult{}, err
	}
	id, err := a.payments(offer.Demo).CreateCoupon(ctx, offer)
	return CouponResult{id}, asOfferFailure(err)
}

// CreateCheckoutSession creates and stores the payment page. The idempotency key is the checkout's, so
// every repeat gets the same page.
func (a *Checkout) CreateCheckoutSession(ctx context.Context, in OfferInput) (CheckoutState, error) {
	offer, err := a.offer(ctx, in)
	if err != nil {
		return CheckoutState{}, err
	}
	coupon := ""
	if offer.DiscountPercent > 0 {
		coupon = checkout.CouponID(offer.CheckoutID)
	}
	page, err := a.payments(offer.Demo).OpenSession(ctx, offer, coupon)
	if err != nil {
		return CheckoutState{}, asOfferFailure(err)
	}
	if _, err := a.Store.OpenCheckout(ctx, in.CheckoutID, coupon, page, a.Now()); err != nil {
		return CheckoutState{}, err
	}
	return a.read(ctx, in.CheckoutID)
}

type CouponInput struct {
	CheckoutID string
	Demo       bool
}

// DeleteCoupon deletes the discount of a checkout that ended unpaid. Its ID is derived from the checkout, so a
// coupon whose creation was not confirmed is deleted too.
func (a *Checkout) DeleteCoupon(ctx context.Context, in CouponInput) (Done, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil || r.State.Live() || r.State.Settled() {
		return Done{}, err
	}
	return Done{}, asPaymentFailure(a.payments(r.Demo).DeleteCoupon(ctx, checkout.CouponID(r.ID)))
}

// PaymentBroken is the type of a failure that the payment service repeats for the same key: the next
// attempt needs a new one.
const PaymentBroken = "payment_broken"

// asOfferFailure marks failures after which an offer must be made under a new key.
func asOfferFailure(err error) error {
	failed, ok := errors.AsType[*checkout.PaymentError](err)
	if ok && failed.Class == checkout.PaymentBroken {
		return temporal.NewNonRetryableApplicationError(failed.Message, PaymentBroken, nil)
	}
	return asPaymentFailure(err)
}

// asPaymentFailure marks payment failures that a retry can't fix as final.
func asPaymentFailure(err error) error {
	failed, ok := errors.AsType[*checkout.PaymentError](err)
	if !ok {
		return err
	}
	switch failed.Class {
	case checkout.PaymentRefused, checkout.PaymentGone, checkout.PaymentForbidden:
		return temporal.NewNonRetryableApplicationError(failed.Message, failed.Code, nil)
	default:
		return temporal.NewApplicationError(failed.Message, failed.Code)
	}
}

// DecideInput identifies a price to decide.
type DecideInput struct {
	CheckoutID string
	DecisionID string
	Fallback   string // outcome of the model call, if the rules replace it
}

// ProposePrice calls a model for a discount, and decides the price by it. A price is decided once, so a
// repeat is harmless; a failed call is stored too. If the activity's time runs out before or after the
// call, the outcome is model.TimedOut as well.
func (a *Checkout) ProposePrice(ctx context.Context, in DecideInput) (state CheckoutState, err error) {
	defer func() {
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = temporal.NewNonRetryableApplicationError("the price was not proposed in time", string(model.TimedOut), nil)
		}
	}()
	if a.Models == nil { // the worker that began the run had a model
		return a.DecidePriceByRules(ctx, in)
	}
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil || r.Decision.State != pricing.Pending {
		return checkoutState(r), err
	}
	prompt, err := model.NewPrompt("price", r.Decision.Behaviour())
	if err != nil {
		return CheckoutState{}, err
	}
	if err := a.Limits.Consume(ctx, account.PricesByModels, "all", a.Now()); problem.CodeOf(err) == problem.TooMany {
		return CheckoutState{}, temporal.NewNonRetryableApplicationError("the daily limit of prices proposed by models is reached", string(model.OutOfQuota), nil)
	} else if err != nil {
		return CheckoutState{}, err
	}
	askCtx, cancel := context.WithTimeout(ctx, pricing.ModelPatience)
	defer cancel()
	answer, call, err := a.Models.Ask(askCtx, prompt, "")
	if saveErr := a.ModelCalls.SaveCall(context.WithoutCancel(ctx), call); err == nil {
		err = saveErr
	}
	if err != nil {
		return CheckoutState{}, asModelFailure(err)
	}
	proposal, err := pricing.ReadProposal(answer)
	if err != nil {
		return CheckoutState{}, err
	}
	proposal.CallID, proposal.Model, proposal.Prompt = &call.ID, call.Model, call.Prompt
	if _, err := a.Store.DecidePrice(ctx, r.DecisionID, proposal, a.Budget, a.Now()); err != nil {
		return CheckoutState{}, err
	}
	return a.read(ctx, in.CheckoutID)
}

// DecidePriceByRules decides the price if there is no model, or if it failed.
func (a *Checkout) DecidePriceByRules(ctx context.Context, in DecideInput) (CheckoutState, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil {
		return CheckoutState{}, err
	}
	proposal := pricing.Rules(r.Decision.Behaviour())
	proposal.Fallback = in.Fallback
	if _, err := a.Store.DecidePrice(ctx, r.DecisionID, proposal, a.Budget, a.Now()); err != nil {
		return CheckoutState{}, err
	}
	return a.read(ctx, in.CheckoutID)
}

// asModelFailure converts a failed model call to an application error, final if a retry can't help.
func asModelFailure(err error) error {
	failed, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err
	}
	if !failed.Retry {
		return temporal.NewNonRetryableApplicationError(failed.Message, string(failed.Outcome), nil)
	}
	return temporal.NewApplicationErrorWithOptions(failed.Message, string(failed.Outcome),
		temporal.ApplicationErrorOptions{NextRetryDelay: failed.RetryAfter})
}
