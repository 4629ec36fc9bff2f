package checkout

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/checkout"
	"customerzero/workflows"
)

// Checkouts is a page of them.
type Checkouts struct {
	Checkouts  []CheckoutEntry    `json:"checkouts"`
	Pagination httpapi.Pagination `json:"pagination"`
}

// CheckoutEntry is one of them. Amounts in cents. Nobody's address is shown.
type CheckoutEntry struct {
	ID             string          `json:"id"`
	State          string          `json:"state" enum:"quoting,open,paid,expired,cancelled,failed,refunded"`
	Reason         string          `json:"reason,omitempty" doc:"Why it ended so, for a person"`
	Demo           bool            `json:"demo" doc:"Test mode: nobody becomes a member"`
	Username       string          `json:"username,omitempty" doc:"Of who became a member by it"`
	PaidAmount     int             `json:"paid_amount"`
	FeeAmount      int             `json:"fee_amount" doc:"What the payment service kept; 0 where it did not say"`
	RefundedAmount int             `json:"refunded_amount"`
	Refundable     bool            `json:"refundable" doc:"There is a payment that can be sent back"`
	CreatedAt      time.Time       `json:"created_at"`
	PaidAt         *time.Time      `json:"paid_at,omitempty"`
	Run            httpapi.RunRef  `json:"run" doc:"The run that took the payment"`
	RefundRun      *httpapi.RunRef `json:"refund_run,omitempty" doc:"The run that sent it back, or saw it go"`
}

type listCheckoutsRequest struct {
	Paid bool `query:"paid" doc:"Only those that money came in for"`
	httpapi.PageQuery
}

type checkoutsReply struct {
	CacheControl string `header:"Cache-Control"`
	Body         Checkouts
}

func (a *API) ListCheckouts(ctx context.Context, req *listCheckoutsRequest) (*checkoutsReply, error) {
	found, total, err := a.Checkouts.Checkouts(ctx, checkout.Filter{Paid: req.Paid, Limit: req.Limit, Offset: req.Offset})
	if err != nil {
		return nil, err
	}
	page := Checkouts{Checkouts: make([]CheckoutEntry, len(found)), Pagination: req.Of(total)}
	for i, c := range found {
		page.Checkouts[i] = a.showCheckout(c)
	}
	return &checkoutsReply{"no-store", page}, nil
}

func (a *API) showCheckout(c checkout.Listed) CheckoutEntry {
	shown := CheckoutEntry{
		ID: c.ID, State: string(c.State), Reason: c.Reason, Demo: c.Demo, Username: c.Username,
		PaidAmount: c.PaidCents, FeeAmount: c.FeeCents, RefundedAmount: c.RefundedCents, Refundable: c.Refundable(),
		CreatedAt: c.CreatedAt, PaidAt: c.PaidAt, Run: httpapi.RunOf(workflows.CheckoutID(c.ID), c.RunID),
	}
	if c.RefundedCents > 0 {
		run := httpapi.RunOf(workflows.RefundID(c.ID), "")
		shown.RefundRun = &run
	}
	return shown
}
