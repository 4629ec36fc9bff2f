package activities

import (
	"context"
	"errors"

	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// DecideInput names a price to be decided.
type DecideInput struct {
	CheckoutID string
	DecisionID string
	Fallback   string // what came of the model's call, for the rules that stand in
}

// ProposePrice asks a model for a discount, and decides the price by it. A price is decided
// once, so a repeat does no harm; a call that failed is kept, too. When its time runs out
// before or after the call, the outcome is model.TimedOut as well.
func (a *Checkout) ProposePrice(ctx context.Context, in DecideInput) (state CheckoutState, err error) {
	defer func() {
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = temporal.NewNonRetryableApplicationError("the price was not proposed in time", string(model.TimedOut), nil)
		}
	}()
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil || r.Decision.State != pricing.Pending {
		return checkoutState(r), err
	}
	question, err := model.NewPrompt("price", r.Decision.Behaviour())
	if err != nil {
		return CheckoutState{}, err
	}
	if err := a.Limits.Consume(ctx, account.PricesByModels, "all", a.Now()); problem.CodeOf(err) == problem.TooMany {
		return CheckoutState{}, temporal.NewNonRetryableApplicationError("models priced enough for today", string(model.OutOfQuota), nil)
	} else if err != nil {
		return CheckoutState{}, err
	}
	asking, cancel := context.WithTimeout(ctx, pricing.ModelPatience)
	defer cancel()
	answer, call, err := a.Models.Ask(asking, question, "")
	if saveErr := a.Calls.SaveCall(context.WithoutCancel(ctx), call); err == nil {
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
	return a.decide(ctx, in, proposal)
}

// DecideByRules decides the price when no model did.
func (a *Checkout) DecidePriceByRules(ctx context.Context, in DecideInput) (CheckoutState, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil {
		return CheckoutState{}, err
	}
	proposal := pricing.Rules(r.Decision.Behaviour())
	proposal.Fallback = in.Fallback
	return a.decide(ctx, in, proposal)
}

func (a *Checkout) decide(ctx context.Context, in DecideInput, p pricing.Proposal) (CheckoutState, error) {
	if _, err := a.Store.DecidePrice(ctx, in.DecisionID, p, a.Budget, a.Now()); err != nil {
		return CheckoutState{}, err
	}
	return a.read(ctx, in.CheckoutID)
}

// asModelFailure tells the flow what came of a call, and whether another may do better.
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
