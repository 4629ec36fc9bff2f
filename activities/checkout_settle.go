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

// SettleInput identifies a checkout to settle. Close expires its page if it is not paid.
type SettleInput struct {
	CheckoutID string
	Close      checkout.State // Expired or Cancelled; empty only checks
}

// SettleCheckout reads the payment page, and makes the buyer a member if it was paid. It always reads
// the page itself instead of trusting an event. Safe to repeat: a missing step is completed.
func (a *Checkout) SettleCheckout(ctx context.Context, in SettleInput) (CheckoutState, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil || r.State == checkout.Refunded || r.SessionID == nil {
		return checkoutState(r), err
	}
	page, err := a.session(ctx, r, in.Close)
	if isGone(err) { // after a reset of the sandbox; it can't be paid any more
		_, err = a.Store.CloseCheckout(ctx, r.ID, checkout.Expired, "payment_page_gone", "The payment page no longer exists. Start a new checkout.", a.Now())
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

// admit records a payment, and refunds and disputes that happened before the payment was recorded, because no
// further event may report them.
func (a *Checkout) admit(ctx context.Context, r checkout.Receipt, page checkout.Session) error {
	c, err := a.Store.PayCheckout(ctx, r.ID, page, a.buyer(r, page), a.Now())
	if err != nil || page.RefundedCents == 0 && page.Dispute == checkout.NoDispute {
		return err
	}
	return a.reconcile(ctx, c.ID, r.Version, page)
}

var endings = map[checkout.State]string{
	checkout.Expired:   "The offer expired because it wasn't paid within 30 minutes. Nothing was charged.",
	checkout.Cancelled: "The checkout was cancelled. Nothing was charged.",
}

func (a *Checkout) settled(ctx context.Context, id string, err error) (CheckoutState, error) {
	if err != nil {
		return CheckoutState{}, err
	}
	return a.read(ctx, id)
}

func (a *Checkout) session(ctx context.Context, r checkout.Receipt, closing checkout.State) (checkout.Session, error) {
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

// AbandonInput holds why there is no payment page.
type AbandonInput struct {
	CheckoutID string
	State      checkout.State // Failed, or Cancelled
	Reason     string
}

// AbandonCheckout ends a checkout without a page. One whose page was opened but not confirmed is left
// alone: the page may have been shown.
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

// buyer returns the future member. The payment page supplies the email address; the link in the welcome
// email proves it.
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
	// overlap is searched again, because the service may list an event late.
	overlap = 10 * time.Minute
	// firstSearch is how far back the first round searches: the service deletes older events.
	firstSearch = 30 * 24 * time.Hour
	// overdue is how long after its end a page has certainly been settled by its own run.
	overdue = 2 * time.Minute
)

// ReconcilePaymentsResult counts what was missed.
type ReconcilePaymentsResult struct {
	Events int // events that no webhook delivered, or that were not handled
	Woken  int // checkouts whose run was lost
}

// ReconcilePayments searches the payment service's events for those whose webhook never arrived, and
// signals their runs. Safe to repeat.
func (a *Checkout) ReconcilePayments(ctx context.Context, _ NoInput) (ReconcilePaymentsResult, error) {
	var result ReconcilePaymentsResult
	began := a.Now()
	since, err := a.Store.EventsSearchedUntil(ctx)
	if err != nil {
		return result, err
	}
	from := began.Add(-firstSearch)
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
	if len(events) == eventsAtOnce { // oldest first; the next round continues from the last
		until = events[len(events)-1].CreatedAt.Add(overlap)
	}
	if result.Woken, err = a.wakeOverdue(ctx); err != nil {
		return result, err
	}
	return result, a.Store.SetEventsSearchedUntil(ctx, until)
}

// handle handles an event unless that was done. An event without a known checkout is skipped; the
// overlap of the rounds covers one whose checkout is not stored yet.
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

// wakeOverdue starts a run for checkouts that should have ended: their run was terminated.
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

// RefundPayment refunds all of a payment. Safe to repeat: the service refunds at most what was paid, and
// reports when that is done. Each attempt, and each refund after one that failed, has its own key, because the
// service keeps its answer under the old one. A payment already recorded as refunded is skipped: its event may
// arrive before the answer.
//
// It acts on what is stored, not on the run that calls it: a founder's request, or a buyer who is a member already.
func (a *Checkout) RefundPayment(ctx context.Context, in CheckoutRef) (Done, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil || r.State == checkout.Refunded {
		return Done{}, err
	}
	if !r.Refundable() {
		return Done{}, r.Unrefundable()
	}
	if r.Code != checkout.CodeAlreadyMember {
		requested, err := a.Store.RefundRequested(ctx, r.ID)
		if err != nil {
			return Done{}, err
		}
		if !requested {
			return Done{}, problem.New(problem.Forbidden, "No founder has requested this refund, so nothing was refunded. A founder can refund a checkout in the admin panel.")
		}
	}
	key := "refund:" + r.ID + ":" + strconv.Itoa(r.Version) + ":" + strconv.Itoa(int(activity.GetInfo(ctx).Attempt))
	return Done{}, asPaymentFailure(a.payments(r.Demo).Refund(ctx, *r.PaymentIntent, key))
}

// RecordRefund reads what was refunded and disputed of a payment, and stores it. Safe to repeat.
func (a *Checkout) RecordRefund(ctx context.Context, in CheckoutRef) (CheckoutState, error) {
	r, err := a.Store.Receipt(ctx, in.CheckoutID)
	if err != nil || !r.State.Settled() {
		return checkoutState(r), err
	}
	page, err := a.payments(r.Demo).Session(ctx, *r.SessionID)
	if err != nil {
		return CheckoutState{}, asPaymentFailure(err)
	}
	return a.settled(ctx, r.ID, a.reconcile(ctx, r.ID, r.Version, page))
}

func (a *Checkout) reconcile(ctx context.Context, id string, version int, page checkout.Session) error {
	_, err := a.Store.ReconcilePayment(ctx, id, version, page, a.receiptURL(id), a.Now())
	return err
}
