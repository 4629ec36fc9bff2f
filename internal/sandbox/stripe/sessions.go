package stripe

import (
	"crypto/rand"
	"math"
	"net/http"
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

// newSession reads a session out of the parameters.
func (c *call) newSession() Session {
	f := c.fields
	if mode := f.required("mode", 20); mode != "" && mode != "payment" {
		f.refuse(invalid("", "mode", "Invalid mode: this sandbox knows payment only"))
	}
	session := Session{
		ID: "cs_test_" + rand.Text(), Status: Open, ClientReferenceID: f.text("client_reference_id", 200),
		Metadata: f.metadata(), Lines: readLines(f), SuccessURL: f.webURL("success_url"), CancelURL: f.webURL("cancel_url"),
		CreatedAt: c.now, ExpiresAt: c.readExpiry(),
	}
	f.required("success_url", 5000)
	for i, kind := range f.list("payment_method_types") {
		if kind != "card" {
			f.refuse(invalid("", at("payment_method_types", i), "Invalid payment method type: this sandbox knows card only"))
		}
	}
	if f.count("discounts") > 1 {
		f.refuse(invalid("", "discounts", "You may only specify one discount"))
	}
	for _, line := range session.Lines {
		session.Subtotal += line.Total()
	}
	session.Total = session.Subtotal
	return session
}

func readLines(f *fields) []Line {
	var lines []Line
	for i := range f.count("line_items") {
		item := at("line_items", i)
		price := item + "[price_data]"
		if f.required(price+"[currency]", 3) != currency {
			f.refuse(invalid("", price+"[currency]", "Invalid currency: this sandbox knows usd only"))
		}
		f.required(price+"[unit_amount]", 20)
		f.required(item+"[quantity]", 20)
		lines = append(lines, Line{
			Name: f.required(price+"[product_data][name]", 250), Unit: f.integer(price+"[unit_amount]", 0, mostCharge),
			Quantity: f.integer(item+"[quantity]", 1, 1000),
		})
	}
	if len(lines) == 0 {
		f.refuse(invalid("parameter_missing", "line_items", "Missing required param: line_items."))
	}
	return lines
}

func (c *call) readExpiry() time.Time {
	f, now := c.fields, c.now
	if !f.has("expires_at") {
		return now.Add(mostTime).Truncate(time.Second)
	}
	at := time.Unix(f.integer("expires_at", 0, 1<<40), 0).UTC()
	if at.Before(now.Truncate(time.Second).Add(c.st.shortest)) || at.After(now.Add(mostTime)) {
		f.refuse(invalid("", "expires_at", "The `expires_at` timestamp must be at least 30 minutes and at most 24 hours "+
			"from Checkout Session creation."))
	}
	return at
}

// discount takes the coupon off the total. Whether it is used up is looked at again when
// somebody pays: two open sessions may have the same coupon.
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

func (c *call) listSessions() (any, *refusal) {
	return page(c, c.st.sessions.all(), Session.key, func(session Session) any { return c.sessionJSON(session, nil) })
}
