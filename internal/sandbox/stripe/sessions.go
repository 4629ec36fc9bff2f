package stripe

import (
	"crypto/rand"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

const (
	leastCharge = 50 // cents
	mostCharge  = 99_999_999
	leastTime   = 30 * time.Minute
	mostTime    = 24 * time.Hour
)

func (c *call) createSession() (any, *refusal) {
	session := c.newSession()
	if c.fields.refused != nil {
		return nil, c.fields.refused
	}
	if refused := c.discount(&session); refused != nil {
		return nil, refused
	}
	if session.Total > 0 && session.Total < leastCharge {
		return nil, refuse("amount_too_small", "", "The Checkout Session's total amount due must add up to at least $0.50 usd")
	}
	c.putSession(session)
	return c.sessionJSON(session, c.expand), nil
}

// newSession reads a session from the parameters.
func (c *call) newSession() Session {
	f := c.fields
	f.only("mode", "payment")
	session := Session{
		ID: "cs_test_" + rand.Text(), Status: Open, ClientReferenceID: f.values.Get("client_reference_id"),
		Metadata: f.metadata(), SuccessURL: f.webURL("success_url"), CancelURL: f.webURL("cancel_url"),
		CreatedAt: c.now, ExpiresAt: c.readExpiry(),
	}
	f.required("success_url")
	for i := range f.list("payment_method_types") {
		f.only(at("payment_method_types", i), "card")
	}
	if f.count("discounts") > 1 {
		f.refuse(invalid("", "discounts", "You may only specify one discount"))
	}
	session.Name, session.Subtotal = readLine(f)
	session.Total = session.Subtotal
	return session
}

// readLine reads the only line item.
func readLine(f *fields) (name string, cents int64) {
	const item, price = "line_items[0]", "line_items[0][price_data]"
	if f.count("line_items") != 1 {
		f.refuse(invalid("", "line_items", "This sandbox supports one line item only"))
	}
	f.only(item+"[quantity]", "1")
	f.only(price+"[currency]", currency)
	f.required(price + "[unit_amount]")
	return f.required(price + "[product_data][name]"), f.integer(price+"[unit_amount]", 0, mostCharge)
}

func (c *call) readExpiry() time.Time {
	f, now := c.fields, c.now
	at := time.Unix(f.integer("expires_at", 0, 1<<40), 0).UTC()
	if at.Before(now.Truncate(time.Second).Add(c.st.shortest)) || at.After(now.Add(mostTime)) {
		f.refuse(invalid("", "expires_at", "The `expires_at` timestamp must be at least 30 minutes and at most 24 hours "+
			"from Checkout Session creation."))
	}
	return at
}

// discount applies the coupon. Payment checks again that it is unused, because two open sessions may have the
// same coupon.
func (c *call) discount(session *Session) *refusal {
	const param = "discounts[0][coupon]"
	id := c.fields.values.Get(param)
	if id == "" {
		return nil
	}
	coupon, found := c.coupon(id)
	switch {
	case !found:
		return missing(http.StatusBadRequest, param, "coupon", id)
	case !coupon.valid(c.now):
		return refuse("coupon_expired", param, "Coupon expired: %s", id)
	}
	session.Coupon, session.CouponSerial = coupon.ID, coupon.Serial
	session.Total -= int64(math.Round(float64(session.Subtotal) * coupon.PercentOff / 100))
	return nil
}

func (c *call) readSession() (any, *refusal) {
	session, found := c.session(c.id)
	if !found {
		return nil, missing(http.StatusNotFound, "session", "checkout.session", c.id)
	}
	return c.sessionJSON(session, c.expand), nil
}

func (c *call) expireSession() (any, *refusal) {
	session, found := c.session(c.id)
	switch {
	case !found:
		return nil, missing(http.StatusNotFound, "session", "checkout.session", c.id)
	case session.Status != Open:
		return nil, refuse("", "", "Only Checkout Sessions with a status in [\"open\"] can be expired. "+
			"This Checkout Session has a status of %s.", session.Status)
	}
	return c.sessionJSON(c.expire(session), c.expand), nil
}

var validCouponID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

func (c *call) createCoupon() (any, *refusal) {
	coupon := c.newCoupon()
	if c.fields.refused != nil {
		return nil, c.fields.refused
	}
	if _, taken := c.coupon(coupon.ID); taken {
		return nil, refuse("resource_already_exists", "id", "Coupon already exists.")
	}
	c.putCoupon(coupon)
	return couponJSON(coupon, c.now), nil
}

// newCoupon reads a coupon from the parameters.
func (c *call) newCoupon() Coupon {
	f := c.fields
	coupon := Coupon{
		Serial: rand.Text(), ID: f.values.Get("id"), PercentOff: percentOff(f),
		MaxRedemptions: f.integer("max_redemptions", 1, 1<<31-1), Metadata: f.metadata(), CreatedAt: c.now,
	}
	if f.has("duration") {
		f.only("duration", "once")
	}
	if !validCouponID.MatchString(coupon.ID) {
		f.refuse(invalid("", "id", "Invalid coupon ID: use at most 200 letters, digits, - and _"))
	}
	if f.has("redeem_by") {
		coupon.RedeemBy = time.Unix(f.integer("redeem_by", 0, 1<<40), 0).UTC()
		if !coupon.RedeemBy.After(c.now) {
			f.refuse(invalid("", "redeem_by", "Invalid timestamp: must be an integer Unix timestamp in the future"))
		}
	}
	return coupon
}

func percentOff(f *fields) float64 {
	raw := f.required("percent_off")
	percent, err := strconv.ParseFloat(raw, 64)
	if err != nil || !(percent > 0 && percent <= 100) { // rejects NaN too
		f.refuse(invalid("", "percent_off", "Invalid percent_off: must be a number greater than 0 and at most 100"))
	}
	return percent
}

func (c *call) readCoupon() (any, *refusal) {
	coupon, found := c.coupon(c.id)
	if !found {
		return nil, missing(http.StatusNotFound, "coupon", "coupon", c.id)
	}
	return couponJSON(coupon, c.now), nil
}

// deleteCoupon keeps discounts that were already applied.
func (c *call) deleteCoupon() (any, *refusal) {
	coupon, found := c.coupon(c.id)
	if !found {
		return nil, missing(http.StatusNotFound, "coupon", "coupon", c.id)
	}
	coupon.Deleted = true
	c.putCoupon(coupon)
	return wire{"id": coupon.ID, "object": "coupon", "deleted": true}, nil
}

const declinedMessage = "Your card was declined."

// fee is Stripe's fee for a charge: 2.9 % and 30 cents.
func fee(amount int64) int64 { return (amount*29+500)/1000 + 30 }

// attempt returns the session's payment and creates it on the first attempt.
func (t *tx) attempt(session *Session) Payment {
	if p, tried := t.payment(session.Payment); tried {
		return p
	}
	p := Payment{ID: "pi_" + rand.Text(), Session: session.ID, Amount: session.Total, CreatedAt: t.now}
	session.Payment = p.ID
	return p
}

// decline records a failed payment; the session stays open.
func (t *tx) decline(session Session) Session {
	p := t.attempt(&session)
	p.Status = Declined
	t.putPayment(p)
	t.putSession(session)
	t.emit("payment_intent.payment_failed", p.ID, paymentJSON(p, false))
	return session
}

// charge completes the payment, if the total is not 0.
func (t *tx) charge(session *Session) {
	if session.Total == 0 {
		return
	}
	p := t.attempt(session)
	p.Status, p.Fee, p.PaidAt = Succeeded, fee(p.Amount), t.now
	p.Charge, p.Balance = "ch_"+rand.Text(), "txn_"+rand.Text()
	t.putPayment(p)
}
