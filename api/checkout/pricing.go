package checkout

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// Pricing is the offer before anybody asks for it. Amounts in cents.
type Pricing struct {
	Service            string `json:"service" enum:"founding_membership"`
	ListPrice          int    `json:"list_price"`
	LowestPrice        int    `json:"lowest_price" doc:"No personal price is lower"`
	Currency           string `json:"currency" enum:"usd"`
	MaxDiscountPercent int    `json:"max_discount_percent"`
	Credits            int    `json:"credits" doc:"Come with the fee"`
	Personal           bool   `json:"personal" doc:"Your price would be personal"`
	WhyNot             string `json:"why_not,omitempty" enum:"dnt,gpc,unknown" doc:"dnt and gpc: your browser asks not to be tracked; unknown: nothing was counted yet"`
	Model              string `json:"model" doc:"What proposes discounts"`
	Sandbox            bool   `json:"sandbox" doc:"No card is charged here"`
	Demo               bool   `json:"demo" doc:"The demo can be tried here"`
	Disclosure         string `json:"disclosure"`
}

type pricingReply struct {
	CacheControl string `header:"Cache-Control"`
	Vary         string `header:"Vary"`
	Body         Pricing
}

func (a *API) GetPricing(ctx context.Context, _ *struct{}) (*pricingReply, error) {
	_, why, err := a.knownVisitor(ctx)
	if err != nil {
		return nil, err
	}
	return &pricingReply{CacheControl: "no-store", Vary: "Cookie, DNT, Sec-GPC", Body: Pricing{
		Service: "founding_membership", ListPrice: pricing.ListCents, Currency: "usd",
		LowestPrice:        max(a.Till.FloorCents, pricing.Cents(pricing.ListCents, pricing.MaxDiscountPercent)),
		MaxDiscountPercent: pricing.MaxDiscountPercent, Credits: member.FoundingCredits,
		Personal: why == pricing.Personal, WhyNot: string(why), Model: a.Till.Model, Sandbox: a.Till.Sandbox, Demo: a.Till.Demo,
		Disclosure: pricing.Disclosure,
	}}, nil
}

// knownVisitor is who asks, as far as our counters know, or why they do not.
func (a *API) knownVisitor(ctx context.Context) (*pricing.Visitor, pricing.Why, error) {
	who := httpapi.CallerOf(ctx)
	if who.Declines != pricing.Personal {
		return nil, who.Declines, nil
	}
	if !account.IsToken(who.Counted) {
		return nil, pricing.Unknown, nil
	}
	v, err := a.Visitors.Visitor(ctx, account.Hash(who.Counted))
	if err != nil || v == nil {
		return nil, pricing.Unknown, err
	}
	return v, pricing.Personal, nil
}

// Visit is a look at a page.
type Visit struct {
	Page string `json:"page" enum:"pricing,other" doc:"Only whether it is the one with the prices"`
}

// Counted says whether a visit was counted.
type Counted struct {
	Success bool   `json:"success" enum:"true"`
	Counted bool   `json:"counted"`
	Why     string `json:"why,omitempty" enum:"dnt,gpc,unknown" doc:"Not"`
}

type countedReply struct {
	SetCookie    []string `header:"Set-Cookie"`
	CacheControl string   `header:"Cache-Control"`
	Body         Counted
}

func (a *API) RecordVisit(ctx context.Context, req *httpapi.Body[Visit]) (*countedReply, error) {
	who, reply := httpapi.CallerOf(ctx), &countedReply{CacheControl: "no-store", Body: Counted{Success: true}}
	if who.Declines != pricing.Personal {
		reply.Body.Why = string(who.Declines)
		return reply, a.forget(ctx, who, reply)
	}
	token := who.Counted
	if !account.IsToken(token) {
		err := a.Limits.Consume(ctx, account.VisitorsPerNetwork, who.Visitor(a.Marks), a.Now())
		if problem.CodeOf(err) == problem.TooMany { // a crowd behind one address; nobody is worse off
			reply.Body.Why = string(pricing.Unknown)
			return reply, nil
		}
		if err != nil {
			return nil, err
		}
		token = account.NewToken()
	}
	event := pricing.PageViewed
	if req.Body.Page == "pricing" {
		event = pricing.PricingViewed
	}
	_, err := a.Visitors.RecordVisit(ctx, account.Hash(token), event, a.Now())
	known := a.Site.Cookie(httpapi.VisitorCookie, token, pricing.VisitorRetention)
	reply.SetCookie = []string{known.String()}
	reply.Body.Counted = true
	return reply, err
}

// forget deletes what was counted of somebody who does not want it.
func (a *API) forget(ctx context.Context, who httpapi.Caller, reply *countedReply) error {
	if !account.IsToken(who.Counted) {
		return nil
	}
	gone := a.Site.Cookie(httpapi.VisitorCookie, "", 0)
	reply.SetCookie = []string{gone.String()}
	return a.Visitors.ForgetVisitor(ctx, account.Hash(who.Counted))
}
