package checkout

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/workflows"
)

// Receipt is a price with everything that made it. Amounts in cents.
type Receipt struct {
	ID        string         `json:"id"`
	State     string         `json:"state" enum:"quoting,open,paid,expired,cancelled,failed,refunded"`
	Reason    string         `json:"reason,omitempty" doc:"Why it ended so, for a person"`
	Demo      bool           `json:"demo" doc:"Test mode: nobody becomes a member"`
	Sandbox   bool           `json:"sandbox" doc:"No card was charged"`
	Run       httpapi.RunRef `json:"run" doc:"The run that took the payment"`
	CreatedAt time.Time      `json:"created_at"`
	DecidedAt *time.Time     `json:"decided_at,omitempty"`
	ExpiresAt *time.Time     `json:"expires_at,omitempty"`
	PaidAt    *time.Time     `json:"paid_at,omitempty"`

	Personal   bool     `json:"personal"`
	WhyNot     string   `json:"why_not,omitempty" enum:"dnt,gpc,chosen,unknown,used_up"`
	Inputs     *Inputs  `json:"inputs,omitempty" doc:"All that was used about you"`
	Source     string   `json:"source" enum:",model,rules,list" doc:"Who proposed the discount"`
	Fallback   string   `json:"fallback,omitempty" doc:"Why our rules stood in for the model: what came of its call"`
	Proposed   int      `json:"proposed_percent"`
	Reasoning  string   `json:"reasoning"`
	Clamps     []string `json:"clamps" enum:"above_maximum,below_zero,below_floor,over_budget" doc:"Rules that changed the proposal"`
	Model      *Asked   `json:"model,omitempty"`
	Disclosure string   `json:"disclosure,omitempty"`

	ListPrice       int    `json:"list_price"`
	DiscountPercent int    `json:"discount_percent"`
	DiscountAmount  int    `json:"discount_amount"`
	FinalPrice      int    `json:"final_price"`
	PaidAmount      int    `json:"paid_amount"`
	RefundedAmount  int    `json:"refunded_amount"`
	Currency        string `json:"currency" enum:"usd"`
	PaymentURL      string `json:"payment_url,omitempty" doc:"While it can be paid"`
}

// Inputs are what the price was set by.
type Inputs struct {
	Visits        int              `json:"visits"`
	TimeOnSite    int              `json:"time_on_site" doc:"In seconds"`
	ViewedPricing bool             `json:"viewed_pricing"`
	AddedToCart   bool             `json:"added_to_cart" doc:"Asked to buy before"`
	UserType      pricing.UserType `json:"user_type" enum:"new_visitor,returning_visitor,power_user"`
}

// Asked is what a model was asked, word for word, and answered.
type Asked struct {
	Name      string `json:"name"`
	Prompt    string `json:"prompt" doc:"Its version"`
	Question  string `json:"question"`
	Answer    string `json:"answer"`
	TokensIn  int    `json:"tokens_in"`
	TokensOut int    `json:"tokens_out"`
	TookMS    int    `json:"took_ms"`
}

func (a *API) GetReceipt(ctx context.Context, req *checkoutPath) (Receipt, error) {
	r, err := a.Checkouts.Receipt(ctx, req.ID)
	if err != nil {
		return Receipt{}, err
	}
	shown := a.showReceipt(r)
	if r.Decision.CallID != nil {
		c, err := a.ModelCalls.Call(ctx, *r.Decision.CallID)
		if err != nil {
			return Receipt{}, err
		}
		shown.Model = &Asked{c.Model, c.Prompt, c.Question, c.Answer, c.TokensIn, c.TokensOut, c.TookMS}
	}
	return shown, nil
}

func (a *API) showReceipt(r checkout.Receipt) Receipt {
	d := r.Decision
	shown := Receipt{
		ID: r.ID, State: string(r.State), Reason: r.Reason, Demo: r.Demo, Sandbox: a.Till.Sandbox || r.Demo,
		Run: httpapi.RunOf(workflows.CheckoutID(r.ID), r.RunID), CreatedAt: r.CreatedAt, DecidedAt: d.DecidedAt, ExpiresAt: r.ExpiresAt, PaidAt: r.PaidAt,
		Personal: d.Personal, WhyNot: string(d.ListPriceReason), Source: string(d.Source), Fallback: d.FallbackReason,
		Proposed: d.ProposedPercent, Reasoning: reasonOf(d), Clamps: []string{},
		ListPrice: d.ListCents, DiscountPercent: d.DiscountPercent, DiscountAmount: d.ListCents - d.FinalCents, FinalPrice: d.FinalCents,
		PaidAmount: r.PaidCents, RefundedAmount: r.RefundedCents, Currency: "usd",
	}
	for _, clamp := range d.ClampList() {
		shown.Clamps = append(shown.Clamps, string(clamp))
	}
	if d.Personal && !r.Demo { // a demo's facts are made up
		shown.Disclosure = pricing.Disclosure
	}
	if d.Personal {
		shown.Inputs = new(Inputs(d.Behaviour()))
	}
	if r.State == checkout.Open && r.ExpiresAt.After(a.Now()) {
		shown.PaymentURL = r.PaymentURL
	}
	return shown
}

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

func (a *API) ListCheckouts(ctx context.Context, req *listCheckoutsRequest) (Checkouts, error) {
	found, total, err := a.Checkouts.Checkouts(ctx, checkout.Filter{Paid: req.Paid, Limit: req.Limit, Offset: req.Offset})
	return Checkouts{httpapi.Map(found, showCheckout), req.Of(total)}, err
}

func showCheckout(c checkout.Listed) CheckoutEntry {
	shown := CheckoutEntry{
		ID: c.ID, State: string(c.State), Reason: c.Reason, Demo: c.Demo, Username: c.Username,
		PaidAmount: c.PaidCents, FeeAmount: c.FeeCents, RefundedAmount: c.RefundedCents, Refundable: c.Refundable(),
		CreatedAt: c.CreatedAt, PaidAt: c.PaidAt, Run: httpapi.RunOf(workflows.CheckoutID(c.ID), c.RunID),
	}
	if c.RefundedCents > 0 {
		shown.RefundRun = new(httpapi.RunOf(workflows.RefundID(c.ID), ""))
	}
	return shown
}
