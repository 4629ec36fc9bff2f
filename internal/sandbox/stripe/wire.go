package stripe

import (
	"fmt"
	"time"
)

// wire is an object in Stripe's JSON format.
type wire = map[string]any

const currency = "usd"

// orNull returns null for a zero value, as Stripe does.
func orNull[T comparable](value T) any {
	var none T
	if value == none {
		return nil
	}
	return value
}

func unixOrNull(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.Unix()
}

func couponJSON(c Coupon, now time.Time) wire {
	return wire{
		"id": c.ID, "object": "coupon", "created": c.CreatedAt.Unix(), "duration": "once", "livemode": false,
		"max_redemptions": orNull(c.MaxRedemptions), "metadata": c.Metadata, "percent_off": c.PercentOff,
		"redeem_by": unixOrNull(c.RedeemBy), "times_redeemed": c.TimesRedeemed, "valid": c.valid(now),
	}
}

// sessionJSON encodes a session as of the transaction.
func (t *tx) sessionJSON(s Session, expand bool) wire {
	shown := wire{
		"id": s.ID, "object": "checkout.session", "amount_subtotal": s.Subtotal, "amount_total": s.Total,
		"client_reference_id": orNull(s.ClientReferenceID), "created": s.CreatedAt.Unix(), "currency": currency,
		"customer_details": nil, "expires_at": s.ExpiresAt.Unix(), "livemode": false, "metadata": s.Metadata, "mode": "payment",
		"payment_intent": orNull(s.Payment), "payment_status": s.paymentStatus(), "status": s.Status, "url": nil,
	}
	if s.Email != "" { // set by payment
		shown["customer_details"] = wire{"email": s.Email}
	}
	if s.Status == Open {
		shown["url"] = t.st.pagesURL + "/pay/" + s.ID
	}
	if p, tried := t.payment(s.Payment); tried && expand {
		shown["payment_intent"] = paymentJSON(p, expand)
	}
	return shown
}

func (s Session) paymentStatus() string {
	switch {
	case s.Total == 0:
		return "no_payment_required"
	case s.Status == Complete:
		return "paid"
	default:
		return "unpaid"
	}
}

func paymentJSON(p Payment, expand bool) wire {
	shown := wire{
		"id": p.ID, "object": "payment_intent", "amount": p.Amount, "created": p.CreatedAt.Unix(), "currency": currency,
		"latest_charge": orNull(p.Charge), "livemode": false, "status": p.Status,
	}
	if p.Charge != "" && expand {
		shown["latest_charge"] = chargeJSON(p, expand)
	}
	return shown
}

// chargeJSON encodes the charge of a successful payment.
func chargeJSON(p Payment, expand bool) wire {
	shown := wire{
		"id": p.Charge, "object": "charge", "amount": p.Amount, "amount_refunded": p.Refunded, "balance_transaction": p.Balance,
		"created": p.PaidAt.Unix(), "currency": currency, "disputed": p.Disputed, "livemode": false, "paid": true, "payment_intent": p.ID,
		"refunded": p.Refunded == p.Amount, "status": "succeeded",
	}
	if expand {
		shown["balance_transaction"] = wire{
			"id": p.Balance, "object": "balance_transaction", "amount": p.Amount, "created": p.PaidAt.Unix(), "currency": currency,
			"fee": p.Fee, "net": p.Amount - p.Fee, "source": p.Charge, "type": "charge",
		}
	}
	return shown
}

func refundJSON(r Refund) wire {
	status := "succeeded"
	if r.Failed {
		status = "failed"
	}
	return wire{
		"id": r.ID, "object": "refund", "amount": r.Amount, "created": r.CreatedAt.Unix(), "currency": currency,
		"payment_intent": r.Payment, "status": status,
	}
}

const disputeFee = 1500 // cents

func disputeJSON(d Dispute) wire {
	moves := []wire{moveJSON(d, d.Withdrawn, -1)}
	if d.Reinstated != "" {
		moves = append(moves, moveJSON(d, d.Reinstated, 1))
	}
	return wire{
		"id": d.ID, "object": "dispute", "amount": d.Amount, "balance_transactions": moves, "charge": d.Charge, "created": d.CreatedAt.Unix(),
		"currency": currency, "is_charge_refundable": false, "livemode": false, "payment_intent": d.Payment, "reason": "fraudulent", "status": d.Status,
	}
}

// moveJSON encodes the balance transaction that withdraws (-1) or reinstates (1) a dispute's amount and fee.
func moveJSON(d Dispute, id string, sign int64) wire {
	return wire{
		"id": id, "object": "balance_transaction", "amount": sign * d.Amount, "created": d.CreatedAt.Unix(), "currency": currency,
		"fee": -sign * disputeFee, "net": sign * (d.Amount + disputeFee), "source": d.ID, "type": "adjustment",
	}
}

// dollars formats cents as $9.00.
func dollars(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s$%d.%02d", sign, cents/100, cents%100)
}
