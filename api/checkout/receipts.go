package checkout

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/workflows"
)

// Receipt is a price with its calculation. Amounts are in cents.
type Receipt struct {
	ID        string         `json:"id" doc:"Checkout ID"`
	State     string         `json:"state" doc:"State of the checkout" enum:"quoting,open,paid,expired,cancelled,failed,refunded"`
	Reason    string         `json:"reason,omitempty" doc:"Human-readable reason for the state"`
	Demo      bool           `json:"demo" doc:"True for a demo in test mode, which creates no membership"`
	Sandbox   bool           `json:"sandbox" doc:"True if no card was charged"`
	Run       httpapi.RunRef `json:"run" doc:"Workflow run that handled the payment"`
	CreatedAt time.Time      `json:"created_at" doc:"Time of creation"`
	DecidedAt *time.Time     `json:"decided_at,omitempty" doc:"Time at which the price was set"`
	ExpiresAt *time.Time     `json:"expires_at,omitempty" doc:"Time at which the payment page expires"`
	PaidAt    *time.Time     `json:"paid_at,omitempty" doc:"Time of the payment"`

	Personal   bool     `json:"personal" doc:"True if the price is based on the visitor's page views"`
	WhyNot     string   `json:"why_not,omitempty" doc:"Why the price is not personal; omitted if it is" enum:"dnt,gpc,chosen,unknown,used_up"`
	Inputs     *Inputs  `json:"inputs,omitempty" doc:"All data about the visitor that was used; omitted if the price is not personal"`
	Source     string   `json:"source" enum:",model,rules,list" doc:"Whether a model, fixed rules or the list price decided; empty until then"`
	Fallback   string   `json:"fallback,omitempty" doc:"Why fixed rules replaced the model"`
	Proposed   int      `json:"proposed_percent" doc:"Proposed discount in percent"`
	Reasoning  string   `json:"reasoning" doc:"Human-readable reason for the price"`
	Clamps     []string `json:"clamps" enum:"above_maximum,below_zero,below_floor,over_budget" doc:"Limits that changed the proposal"`
	Model      *Asked   `json:"model,omitempty" doc:"Request to the model and its answer; omitted if no model was used"`
	Disclosure string   `json:"disclosure,omitempty" doc:"Legal notice that must be shown next to a personal price"`

	ListPrice       int    `json:"list_price" doc:"List price in cents"`
	DiscountPercent int    `json:"discount_percent" doc:"Discount in percent"`
	DiscountAmount  int    `json:"discount_amount" doc:"Discount in cents"`
	FinalPrice      int    `json:"final_price" doc:"Price to pay in cents"`
	PaidAmount      int    `json:"paid_amount" doc:"Paid amount in cents"`
	RefundedAmount  int    `json:"refunded_amount" doc:"Refunded amount in cents"`
	Dispute         string `json:"dispute,omitempty" doc:"State of the buyer's dispute at their bank; omitted without one" enum:"open,won,lost"`
	Currency        string `json:"currency" doc:"ISO 4217 code, always usd" enum:"usd"`
	PaymentURL      string `json:"payment_url,omitempty" doc:"URL of the payment page; omitted unless it can still be paid"`
}

// Inputs are the visitor's data that the price depends on.
type Inputs struct {
	Visits        int              `json:"visits" doc:"Number of page views"`
	TimeOnSite    int              `json:"time_on_site" doc:"Time on the site in seconds"`
	ViewedPricing bool             `json:"viewed_pricing" doc:"True if the visitor has seen the pricing page"`
	AddedToCart   bool             `json:"added_to_cart" doc:"True if the visitor has started a purchase before"`
	UserType      pricing.UserType `json:"user_type" doc:"Kind of visitor" enum:"new_visitor,returning_visitor,power_user"`
}

