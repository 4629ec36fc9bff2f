package checkouts

import (
	"time"

	"customerzero/internal/sandbox/stripe"
)

// page is a payment page, and the money that moved over it, as Stripe knows it. Amounts in
// cents.
type page struct {
	id, checkoutID, email string
	paid                  bool
	total                 int
	refunded, refunds     int // how much went back, and how often
}

// money lists all pages.
func (t *till) money() []page {
	payments := map[string]stripe.Payment{}
	for _, p := range t.Payments() {
		payments[p.ID] = p
	}
	refunds := map[string]int{}
	for _, r := range t.Refunds() {
		refunds[r.Payment]++
	}
	var pages []page
	for _, s := range t.Sessions() {
		pages = append(pages, page{
			id: s.ID, checkoutID: s.ClientReferenceID, email: s.Email, total: int(s.Total),
			paid:     s.Status == stripe.Complete && payments[s.Payment].Status == stripe.Succeeded,
			refunded: int(payments[s.Payment].Refunded), refunds: refunds[s.Payment],
		})
	}
	return pages
}

// event is something that happened at Stripe. Some are about money, and must be heeded.
type event struct {
	id    string
	money bool
}

func (t *till) events() []event {
	var all []event
	for _, e := range t.Events() {
		all = append(all, event{e.ID, e.Type == "checkout.session.completed" || e.Type == "charge.refunded"})
	}
	return all
}

// coupon is a discount as Stripe knows it.
type coupon struct {
	id, checkoutID    string
	deleted, redeemed bool
	created, ends     time.Time
}

func (t *till) discounts() []coupon {
	var all []coupon
	for _, c := range t.Coupons() {
		all = append(all, coupon{c.ID, c.Metadata["checkout"], c.Deleted, c.TimesRedeemed > 0, c.CreatedAt, c.RedeemBy})
	}
	return all
}
