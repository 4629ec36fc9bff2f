package stripe

import (
	"crypto/rand"
	"net/http"
	"slices"
)

// refund refunds a payment, by API or by hand.
func (t *tx) refund(p Payment) (Refund, *refusal) {
	d, disputed := t.dispute(p)
	switch {
	case p.Status != Succeeded:
		return Refund{}, refuse("", "payment_intent", "This PaymentIntent (%s) does not have a successful charge to refund.", p.ID)
	case disputed && d.Status != Won:
		return Refund{}, refuse("charge_disputed", "", "Charge %s has been charged back; cannot issue a refund.", p.Charge)
	case p.Refunded > 0:
		return Refund{}, refuse("charge_already_refunded", "", "Charge %s has already been refunded.", p.Charge)
	}
	refund := Refund{ID: "re_" + rand.Text(), Payment: p.ID, Amount: p.Amount, CreatedAt: t.now}
	p.Refunded = p.Amount
	t.putPayment(p)
	t.change.Refunds = append(t.change.Refunds, refund)
	t.emit("charge.refunded", p.Charge, chargeJSON(p, false))
	t.emit("refund.created", refund.ID, refundJSON(refund))
	return refund, nil
}

// failRefund returns a refund from the buyer's bank.
func (t *tx) failRefund(p Payment) *refusal {
	refunds := t.st.refunds.all()
	i := slices.IndexFunc(refunds, func(r Refund) bool { return r.Payment == p.ID && !r.Failed })
	if i < 0 {
		return refuse("", "", "This payment has no refund.")
	}
	refund := refunds[i]
	refund.Failed, p.Refunded = true, 0
	t.putPayment(p)
	t.change.Refunds = append(t.change.Refunds, refund)
	for _, event := range []string{"refund.failed", "refund.updated", "charge.refund.updated"} {
		t.emit(event, refund.ID, refundJSON(refund))
	}
	return nil
}

// dispute returns the newest dispute of a payment, if any.
func (t *tx) dispute(p Payment) (Dispute, bool) {
	disputes := t.st.disputes.all()
	i := slices.IndexFunc(disputes, func(d Dispute) bool { return d.Payment == p.ID })
	if i < 0 {
		return Dispute{}, false
	}
	return disputes[i], true
}

// openDispute charges a payment back, as the buyer's bank does.
func (t *tx) openDispute(p Payment) *refusal {
	_, disputed := t.dispute(p)
	if p.Status != Succeeded || p.Refunded > 0 || disputed {
		return refuse("", "", "This payment cannot be disputed.")
	}
	d := Dispute{
		ID: "dp_" + rand.Text(), Payment: p.ID, Charge: p.Charge, Amount: p.Amount, Status: NeedsResponse,
		Withdrawn: "txn_" + rand.Text(), CreatedAt: t.now,
	}
	p.Disputed = true
	t.putPayment(p)
	t.putDispute(d, "charge.dispute.created", "charge.dispute.funds_withdrawn")
	return nil
}

// closeDispute decides an open dispute.
func (t *tx) closeDispute(p Payment, status DisputeStatus) *refusal {
	d, disputed := t.dispute(p)
	if !disputed || d.Status != NeedsResponse {
		return refuse("", "", "This payment has no open dispute.")
	}
	d.Status = status
	events := []string{"charge.dispute.updated", "charge.dispute.closed"}
	if status == Won {
		d.Reinstated = "txn_" + rand.Text()
		events = append(events, "charge.dispute.funds_reinstated")
	}
	t.putDispute(d, events...)
	return nil
}

func (t *tx) putDispute(d Dispute, events ...string) {
	t.change.Disputes = append(t.change.Disputes, d)
	for _, event := range events {
		t.emit(event, d.ID, disputeJSON(d))
	}
}

func (c *call) createRefund() (any, *refusal) {
	id := c.fields.required("payment_intent")
	if c.fields.refused != nil {
		return nil, c.fields.refused
	}
	p, found := c.payment(id)
	if !found {
		return nil, missing(http.StatusNotFound, "payment_intent", "payment_intent", id)
	}
	refund, refused := c.refund(p)
	if refused != nil {
		return nil, refused
	}
	return refundJSON(refund), nil
}

func (c *call) listRefunds() (any, *refusal) {
	payment := c.fields.values.Get("payment_intent")
	return list(c, c.st.refunds, func(r Refund) bool { return payment == "" || r.Payment == payment }, func(r Refund) any { return refundJSON(r) })
}

func (c *call) listDisputes() (any, *refusal) {
	payment := c.fields.values.Get("payment_intent")
	return list(c, c.st.disputes, func(d Dispute) bool { return payment == "" || d.Payment == payment }, func(d Dispute) any { return disputeJSON(d) })
}

const (
	usualListed = 10
	mostListed  = 100
)

// list encodes a page of the matching objects, newest first.
func list[T object](c *call, stored *table[T], matches func(T) bool, encode func(T) any) (any, *refusal) {
	limit := c.fields.integer("limit", 1, mostListed)
	if limit == 0 {
		limit = usualListed
	}
	found := slices.DeleteFunc(stored.all(), func(o T) bool { return !matches(o) })
	if after := c.fields.values.Get("starting_after"); after != "" {
		i := slices.IndexFunc(found, func(o T) bool { return o.key() == after })
		if i < 0 {
			return nil, missing(http.StatusBadRequest, "starting_after", "object", after)
		}
		found = found[i+1:]
	}
	shown := []any{}
	for _, o := range found[:min(int(limit), len(found))] {
		shown = append(shown, encode(o))
	}
	return wire{"object": "list", "url": c.path, "data": shown, "has_more": len(found) > len(shown)}, c.fields.refused
}
