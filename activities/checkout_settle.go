package activities

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/rs/xid"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
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
	r, err := a.Book.Receipt(ctx, in.CheckoutID)
	if err != nil || r.State == checkout.Refunded || r.SessionID == nil {
		return checkoutState(r), err
	}
	page, err := a.look(ctx, r, in.Close)
	if isGone(err) { // a sandbox that was reset: nobody can pay it any more
		_, err = a.Book.CloseCheckout(ctx, r.ID, checkout.Expired, "payment_page_gone", "The payment page does not exist any more.", a.Now())
		return a.settled(ctx, r.ID, err)
	}
	if err != nil {
		return CheckoutState{}, asPaymentFailure(err)
	}
	switch {
	case page.Status == checkout.SessionComplete && page.Paid:
		err = a.admit(ctx, r, page)
	case page.Status == checkout.SessionExpired:
		ended := in.Close
		if ended == "" {
			ended = checkout.Expired
		}
		_, err = a.Book.CloseCheckout(ctx, r.ID, ended, "", endings[ended], a.Now())
	}
	return a.settled(ctx, r.ID, err)
}

// admit books a payment, and what of it went back before we knew of it: nobody tells us of that
// again.
func (a *Checkout) admit(ctx context.Context, r checkout.Receipt, page checkout.Session) error {
	_, err := a.Book.PayCheckout(ctx, r.ID, page, a.buyer(r, page), a.Now())
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
	r, err := a.Book.Receipt(ctx, in.CheckoutID)
	if err != nil || r.State != checkout.Quoting {
		return checkoutState(r), err
	}
	code := ""
	if in.State == checkout.Failed {
		code = checkout.CodeNoPage
	}
	_, err = a.Book.CloseCheckout(ctx, in.CheckoutID, in.State, code, in.Reason, a.Now())
	return a.settled(ctx, in.CheckoutID, err)
}

// buyer is who becomes a member. The address is theirs by the payment page's word; the link
// in the welcome letter proves it.
func (a *Checkout) buyer(r checkout.Receipt, page checkout.Session) checkout.Buyer {
	b := checkout.Buyer{MemberID: xid.New().String(), Username: checkout.NewUsername()}
	address, err := account.Canonical(page.Email)
	if err != nil {
		return b
	}
	token := account.NewToken()
	b.Welcome = &account.Welcome{Email: address, Token: token, Facts: map[string]string{
		"Name": "", "ClaimURL": a.Site + "/auth/claim#" + token,
		"Days": strconv.Itoa(int(account.ClaimLife / (24 * time.Hour))), "Credits": strconv.Itoa(member.FoundingCredits),
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
