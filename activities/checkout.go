package activities

import (
	"context"
	"encoding/json"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/pricing"
)

// Checkout holds the activities of the flow that sells memberships.
type Checkout struct {
	Book     CheckoutBook
	Limits   Limits
	Calls    ModelCalls
	Payments Payments
	// DemoPayments are in test mode, always; nil where there is no test mode to be had.
	DemoPayments Payments
	Models       Models
	Runs         CheckoutRuns
	Budget       checkout.Budget
	Site         string // how people reach us
	Now          func() time.Time
}

// CheckoutBook keeps prices, checkouts and payments. *store.Checkouts implements it.
type CheckoutBook interface {
	Receipt(ctx context.Context, id string) (checkout.Receipt, error)
	NoteCheckoutRun(ctx context.Context, id, runID string, at time.Time) (checkout.Receipt, error)
	DecidePrice(ctx context.Context, decisionID string, p pricing.Proposal, b checkout.Budget, at time.Time) (pricing.Decision, error)
	OpenCheckout(ctx context.Context, id, couponID string, page checkout.Session, at time.Time) (checkout.Checkout, error)
	PayCheckout(ctx context.Context, id string, page checkout.Session, b checkout.Buyer, at time.Time) (checkout.Checkout, error)
	CloseCheckout(ctx context.Context, id string, state checkout.State, code, reason string, at time.Time) (checkout.Checkout, error)
	RefundCheckout(ctx context.Context, id string, refundedCents int, facts map[string]string, at time.Time) (checkout.Checkout, error)
	NoteEvent(ctx context.Context, e checkout.Event, at time.Time) (checkoutID string, heeded bool, err error)
	HeedEvent(ctx context.Context, id string, at time.Time) error
	OverdueCheckouts(ctx context.Context, before time.Time) ([]checkout.Checkout, error)
	LookedUntil(ctx context.Context) (*time.Time, error)
	SetLookedUntil(ctx context.Context, until time.Time) error
}

// Limits counts what may be done so often. *store.Limits implements it.
type Limits interface {
	Consume(ctx context.Context, limit account.Limit, whom string, at time.Time) error
}

// ModelCalls keeps what models are asked and answer. *store.ModelCalls implements it.
type ModelCalls interface {
	SaveCall(ctx context.Context, c model.Call) error
}

// Payments takes money. Every call is safe to repeat with the same offer. Failures are
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

// Models propose. The call says what came of it, whatever the error.
type Models interface {
	Ask(ctx context.Context, q model.Question, modelName string) (answer json.RawMessage, call model.Call, err error)
}

// CheckoutRuns wakes the runs that an event concerns.
type CheckoutRuns interface {
	HeedPayment(ctx context.Context, checkoutID string, m checkout.Matter) error
	StartCheckout(ctx context.Context, checkoutID string) error
}

type CheckoutRef struct{ CheckoutID string }

// CheckoutState is what the flow needs to know of a checkout.
type CheckoutState struct {
	State           checkout.State
	Decided         bool
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

// BeginCheckout notes the run that carries the checkout, and says where it stands: a run
// begun anew goes on from the row.
func (a *Checkout) BeginCheckout(ctx context.Context, in CheckoutRef) (CheckoutState, error) {
	r, err := a.Book.NoteCheckoutRun(ctx, in.CheckoutID, runOf(ctx), a.Now())
	return checkoutState(r), err
}

// read says where a checkout stands after a change of its row.
func (a *Checkout) read(ctx context.Context, id string) (CheckoutState, error) {
	r, err := a.Book.Receipt(ctx, id)
	return checkoutState(r), err
}

// payments are those of the checkout: the demo's are in test mode, always.
func (a *Checkout) payments(demo bool) Payments {
	if demo {
		return a.DemoPayments
	}
	return a.Payments
}