// Asked is a model call with its full prompt and answer.
type Asked struct {
	Name      string `json:"name" doc:"Name of the model"`
	Prompt    string `json:"prompt" doc:"Version of the prompt"`
	Question  string `json:"question" doc:"Text sent to the model"`
	Answer    string `json:"answer" doc:"Text that the model returned"`
	TokensIn  int    `json:"tokens_in" doc:"Number of input tokens"`
	TokensOut int    `json:"tokens_out" doc:"Number of output tokens"`
	TookMS    int    `json:"took_ms" doc:"Duration in milliseconds"`
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
		ID: r.ID, State: string(r.State), Reason: r.Reason, Demo: r.Demo, Sandbox: a.Pricing.Sandbox || r.Demo,
		Run: httpapi.RunOf(workflows.CheckoutID(r.ID), r.RunID), CreatedAt: r.CreatedAt, DecidedAt: d.DecidedAt, ExpiresAt: r.ExpiresAt, PaidAt: r.PaidAt,
		Personal: d.Personal, WhyNot: string(d.ListPriceReason), Source: string(d.Source), Fallback: d.FallbackReason,
		Proposed: d.ProposedPercent, Reasoning: reasonOf(d), Clamps: []string{},
		ListPrice: d.ListCents, DiscountPercent: d.DiscountPercent, DiscountAmount: d.ListCents - d.FinalCents, FinalPrice: d.FinalCents,
		PaidAmount: r.PaidCents, RefundedAmount: r.RefundedCents, Dispute: string(r.Dispute), Currency: "usd",
	}
	for _, clamp := range d.ClampList() {
		shown.Clamps = append(shown.Clamps, string(clamp))
	}
	if d.Personal && !r.Demo { // a demo uses made-up data
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

// Checkouts is a page of checkouts.
type Checkouts struct {
	Checkouts  []CheckoutEntry    `json:"checkouts" doc:"Checkouts, newest first"`
	Pagination httpapi.Pagination `json:"pagination" doc:"Position of this page in the whole list"`
}

// CheckoutEntry is a checkout in a list, without email addresses. Amounts are in cents.
type CheckoutEntry struct {
	ID             string          `json:"id" doc:"Checkout ID"`
	State          string          `json:"state" doc:"State of the checkout" enum:"quoting,open,paid,expired,cancelled,failed,refunded"`
	Reason         string          `json:"reason,omitempty" doc:"Human-readable reason for the state"`
	Demo           bool            `json:"demo" doc:"True for a demo in test mode, which creates no membership"`
	Username       string          `json:"username,omitempty" doc:"Name of the member who bought it; omitted if there is none"`
	PaidAmount     int             `json:"paid_amount" doc:"Paid amount in cents"`
	FeeAmount      int             `json:"fee_amount" doc:"Stripe's fee in cents; 0 if it is not known"`
	RefundedAmount int             `json:"refunded_amount" doc:"Refunded amount in cents"`
	Dispute        string          `json:"dispute,omitempty" doc:"State of the buyer's dispute at their bank; omitted without one" enum:"open,won,lost"`
	DisputedAmount int             `json:"disputed_amount" doc:"Amount in cents that disputes have withdrawn and not returned"`
	DisputeFee     int             `json:"dispute_fee_amount" doc:"Stripe's fees for disputes in cents"`
	Refundable     bool            `json:"refundable" doc:"True if refundCheckout can refund it"`
	CreatedAt      time.Time       `json:"created_at" doc:"Time of creation"`
	PaidAt         *time.Time      `json:"paid_at,omitempty" doc:"Time of the payment"`
	Run            httpapi.RunRef  `json:"run" doc:"Workflow run that handled the payment"`
	RefundRun      *httpapi.RunRef `json:"refund_run,omitempty" doc:"Workflow run that handled the refund or the dispute"`
}

type listCheckoutsRequest struct {
	Paid bool `query:"paid" doc:"Return only checkouts with a payment"`
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
		Dispute: string(c.Dispute), DisputedAmount: c.DisputedCents, DisputeFee: c.DisputeFeeCents,
		CreatedAt: c.CreatedAt, PaidAt: c.PaidAt, Run: httpapi.RunOf(workflows.CheckoutID(c.ID), c.RunID),
	}
	if c.RefundedCents > 0 || c.Dispute != checkout.NoDispute {
		shown.RefundRun = new(httpapi.RunOf(workflows.RefundID(c.ID), ""))
	}
	return shown
}
