package workflows

import (
	"context"
	"errors"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"customerzero/internal/domain/checkout"
)

// Quote starts a checkout, and waits until there is a price and a page to pay it, or none to
// be had. The flow goes on after it.
func (c *Client) Quote(ctx context.Context, checkoutID string) error {
	start := c.Temporal.NewWithStartWorkflowOperation(checkoutOptions(checkoutID), Checkout, c.offer(checkoutID))
	return c.startAnd(ctx, start, UpdateQuote)
}

// StartCheckout gives a checkout a run, unless one carries it.
func (c *Client) StartCheckout(ctx context.Context, checkoutID string) error {
	_, err := c.Temporal.ExecuteWorkflow(ctx, checkoutOptions(checkoutID), Checkout, c.offer(checkoutID))
	return asProblem(err)
}

// NotifyPayment tells the run that an event concerns. A run that has ended, or was lost, is
// begun anew, and looks: money in means member in.
func (c *Client) NotifyPayment(ctx context.Context, checkoutID string, m checkout.EventKind) error {
	if m == checkout.Refund {
		_, err := c.Temporal.SignalWithStartWorkflow(ctx, RefundID(checkoutID), SignalRefunded, nil,
			refundOptions(checkoutID), Refund, RefundInput{CheckoutID: checkoutID})
		return asProblem(err)
	}
	_, err := c.Temporal.SignalWithStartWorkflow(ctx, CheckoutID(checkoutID), SignalPaymentSettled, nil,
		checkoutOptions(checkoutID), Checkout, c.offer(checkoutID))
	return asProblem(err)
}

// CancelCheckout tells a checkout that its buyer gives up. One that has ended stays as it is.
func (c *Client) CancelCheckout(ctx context.Context, checkoutID string) error {
	err := c.Temporal.SignalWorkflow(ctx, CheckoutID(checkoutID), "", SignalCancel, nil)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil
	}
	return asProblem(err)
}

// RefundCheckout sends a checkout's money back, and waits until that is booked.
func (c *Client) RefundCheckout(ctx context.Context, checkoutID string) error {
	run, err := c.Temporal.ExecuteWorkflow(ctx, refundOptions(checkoutID), Refund, RefundInput{CheckoutID: checkoutID, Send: true})
	if err != nil {
		return asProblem(err)
	}
	return asProblem(run.Get(ctx, nil))
}

func (c *Client) offer(checkoutID string) CheckoutInput {
	return CheckoutInput{CheckoutID: checkoutID, OfferLife: c.OfferLife}
}

func checkoutOptions(checkoutID string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: CheckoutID(checkoutID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("checkout"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}
}

func refundOptions(checkoutID string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: RefundID(checkoutID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("refund"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}
}
