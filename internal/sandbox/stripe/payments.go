package stripe

import (
	"crypto/rand"
	"net/http"
	"slices"
)

const declinedMessage = "Your card was declined."

// fee is what Stripe keeps of a charge: 2.9 % and 30 cents.
func fee(amount int64) int64 { return (amount*29+500)/1000 + 30 }

// attempt gives the session's payment, which begins with the first try to pay.
func (t *tx) attempt(session *Session) Payment {
	if p, tried := t.payment(session.Payment); tried {
		return p
	}
	p := Payment{ID: "pi_" + rand.Text(), Session: session.ID, Amount: session.Total, CreatedAt: t.now}
	session.Payment = p.ID
	return p
}

// decline is a try to pay that failed; the session stays open.
func (t *tx) decline(session Session) Session {
	p := t.attempt(&session)
	p.Status = Declined
	t.putPayment(p)
	t.putSession(session)
	t.emit("payment_intent.payment_failed", p.ID, paymentJSON(p, nil))
	return session
}

// charge takes the money, if there is any to take.
func (t *tx) charge(session *Session) {
	if session.Total == 0 {
		return
	}
	p := t.attempt(session)
	p.Status, p.Fee, p.PaidAt = Succeeded, fee(p.Amount), t.now
	p.Charge, p.Balance = "ch_"+rand.Text(), "txn_"+rand.Text()
	t.putPayment(p)
}

func (c *call) readPayment() (any, *refusal) {
	p, found := c.payment(c.id)
	if !found {
		return nil, missing(http.StatusNotFound, "intent", "payment_intent", c.id)
	}
	return paymentJSON(p, c.expand), nil
}

// refund gives money back, as a client or somebody at the dashboard asks for it; 0: all
// that is left.
func (t *tx) refund(p Payment, amount int64, reason string, metadata map[string]string) (Refund, *refusal) {
	left := p.Amount - p.Refunded
	switch {
	case p.Status != Succeeded:
		return Refund{}, refuse("", "payment_intent", "This PaymentIntent (%s) does not have a successful charge to refund.", p.ID)
	case left == 0:
		return Refund{}, refuse("charge_already_refunded", "", "Charge %s has already been refunded.", p.Charge)
	case amount > left:
		return Refund{}, refuse("", "amount", "Refund amount (%s) is greater than unrefunded amount on charge (%s)",
			dollars(amount), dollars(left))
	case amount == 0:
		amount = left
	}
	refund := Refund{
		ID: "re_" + rand.Text(), Payment: p.ID, Charge: p.Charge, Balance: "txn_" + rand.Text(), Amount: amount,
		Reason: reason, Metadata: metadata, CreatedAt: t.now,
	}
	p.Refunded += amount
	t.putPayment(p)
	t.change.Refunds = append(t.change.Refunds, refund)
	t.emit("charge.refunded", p.Charge, chargeJSON(p, nil))
	return refund, nil
}

func (c *call) createRefund() (any, *refusal) {
	f := c.fields
	id := f.required("payment_intent", 100)
	amount := f.integer("amount", 1, mostCharge)
	reason := f.choice("reason", "", "duplicate", "fraudulent", "requested_by_customer")
	metadata := f.metadata()
	if f.refused != nil {
		return nil, f.refused
	}
	p, found := c.payment(id)
	if !found {
		return nil, missing(http.StatusNotFound, "payment_intent", "payment_intent", id)
	}
	refund, refused := c.refund(p, amount, reason, metadata)
	if refused != nil {
		return nil, refused
	}
	return refundJSON(refund), nil
}

func (c *call) listRefunds() (any, *refusal) {
	refunds := c.st.refunds.all()
	if id := c.fields.values.Get("payment_intent"); id != "" {
		refunds = slices.DeleteFunc(refunds, func(r Refund) bool { return r.Payment != id })
	}
	return page(c, refunds, Refund.key, func(r Refund) any { return refundJSON(r) })
}
