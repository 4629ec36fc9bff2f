package activities

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/rs/xid"
	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// SettleInput names a checkout to be looked at. Close ends its page if it is not paid, and
// says why.
type SettleInput struct {
	CheckoutID string
	Close      checkout.State // Expired or Cancelled; empty: only look
}

// SettleCheckout looks what became of the payment page, and makes the buyer a member if it
// was paid. The page is asked every time: no event is believed. Safe to repeat, and what was
// not booked yet is booked then.
func (a *Checkout) SettleCheckout(ctx context.Context, in SettleInput) (CheckoutState, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil || r.State == checkout.Refunded || r.SessionID == nil {
		return checkoutState(r), err
	}
	page, err := a.look(ctx, r, in.Close)
	if isGone(err) { // a sandbox that was reset: nobody can pay it any more
		_, err = a.Store.CloseCheckout(ctx, r.ID, checkout.Expired, "payment_page_gone", "The payment page does not exist any more.", a.Now())
		return a.settled(ctx, r.ID, err)
	}
	if err != nil {
		return CheckoutState{}, asPaymentFailure(err)
	}
	switch {
	case page.Status == checkout.SessionComplete && page.Paid:
		err = a.admit(ctx, r, page)
	case page.Status == checkout.SessionExpired:
		ended := cmp.Or(in.Close, checkout.Expired)
		_, err = a.Store.CloseCheckout(ctx, r.ID, ended, "", endings[ended], a.Now())
	}
	return a.settled(ctx, r.ID, err)
}

// admit books a payment, and what of it went back before we knew of it: nobody tells us of that
// again.
func (a *Checkout) admit(ctx context.Context, r checkout.Receipt, page checkout.Session) error {
	_, err := a.Store.PayCheckout(ctx, r.ID, page, a.buyer(r, page), a.Now())
	if err != nil || page.RefundedCents == 0 {
		return err
	}
	return a.recordRefund(ctx, r, page)
}

var endings = map[checkout.State]string{
	checkout.Expired:   "Nobody paid within half an hour, so the offer ended. Nothing was charged.",
	checkout.Cancelled: "The checkout was cancelled. Nothing was charged.",
}

func (a *Checkout) settled(ctx context.Context, id string, err error) (CheckoutState, error) {
	if err != nil {
		return CheckoutState{}, err
	}
	return a.read(ctx, id)
}

func (a *Checkout) look(ctx context.Context, r checkout.Receipt, closing checkout.State) (checkout.Session, error) {
	payments := a.payments(r.Demo)
	if closing != "" {
		return payments.ExpireSession(ctx, *r.SessionID)
	}
	return payments.Session(ctx, *r.SessionID)
}

func isGone(err error) bool {
	failed, ok := errors.AsType[*checkout.PaymentError](err)
	return ok && failed.Class == checkout.PaymentGone
}

// AbandonInput says why there is no payment page to be had.
type AbandonInput struct {
	CheckoutID string
	State      checkout.State // Failed, or Cancelled
	Reason     string
}

// AbandonCheckout ends a checkout that has no page. One whose page was opened after all, with the
// answer lost, stays as it is: it may have been shown to somebody.
func (a *Checkout) AbandonCheckout(ctx context.Context, in AbandonInput) (CheckoutState, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil || r.State != checkout.Quoting {
		return checkoutState(r), err
	}
	code := ""
	if in.State == checkout.Failed {
		code = checkout.CodeNoPage
	}
	_, err = a.Store.CloseCheckout(ctx, in.CheckoutID, in.State, code, in.Reason, a.Now())
	return a.settled(ctx, in.CheckoutID, err)
}

