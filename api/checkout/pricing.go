package checkout

import (
	"cmp"
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// Pricing is the offer before a quote. Amounts are in cents.
type Pricing struct {
	Service            string `json:"service" doc:"Product that is sold" enum:"founding_membership"`
	ListPrice          int    `json:"list_price" doc:"List price in cents"`
	LowestPrice        int    `json:"lowest_price" doc:"Lowest possible personal price in cents"`
	Currency           string `json:"currency" doc:"ISO 4217 code, always usd" enum:"usd"`
	MaxDiscountPercent int    `json:"max_discount_percent" doc:"Largest possible discount in percent"`
	Credits            int    `json:"credits" doc:"Credits that a membership includes"`
	Personal           bool   `json:"personal" doc:"True if the caller would get a personal price"`
	WhyNot             string `json:"why_not,omitempty" enum:"dnt,gpc,unknown" doc:"Why the price is not personal: dnt or gpc if the browser opts out of tracking, unknown if no page view was counted"`
	Model              string `json:"model,omitempty" doc:"Model that proposes discounts; omitted if fixed rules decide"`
	Sandbox            bool   `json:"sandbox" doc:"True if no card is charged here"`
	Demo               bool   `json:"demo" doc:"True if demoCheckout is available"`
	Disclosure         string `json:"disclosure" doc:"Legal notice that must be shown next to a personal price"`
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
		LowestPrice:        max(a.Pricing.FloorCents, pricing.Cents(pricing.ListCents, pricing.MaxDiscountPercent)),
		MaxDiscountPercent: pricing.MaxDiscountPercent, Credits: member.FoundingCredits,
		Personal: why == pricing.Personal, WhyNot: string(why), Model: a.Pricing.Model, Sandbox: a.Pricing.Sandbox, Demo: a.Pricing.Demo,
		Disclosure: pricing.Disclosure,
	}}, nil
}

func (a *API) knownVisitor(ctx context.Context) (*pricing.Visitor, pricing.Why, error) {
	who := httpapi.CallerOf(ctx)
	if who.Declines != pricing.Personal {
		return nil, who.Declines, nil
	}
	if who.Counted == "" {
		return nil, pricing.Unknown, nil
	}
	v, err := a.Visitors.Visitor(ctx, account.Hash(who.Counted))
	if err != nil || v == nil {
		return nil, pricing.Unknown, err
	}
	return v, pricing.Personal, nil
}

// Visit is a page view.
type Visit struct {
	Page string `json:"page" enum:"pricing,other" doc:"pricing for the pricing page, other for every other page"`
}

// Counted reports whether a visit was counted.
type Counted struct {
	Success bool   `json:"success" doc:"Always true" enum:"true"`
	Counted bool   `json:"counted" doc:"True if the page view was counted"`
	Why     string `json:"why,omitempty" enum:"dnt,gpc,unknown" doc:"Why it was not counted; omitted if it was"`
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
	token := cmp.Or(who.Counted, account.NewToken())
	known, err := a.Visitors.Visitor(ctx, account.Hash(token))
	if err != nil {
		return nil, err
	}
	if known == nil {
		uses := append(who.Asker(a.Marks).By(account.VisitorsPerNetwork), account.Use{Limit: account.VisitorsOverall})
		err := a.Limits.ConsumeAll(ctx, uses, a.Now())
		if problem.CodeOf(err) == problem.TooMany { // many visitors behind one address; they pay the list price
			reply.Body.Why = string(pricing.Unknown)
			return reply, nil
		}
		if err != nil {
			return nil, err
		}
	}
	event := pricing.PageViewed
	if req.Body.Page == "pricing" {
		event = pricing.PricingViewed
	}
	_, err = a.Visitors.RecordVisit(ctx, account.Hash(token), event, a.Now())
	reply.SetCookie = httpapi.Cookies(a.Site.Cookie(httpapi.VisitorCookie, httpapi.SignVisitor(a.Marks, token), pricing.VisitorRetention))
	reply.Body.Counted = true
	return reply, err
}

func (a *API) forget(ctx context.Context, who httpapi.Caller, reply *countedReply) error {
	if who.Counted == "" {
		return nil
	}
	reply.SetCookie = httpapi.Cookies(a.Site.Cookie(httpapi.VisitorCookie, "", 0))
	return a.Visitors.ForgetVisitor(ctx, account.Hash(who.Counted))
}
