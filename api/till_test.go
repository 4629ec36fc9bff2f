package api_test

import (
	"context"
	"encoding/json"
	"time"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// Quote does what the flow would: the rules decide, and a page opens.
func (r *runs) Quote(ctx context.Context, id string) error {
	if err := r.note("quote " + id); err != nil {
		_, err := r.db.Checkouts.CloseCheckout(ctx, id, checkout.Failed, checkout.CodeNoPage, "No page.", now)
		return err
	}
	c, err := r.db.Checkouts.Receipt(ctx, id)
	if err != nil {
		return err
	}
	d, err := r.db.Checkouts.DecidePrice(ctx, c.DecisionID, pricing.Rules(c.Decision.Behaviour()), checkout.Budget{FloorCents: 600, MonthCents: 10000}, now)
	if err != nil {
		return err
	}
	page := checkout.Session{ID: "cs_" + id, URL: "http://example.com/sandbox/stripe/pay/" + id, TotalCents: d.FinalCents, ExpiresAt: now.Add(checkout.OfferLife)}
	_, err = r.db.Checkouts.OpenCheckout(ctx, id, checkout.CouponID(id), page, now)
	return err
}

func (r *runs) NotifyPayment(_ context.Context, id string, m checkout.EventKind) error {
	return r.note("heed " + string(m) + " " + id)
}

func (r *runs) CancelCheckout(_ context.Context, id string) error {
	return r.note("cancel checkout " + id)
}

// RefundCheckout sends the money back, unless the test says that a run was joined that does not.
func (r *runs) RefundCheckout(ctx context.Context, id string) error {
	if err := r.note("refund " + id); err != nil || r.joined {
		return err
	}
	_, err := r.db.Checkouts.RefundCheckout(ctx, id, 900, nil, now)
	return err
}

// signed believes what is signed "good"; the payment service's own way is tested where it is read.
type signed struct{}

func (signed) ReadEvent(payload []byte, signature string, _ time.Time) (checkout.Event, error) {
	var e checkout.Event
	if signature != "good" {
		return e, problem.New(problem.Unauthorized, "forged")
	}
	if json.Unmarshal(payload, &e) != nil {
		return e, problem.New(problem.Invalid, "This is signed, but it is no event.")
	}
	return e, nil
}