// buyer is who becomes a member. The address is theirs by the payment page's word; the link
// in the welcome email proves it.
func (a *Checkout) buyer(r checkout.Receipt, page checkout.Session) checkout.Buyer {
	b := checkout.Buyer{MemberID: xid.New().String(), Username: checkout.NewUsername()}
	address, err := account.Canonical(page.Email)
	if err != nil {
		return b
	}
	token := account.NewToken()
	b.Welcome = &account.Welcome{Email: address, Token: token, Facts: map[string]string{
		"Name": "", "ActivationURL": a.Site + "/auth/claim#" + token,
		"Days": strconv.Itoa(int(account.ActivationLinkLife / (24 * time.Hour))), "Credits": strconv.Itoa(member.FoundingCredits),
	}}
	b.Receipt = map[string]string{
		"Paid": checkout.Dollars(page.TotalCents), "List": checkout.Dollars(r.Decision.ListCents), "Discount": "",
		"Date": a.Now().UTC().Format("2 January 2006"), "ReceiptURL": a.receiptURL(r.ID),
	}
	if r.Decision.DiscountPercent > 0 {
		b.Receipt["Discount"] = strconv.Itoa(r.Decision.DiscountPercent) + " %"
	}
	return b
}

func (a *Checkout) receiptURL(id string) string { return a.Site + "/receipts/" + id }

const (
	eventsAtOnce = 500
	// overlap is looked through again: the service may list an event a little late.
	overlap = 10 * time.Minute
	// firstLook is how far back the first round looks: the service forgets events after that.
	firstLook = 30 * 24 * time.Hour
	// overdue is how long after its end a page is surely settled by its own run.
	overdue = 2 * time.Minute
)

// ReconcilePaymentsResult counts what had been missed.
type ReconcilePaymentsResult struct {
	Events int // that no webhook had brought, or that had not been acted on
	Woken  int // checkouts whose run was gone
}

// ReconcilePayments looks through the payment service's events for those whose webhook never
// came, and wakes the runs that they concern. Safe to repeat.
func (a *Checkout) ReconcilePayments(ctx context.Context, _ NoInput) (ReconcilePaymentsResult, error) {
	var result ReconcilePaymentsResult
	began := a.Now()
	since, err := a.Store.EventsSearchedUntil(ctx)
	if err != nil {
		return result, err
	}
	from := began.Add(-firstLook)
	if since != nil {
		from = since.Add(-overlap)
	}
	events, err := a.Payments.Events(ctx, from, eventsAtOnce)
	if err != nil {
		return result, asPaymentFailure(err)
	}
	until := began
	for _, e := range events {
		missed, err := a.handle(ctx, e)
		if err != nil {
			return result, err
		}
		if missed {
			result.Events++
		}
	}
	if len(events) == eventsAtOnce { // the oldest come first; the next round goes on from the last
		until = events[len(events)-1].CreatedAt.Add(overlap)
	}
	if result.Woken, err = a.wakeOverdue(ctx); err != nil {
		return result, err
	}
	return result, a.Store.SetEventsSearchedUntil(ctx, until)
}

// handle acts on an event, unless that was done. One that is not ours, or not yet, is left: the
// rounds overlap.
func (a *Checkout) handle(ctx context.Context, e checkout.Event) (missed bool, err error) {
	id, handled, err := a.Store.NoteEvent(ctx, e, a.Now())
	if err != nil || handled || id == "" {
		return false, err
	}
	if err := a.Runs.NotifyPayment(ctx, id, e.Kind()); err != nil {
		return false, err
	}
	return true, a.Store.MarkEventHandled(ctx, e.ID, a.Now())
}

// wakeOverdue gives a run to checkouts that should have ended: theirs was ended by force.
func (a *Checkout) wakeOverdue(ctx context.Context) (int, error) {
	late, err := a.Store.OverdueCheckouts(ctx, a.Now().Add(-overdue))
	if err != nil {
		return 0, err
	}
	for _, c := range late {
		if err := a.Runs.StartCheckout(ctx, c.ID); err != nil {
			return 0, err
		}
	}
	return len(late), nil
}

// RefundPayment sends a checkout's money back, all of it. Safe to repeat: no more goes back than
// came in, and the service says when all of it did. So each try has a key of its own: a service
// that failed keeps its failure under the old one. Money that is booked as sent back is: the
// news of it may overtake the answer.
func (a *Checkout) RefundPayment(ctx context.Context, in CheckoutRef) (Done, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
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
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
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
	_, err := a.Store.RefundCheckout(ctx, r.ID, page.RefundedCents, facts, a.Now())
	return err
}
