package stripe

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
)

const maxCouponID = 200 // characters

var validCouponID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

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

// newCoupon reads a coupon out of the parameters.
func (c *call) newCoupon() Coupon {
	f := c.fields
	coupon := Coupon{
		Serial: rand.Text(), ID: f.text("id", 200), Name: f.text("name", 40), PercentOff: percentOff(f),
		Duration: f.choice("duration", "once", "forever"), MaxRedemptions: f.integer("max_redemptions", 1, 1<<31-1),
		Metadata: f.metadata(), CreatedAt: c.now,
	}
	if coupon.ID == "" {
		coupon.ID = rand.Text()[:8]
	}
	if len(coupon.ID) > maxCouponID || !validCouponID.MatchString(coupon.ID) {
		f.refuse(invalid("", "id", "Invalid coupon ID: at most 200 letters, digits, - and _ can be in it"))
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
	raw := f.required("percent_off", 20)
	percent, err := strconv.ParseFloat(raw, 64)
	if err != nil || !(percent > 0 && percent <= 100) { // also what is not a number
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

// deleteCoupon leaves the discounts alone that were given already.
func (c *call) deleteCoupon() (any, *refusal) {
	coupon, found := c.coupon(c.id)
	if !found {
		return nil, missing(http.StatusNotFound, "coupon", "coupon", c.id)
	}
	coupon.Deleted = true
	c.putCoupon(coupon)
	return wire{"id": coupon.ID, "object": "coupon", "deleted": true}, nil
}

func (c *call) listCoupons() (any, *refusal) {
	coupons := slices.DeleteFunc(c.st.coupons.all(), func(coupon Coupon) bool { return coupon.Deleted })
	return page(c, coupons, func(coupon Coupon) string { return coupon.ID }, func(coupon Coupon) any { return couponJSON(coupon, c.now) })
}
