package checkout

import (
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// DisputeState is the state of a payment that the buyer disputes at their bank.
type DisputeState string

const (
	NoDispute   DisputeState = "" // or an inquiry, which withdraws no money
	DisputeOpen DisputeState = "open"
	DisputeWon  DisputeState = "won" // by us: the money was reinstated
	DisputeLost DisputeState = "lost"
)

// TakesMoney reports whether the disputed amount is withdrawn.
func (d DisputeState) TakesMoney() bool { return d == DisputeOpen || d == DisputeLost }

// Stands reports whether the payment entitles to a membership: it was neither refunded nor charged back.
func (c Checkout) Stands() bool { return c.State == Paid && !c.Dispute.TakesMoney() }

// Refundable reports whether there is a payment to refund. The service refuses to refund a disputed one.
func (c Checkout) Refundable() bool { return c.Stands() && c.PaymentIntent != nil }

// FreezeCause is why a payment that does not stand freezes the membership.
func (c Checkout) FreezeCause() member.Cause {
	if c.Dispute.TakesMoney() {
		return member.ByDispute
	}
	return member.ByRefund
}

// Unrefundable is the refusal to refund a checkout that is not refundable.
func (c Checkout) Unrefundable() error {
	if c.State == Paid && c.Dispute.TakesMoney() {
		return problem.New(problem.Conflict, "This payment is disputed, so nothing was refunded. Stripe refunds it if the dispute is lost.")
	}
	return problem.New(problem.Conflict, "This checkout is %s, so nothing was refunded. Only paid checkouts can be refunded.", c.State)
}

// Reconcile sets the refunds and disputes of a paid checkout as the payment service reports them.
func (c *Checkout) Reconcile(page Session) {
	c.RefundedCents = min(max(0, page.RefundedCents), c.PaidCents)
	c.State = Paid
	if c.PaidCents > 0 && c.RefundedCents == c.PaidCents {
		c.State = Refunded
	}
	c.Dispute, c.DisputeFeeCents = page.Dispute, max(0, page.DisputeFeeCents)
	c.DisputedCents = min(max(0, page.DisputedCents), c.PaidCents)
}

// MoneyEvent is a change of a payment after it was paid.
type MoneyEvent string

const (
	FullyRefunded MoneyEvent = "refunded"
	RefundFailed  MoneyEvent = "refund_failed" // all or a part of a refund came back from the buyer's bank
	Disputed      MoneyEvent = "disputed"
	DisputeEnded  MoneyEvent = "dispute_ended" // won or lost
)

// EventsSince lists the changes from an earlier state that the member and the founders should know.
func (c Checkout) EventsSince(before Checkout) (events []MoneyEvent) {
	if c.State == Refunded && before.State != Refunded {
		events = append(events, FullyRefunded)
	}
	if c.RefundedCents < before.RefundedCents {
		events = append(events, RefundFailed)
	}
	switch {
	case c.Dispute == before.Dispute:
	case c.Dispute == DisputeOpen:
		events = append(events, Disputed)
	case c.Dispute != NoDispute || before.Dispute.TakesMoney(): // a withdrawn dispute may turn into an inquiry
		events = append(events, DisputeEnded)
	}
	return events
}

// MemberEmail returns the email about an event to the member, whose membership now has this status.
func (e MoneyEvent) MemberEmail(c Checkout, status member.Status, receiptURL string) (email.Kind, map[string]string) {
	if e == FullyRefunded {
		facts := map[string]string{"Amount": Dollars(c.RefundedCents), "ReceiptURL": receiptURL}
		switch status {
		case member.StatusActive:
			facts["Seat"] = "stays"
		case member.StatusRemoved: // a new payment does not restore it
			facts["Seat"] = "gone"
		case member.StatusFrozen:
		}
		return email.Refund, facts
	}
	paid := Dollars(c.PaidCents)
	title, what := "The dispute over your payment has ended", "The dispute over your payment of "+paid+" was decided in our favor or withdrawn."
	switch {
	case e == RefundFailed:
		title, what = "Your refund has failed", "Your bank returned our refund, so you have not received it. A founder will look for another way to send it."
	case c.Dispute == DisputeOpen:
		title, what = "Your payment is disputed", "Your bank informed us that you dispute your payment of "+paid+", and has withdrawn it from us until it decides. "+
			"If you did not mean to dispute it, ask your bank to withdraw the dispute."
	case c.Dispute == DisputeLost:
		what = "Your bank decided the dispute over your payment of " + paid + " in your favor, so you have your money back."
	}
	return email.MembershipChanged, map[string]string{"Title": title, "Text": what + " " + c.consequence(status)}
}

// consequence describes the membership after an event.
func (c Checkout) consequence(status member.Status) string {
	switch {
	case status == member.StatusRemoved:
		return "Your membership has already ended."
	case status == member.StatusActive && c.Stands():
		return "Your membership is active, with the credits of the fee."
	case status == member.StatusActive:
		return "Your membership continues, because you have paid for it again. The unused credits of this payment are removed."
	case c.Stands():
		return "Your membership stays frozen, because a founder froze it."
	default:
		return "Your membership is frozen: it has no share of the bot's posts, your votes do not count, and the unused credits of the fee are removed."
	}
}

// Alarm returns the facts of the email about an event to the founders, or nil if it needs none.
func (e MoneyEvent) Alarm(c Checkout, username string) map[string]string {
	who := "Somebody without a membership"
	if username != "" {
		who = "@" + username
	}
	var title, text string
	fee := Dollars(c.DisputeFeeCents)
	switch {
	case e == FullyRefunded:
		return nil // a founder requested it, or made it in Stripe
	case e == RefundFailed:
		title, text = "A refund has failed", "The buyer's bank returned a refund to "+who+". "+Dollars(c.RefundedCents)+" of "+Dollars(c.PaidCents)+
			" are refunded now. Refund the payment again, or send the money another way."
	case c.Dispute == DisputeOpen:
		title, text = "A payment is disputed", who+" disputes a payment. Stripe withdrew "+Dollars(c.DisputedCents)+" and charged a fee of "+fee+
			". Respond in Stripe's dashboard before its deadline."
	case c.Dispute == DisputeLost:
		title, text = "A dispute is lost", "The bank decided the dispute of "+who+" against us. It cost "+Dollars(c.DisputedCents)+" and a fee of "+fee+"."
	default:
		title, text = "A dispute is won", "The dispute of "+who+" was decided in our favor or withdrawn. Stripe still keeps "+Dollars(c.DisputedCents)+" and a fee of "+fee+"."
	}
	return map[string]string{"Title": title, "Text": text}
}

// RefusedPayment returns the facts of the email about a payment for a membership that a founder froze.
func RefusedPayment(receipt map[string]string) map[string]string {
	return map[string]string{
		"Title": "We're refunding your payment",
		"Text":  "You paid " + receipt["Paid"] + ", but a founder has frozen your membership, so a payment does not resume it. We are refunding the payment to your card.",
	}
}
