package client

import (
	"context"

	"customerzero/internal/domain/checkout"
	"customerzero/workflows"
)

// Quote starts a checkout and waits until it has a price and a payment page, or has failed. The
// flow continues after it.
func (c *Client) Quote(ctx context.Context, checkoutID string) error {
	return c.startAndUpdate(ctx, options(workflows.CheckoutID(checkoutID)), workflows.UpdateQuote, workflows.Checkout, c.checkout(checkoutID))
}

// StartCheckout gives a checkout a run, unless it has an open one.
func (c *Client) StartCheckout(ctx context.Context, checkoutID string) error {
	_, err := c.start(ctx, options(workflows.CheckoutID(checkoutID)), workflows.Checkout, c.checkout(checkoutID))
	return err
}

// NotifyPayment signals the run that an event concerns. If the run has ended or was lost, a new
// one checks the payment page: each buyer gets exactly one membership.
func (c *Client) NotifyPayment(ctx context.Context, checkoutID string, kind checkout.EventKind) error {
	id, signal, flow, in := workflows.CheckoutID(checkoutID), workflows.SignalPaymentSettled, any(workflows.Checkout), any(c.checkout(checkoutID))
	if kind == checkout.Refund {
		id, signal, flow, in = workflows.RefundID(checkoutID), workflows.SignalRefunded, workflows.Refund, workflows.RefundInput{CheckoutID: checkoutID}
	}
	_, err := c.Temporal.SignalWithStartWorkflow(ctx, id, signal, nil, options(id), flow, in)
	return asProblem(err)
}

// CancelCheckout cancels a checkout for its buyer. One that has ended stays as it is.
func (c *Client) CancelCheckout(ctx context.Context, checkoutID string) error {
	return unlessGone(c.Temporal.SignalWorkflow(ctx, workflows.CheckoutID(checkoutID), "", workflows.SignalCancelled, nil))
}

// RefundCheckout refunds a checkout and waits until the refund is recorded.
func (c *Client) RefundCheckout(ctx context.Context, checkoutID string) error {
	return c.run(ctx, options(workflows.RefundID(checkoutID)), nil, workflows.Refund, workflows.RefundInput{CheckoutID: checkoutID, Send: true})
}

func (c *Client) checkout(id string) workflows.CheckoutInput {
	return workflows.CheckoutInput{CheckoutID: id, OfferLife: c.OfferLife}
}
