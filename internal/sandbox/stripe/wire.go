package stripe

import (
	"fmt"
	"time"
)

// wire is an object as Stripe shows it.
type wire = map[string]any

const currency = "usd"

// orNull returns what Stripe shows for a value that is not there.
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

// labels shows metadata: an object, never null.
func labels(metadata map[string]string) map[string]string {
	if metadata == nil {
		return map[string]string{}
	}
	return metadata
}

func couponJSON(c Coupon, now time.Time) wire {
	return wire{
		"id": c.ID, "object": "coupon", "amount_off": nil, "created": c.CreatedAt.Unix(), "currency": nil,
		"duration": "once", "duration_in_months": nil, "livemode": false, "max_redemptions": orNull(c.MaxRedemptions),
		"metadata": labels(c.Metadata), "name": orNull(c.Name), "percent_off": c.PercentOff,
		"redeem_by": unixOrNull(c.RedeemBy), "times_redeemed": c.TimesRedeemed, "valid": c.valid(now),
	}
}

// sessionJSON is a session as it stands in the transaction.
func (t *tx) sessionJSON(s Session, expand bool) wire {
	shown := wire{
		"id": s.ID, "object": "checkout.session", "amount_subtotal": s.Subtotal, "amount_total": s.Total,
		"cancel_url": orNull(s.CancelURL), "client_reference_id": orNull(s.ClientReferenceID), "created": s.CreatedAt.Unix(),
		"currency": currency, "customer": nil, "customer_details": s.customerJSON(), "customer_email": nil,
		"expires_at": s.ExpiresAt.Unix(), "livemode": false, "metadata": labels(s.Metadata), "mode": "payment",
		"payment_intent": orNull(s.Payment), "payment_method_types": []string{"card"}, "payment_status": s.paymentStatus(),
		"status": s.Status, "success_url": s.SuccessURL, "url": nil,
		"total_details": wire{"amount_discount": s.Subtotal - s.Total, "amount_shipping": 0, "amount_tax": 0},
	}
	if s.Status == Open {
		shown["url"] = t.st.pagesURL + "/pay/" + s.ID
	}
	if p, tried := t.payment(s.Payment); tried && expand {
		shown["payment_intent"] = paymentJSON(p, expand)
	}
	return shown
}

// customerJSON is what the buyer told, once they paid.
func (s Session) customerJSON() any {
	if s.Email == "" {
		return nil
	}
	return wire{"address": nil, "email": s.Email, "name": nil, "phone": nil, "tax_exempt": "none", "tax_ids": []any{}}
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
		"id": p.ID, "object": "payment_intent", "amount": p.Amount, "amount_capturable": 0, "amount_received": p.received(),
		"capture_method": "automatic", "created": p.CreatedAt.Unix(), "currency": currency, "customer": nil,
		"last_payment_error": nil, "latest_charge": orNull(p.Charge), "livemode": false, "metadata": wire{},
		"payment_method_types": []string{"card"}, "status": p.Status,
	}
	if p.Status == Declined {
		shown["last_payment_error"] = wire{
			"type": "card_error", "code": "card_declined", "decline_code": "generic_decline", "message": declinedMessage,
		}
	}
	if p.Charge != "" && expand {
		shown["latest_charge"] = chargeJSON(p, expand)
	}
	return shown
}

func (p Payment) received() int64 {
	if p.Status == Succeeded {
		return p.Amount
	}
	return 0
}

// chargeJSON is the charge of a payment that succeeded.
func chargeJSON(p Payment, expand bool) wire {
	shown := wire{
		"id": p.Charge, "object": "charge", "amount": p.Amount, "amount_captured": p.Amount, "amount_refunded": p.Refunded,
		"balance_transaction": p.Balance, "captured": true, "created": p.PaidAt.Unix(), "currency": currency, "customer": nil,
		"disputed": false, "livemode": false, "metadata": wire{}, "paid": true, "payment_intent": p.ID,
		"refunded": p.Refunded == p.Amount, "status": "succeeded",
	}
	if expand {
		shown["balance_transaction"] = balanceJSON(p)
	}
	return shown
}

// balanceJSON describes what Stripe kept of a charge.
func balanceJSON(p Payment) wire {
	return wire{
		"id": p.Balance, "object": "balance_transaction", "amount": p.Amount, "available_on": p.PaidAt.Unix(),
		"created": p.PaidAt.Unix(), "currency": currency, "description": nil, "exchange_rate": nil, "fee": p.Fee,
		"fee_details": []wire{{
			"amount": p.Fee, "application": nil, "currency": currency, "description": "Stripe processing fees", "type": "stripe_fee",
		}},
		"net": p.Amount - p.Fee, "reporting_category": "charge", "source": p.Charge, "status": "pending", "type": "charge",
	}
}

func refundJSON(r Refund) wire {
	return wire{
		"id": r.ID, "object": "refund", "amount": r.Amount, "balance_transaction": r.Balance, "charge": r.Charge,
		"created": r.CreatedAt.Unix(), "currency": currency, "metadata": wire{}, "payment_intent": r.Payment, "reason": nil,
		"status": "succeeded",
	}
}

// dollars shows an amount of cents: $9.00.
func dollars(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s$%d.%02d", sign, cents/100, cents%100)
}
