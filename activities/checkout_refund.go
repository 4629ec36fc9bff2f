package activities

import (
	"context"
	"strconv"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/problem"
)

// RefundPayment sends a checkout's money back, all of it. Safe to repeat: no more goes back than
// came in, and the service says when all of it did. So each try has a key of its own: a service
// that failed keeps its failure under the old one. Money that is booked as sent back is: the
// news of it may overtake the answer.
func (a *Checkout) RefundPayment(ctx context.Context, in CheckoutRef) (Done, error) {
	r, err := a.Book.Receipt(ctx, in.CheckoutID)
	if err != nil || r.State == checkout.Refunded {
		return Done{}, err
	}
	if r.PaymentIntent == nil || r.State != checkout.Paid {
		return Done{}, problem.New(problem.Conflict, "This checkout is %s; only a paid one can be refunded.", r.State)
	}
	key := "refund:" + r.ID + ":" + strconv.Itoa(int(activity.GetInfo(ctx).Attempt))
	return Done{}, asPaymentFailure(a.payments(r.Demo).Refund(ctx, *r.PaymentIntent, key))
}

// RecordRefund asks how much of a payment went back, and books it. Safe to repeat.
func (a *Checkout) RecordRefund(ctx context.Context, in CheckoutRef) (CheckoutState, error) {
	r, err := a.Book.Receipt(ctx, in.CheckoutID)
	if err != nil || r.State != checkout.Paid {
		return checkoutState(r), err
	}
	page, err := a.payments(r.Demo).Session(ctx, *r.SessionID)
	if err != nil {
		return CheckoutState{}, asPaymentFailure(err)
	}
	return a.settled(ctx, r.ID, a.recordRefund(ctx, r, page))
}

// recordRefund books what the page says went back.
func (a *Checkout) recordRefund(ctx context.Context, r checkout.Receipt, page checkout.Session) error {
	facts := map[string]string{"Amount": checkout.Dollars(page.RefundedCents), "ReceiptURL": a.receiptURL(r.ID)}
	_, err := a.Book.RefundCheckout(ctx, r.ID, page.RefundedCents, facts, a.Now())
	return err
}
