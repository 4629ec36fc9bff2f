package workflows

import (
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/checkout"
)

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
		if _, err := call(remote(ctx, askStripe, 0), till.RefundPayment, ref); err != nil {
			return RefundResult{}, err
		}
	}
	for {
		for news.ReceiveAsync(nil) { // one look answers all news so far
		}
		state, err := call(remote(ctx, askStripe, 0), till.RecordRefund, ref)
		if err != nil || news.Len() == 0 {
			return RefundResult{state.State}, err
		}
	}
}
