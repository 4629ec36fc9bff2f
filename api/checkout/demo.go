package checkout

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// DemoRequest is a made-up visitor.
type DemoRequest struct {
	UserData UserData `json:"user_data"`
}

// UserData is what a price may depend on.
type UserData struct {
	Visits        int              `json:"visits" minimum:"1" maximum:"20"`
	TimeOnSite    int              `json:"time_on_site" minimum:"10" maximum:"600" doc:"In seconds"`
	ViewedPricing bool             `json:"viewed_pricing"`
	AddedToCart   bool             `json:"added_to_cart"`
	UserType      pricing.UserType `json:"user_type" enum:"new_visitor,returning_visitor,power_user"`
}

// DemoFlow is what came of it, step by step.
type DemoFlow struct {
	Success bool      `json:"success" enum:"true"`
	Flow    DemoSteps `json:"flow"`
}

// DemoSteps are the steps of the flow.
type DemoSteps struct {
	Analysis   DemoAnalysis   `json:"step_1_ai_analysis"`
	Coupon     DemoCoupon     `json:"step_2_coupon_created"`
	Ready      DemoReady      `json:"step_3_checkout_ready"`
	CheckoutID string         `json:"checkout_id"`
	ReceiptURL string         `json:"receipt_url"`
	Run        httpapi.RunRef `json:"run"`
}

// DemoAnalysis is what was proposed.
type DemoAnalysis struct {
	AISuggestion int    `json:"ai_suggestion" doc:"In percent, before our rules"`
	Reason       string `json:"reason"`
	Source       string `json:"source" enum:"model,rules"`
	Model        string `json:"model,omitempty"`
}

// DemoCoupon is what of it counts.
type DemoCoupon struct {
	CouponID        string   `json:"coupon_id,omitempty" doc:"Empty: no discount, so no coupon"`
	DiscountPercent int      `json:"discount_percent"`
	Clamps          []string `json:"clamps" enum:"above_maximum,below_zero,below_floor,over_budget"`
}

// DemoReady is the page to pay on. Amounts in cents.
type DemoReady struct {
	OriginalPrice   int    `json:"original_price"`
	DiscountedPrice int    `json:"discounted_price"`
	Savings         int    `json:"savings"`
	CheckoutURL     string `json:"checkout_url"`
}

func (a *API) DemoCheckout(ctx context.Context, req *httpapi.Body[DemoRequest]) (DemoFlow, error) {
	if !a.Till.Demo {
		return DemoFlow{}, problem.New(problem.Unavailable, "The demo never charges a card, and there is no test mode to do that with here.")
	}
	if err := a.maySpend(ctx, httpapi.CallerOf(ctx)); err != nil {
		return DemoFlow{}, err
	}
	r, err := a.quote(ctx, checkout.Request{ID: checkout.NewID(), Personal: true, Demo: true, Behaviour: pricing.Behaviour(req.Body.UserData)})
	return DemoFlow{true, a.demoSteps(r)}, err
}

func (a *API) demoSteps(r checkout.Receipt) DemoSteps {
	shown := a.showReceipt(r)
	return DemoSteps{
		Analysis:   DemoAnalysis{shown.Proposed, shown.Reasoning, shown.Source, r.Decision.Model},
		Coupon:     DemoCoupon{r.CouponID, shown.DiscountPercent, shown.Clamps},
		Ready:      DemoReady{shown.ListPrice, shown.FinalPrice, shown.DiscountAmount, r.PaymentURL},
		CheckoutID: r.ID, ReceiptURL: a.receiptURL(r.ID), Run: shown.Run,
	}
}
