package checkout

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// DemoRequest is a quote for a made-up visitor.
type DemoRequest struct {
	UserData UserData `json:"user_data" doc:"Made-up visitor"`
}

// UserData holds everything that a price may depend on.
type UserData struct {
	Visits        int              `json:"visits" doc:"Number of page views" minimum:"1" maximum:"20"`
	TimeOnSite    int              `json:"time_on_site" minimum:"10" maximum:"600" doc:"Time on the site in seconds"`
	ViewedPricing bool             `json:"viewed_pricing" doc:"True if the visitor has seen the pricing page"`
	AddedToCart   bool             `json:"added_to_cart" doc:"True if the visitor has started a purchase before"`
	UserType      pricing.UserType `json:"user_type" doc:"Kind of visitor" enum:"new_visitor,returning_visitor,power_user"`
}

// DemoFlow is the result of a demo.
type DemoFlow struct {
	Success bool      `json:"success" doc:"Always true" enum:"true"`
	Flow    DemoSteps `json:"flow" doc:"Result of each step"`
}

// DemoSteps are the steps of a checkout.
type DemoSteps struct {
	Analysis   DemoAnalysis   `json:"step_1_ai_analysis" doc:"Proposed discount"`
	Coupon     DemoCoupon     `json:"step_2_coupon_created" doc:"Discount after the limits were applied"`
	Ready      DemoReady      `json:"step_3_checkout_ready" doc:"Payment page in Stripe's test mode"`
	CheckoutID string         `json:"checkout_id" doc:"Checkout ID, for getReceipt"`
	ReceiptURL string         `json:"receipt_url" doc:"URL of the receipt page"`
	Run        httpapi.RunRef `json:"run" doc:"Workflow run of the checkout"`
}

// DemoAnalysis is the proposed discount.
type DemoAnalysis struct {
	AISuggestion int    `json:"ai_suggestion" doc:"Proposed discount in percent, before the limits are applied"`
	Reason       string `json:"reason" doc:"Human-readable reason"`
	Source       string `json:"source" doc:"Whether a model or fixed rules proposed it" enum:"model,rules"`
	Model        string `json:"model,omitempty" doc:"Name of the model; omitted if rules proposed it"`
}

// DemoCoupon is the discount after our rules.
type DemoCoupon struct {
	CouponID        *string  `json:"coupon_id" doc:"Stripe coupon ID; null if there is no discount"`
	DiscountPercent int      `json:"discount_percent" doc:"Discount in percent"`
	Clamps          []string `json:"clamps" doc:"Limits that changed the proposal" enum:"above_maximum,below_zero,below_floor,over_budget"`
}

// DemoReady is the payment page. Amounts are in cents.
type DemoReady struct {
	OriginalPrice   int    `json:"original_price" doc:"List price in cents"`
	DiscountedPrice int    `json:"discounted_price" doc:"Price to pay in cents"`
	Savings         int    `json:"savings" doc:"Discount in cents"`
	CheckoutURL     string `json:"checkout_url" doc:"URL of the payment page"`
}

func (a *API) DemoCheckout(ctx context.Context, req *httpapi.Body[DemoRequest]) (DemoFlow, error) {
	if !a.Pricing.Demo {
		return DemoFlow{}, problem.New(problem.Unavailable, "The pricing demo is unavailable: no Stripe test key is configured. Nothing was charged.")
	}
	if err := a.consumeQuote(ctx, httpapi.CallerOf(ctx)); err != nil {
		return DemoFlow{}, err
	}
	r, err := a.quote(ctx, checkout.Request{ID: checkout.NewID(), Personal: true, Demo: true, Behaviour: pricing.Behaviour(req.Body.UserData)})
	return DemoFlow{true, a.demoSteps(r)}, err
}

func (a *API) demoSteps(r checkout.Receipt) DemoSteps {
	shown := a.showReceipt(r)
	var couponID *string
	if r.CouponID != "" {
		couponID = &r.CouponID
	}
	return DemoSteps{
		Analysis:   DemoAnalysis{shown.Proposed, shown.Reasoning, shown.Source, r.Decision.Model},
		Coupon:     DemoCoupon{couponID, shown.DiscountPercent, shown.Clamps},
		Ready:      DemoReady{shown.ListPrice, shown.FinalPrice, shown.DiscountAmount, r.PaymentURL},
		CheckoutID: r.ID, ReceiptURL: a.receiptURL(r.ID), Run: shown.Run,
	}
}
