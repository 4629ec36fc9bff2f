package checkout

import (
	"cmp"
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/treasury"
)

// Treasury is how the money stands. Test mode is left out.
type Treasury struct {
	AsOf      time.Time      `json:"as_of"`
	Currency  string         `json:"currency" enum:"usd"`
	Sandbox   bool           `json:"sandbox" doc:"No real card is charged here"`
	SandboxX  bool           `json:"sandbox_x" doc:"Posts go to a stand-in: the cost is what X would charge"`
	Income    Income         `json:"income"`
	Costs     Costs          `json:"costs"`
	Left      int64          `json:"left_microusd" doc:"What came in less what went out; below zero, somebody else paid"`
	PerPost   *int64         `json:"per_post_microusd,omitempty" doc:"What a published post cost on average, reads and models included; absent before the first"`
	Credits   CreditCost     `json:"credits"`
	Runway    *Runway        `json:"runway,omitempty" doc:"Absent while nothing was spent: nobody knows"`
	Discounts Discounts      `json:"discounts"`
	Unpaid    int            `json:"members_without_payment" doc:"Active members whom founders entered; no money is counted for them"`
	Months    []MonthOfMoney `json:"months" doc:"The last twelve that brought something, oldest first"`
}

// Income is what cards brought.
type Income struct {
	Payments      int `json:"payments"`
	PaidCents     int `json:"paid_cents"`
	Refunds       int `json:"refunds"`
	RefundedCents int `json:"refunded_cents"`
}

// Costs are what went out, by what it went for.
type Costs struct {
	Total     int64     `json:"total_microusd" doc:"All of these together; refunds are no cost"`
	CardFees  CardFees  `json:"card_fees"`
	Posts     Charge    `json:"posts" doc:"Published without a link"`
	LinkPosts Charge    `json:"link_posts" doc:"Published with a link"`
	Reads     Charge    `json:"reads" doc:"Of our own posts"`
	Models    ModelCost `json:"models"`
}

// CardFees are what the payment service kept. It keeps them when money goes back.
type CardFees struct {
	Cents   int `json:"cents"`
	Unknown int `json:"unknown" doc:"Payments of which it did not say"`
}

// Charge is what X charges for so many things of a kind.
type Charge struct {
	Count     int   `json:"count"`
	ThisMonth int   `json:"this_month"`
	Each      int64 `json:"each_microusd" doc:"X's documented price"`
	Cost      int64 `json:"cost_microusd"`
}

// ModelCost is what language models cost.
type ModelCost struct {
	Calls    int   `json:"calls"`
	Unpriced int   `json:"unpriced" doc:"Calls whose cost nobody knows; they are not in the sum"`
	Cost     int64 `json:"cost_microusd"`
}

// CreditCost is what the posts of a fee's credits would cost.
type CreditCost struct {
	Count    int   `json:"count" doc:"Credits that come with the fee"`
	Plain    int64 `json:"plain_microusd" doc:"All spent on posts without a link"`
	WithLink int64 `json:"with_link_microusd" doc:"All spent on posts with one"`
}

// Runway is how long what is left lasts.
type Runway struct {
	Days          int   `json:"days" doc:"Whole ones; 0: nothing is left"`
	SpentMicroUSD int64 `json:"spent_microusd" doc:"To run the bot, card fees aside, over these days:"`
	OverDays      int   `json:"over_days" maximum:"30" doc:"The last 30, or those since the first"`
}

// Discounts are what a month gave, of what it may give. They are money that never came in.
type Discounts struct {
	Month       post.Month `json:"month"`
	GivenCents  int        `json:"given_cents" doc:"To those who paid"`
	HeldCents   int        `json:"held_cents" doc:"Given, and held for offers that are open"`
	BudgetCents int        `json:"budget_cents"`
}

// MonthOfMoney is what a month brought. A refund stands in the month of its payment.
type MonthOfMoney struct {
	Month         post.Month `json:"month" example:"2026-11"`
	PaidCents     int        `json:"paid_cents"`
	RefundedCents int        `json:"refunded_cents"`
	Cost          int64      `json:"cost_microusd"`
}

func (a *API) GetTreasury(ctx context.Context, _ *struct{}) (Treasury, error) {
	now := a.Now()
	ledger, err := a.Treasury.Treasury(ctx, now)
	return a.showTreasury(treasury.Sum(ledger, now), now), err
}

func (a *API) showTreasury(sum treasury.Treasury, now time.Time) Treasury {
	const credits = member.FoundingCredits
	all := sum.Total
	shown := Treasury{
		AsOf: now, Currency: "usd", Sandbox: a.Till.Sandbox, SandboxX: a.Site.Sandbox,
		Income: Income{all.Payments, all.PaidCents, all.Refunds, all.RefundedCents},
		Costs:  showCosts(sum), Left: all.LeftMicroUSD(),
		Credits: CreditCost{credits, credits * treasury.PostMicroUSD, credits * treasury.LinkPostMicroUSD},
		Discounts: Discounts{
			Month: post.MonthOf(now), GivenCents: sum.Discounts.GivenCents, HeldCents: sum.Discounts.HeldCents,
			BudgetCents: cmp.Or(sum.Discounts.BudgetCents, a.Till.BudgetCents),
		},
		Unpaid: sum.Unpaid, Runway: (*Runway)(sum.Runway),
		Months: httpapi.Map(sum.Months, func(m treasury.Month) MonthOfMoney {
			return MonthOfMoney{m.Month, m.PaidCents, m.RefundedCents, m.CostMicroUSD()}
		}),
	}
	if cost, known := all.PerPostMicroUSD(); known {
		shown.PerPost = &cost
	}
	return shown
}

func showCosts(sum treasury.Treasury) Costs {
	all, month := sum.Total, sum.ThisMonth
	charge := func(count, thisMonth int, each int64) Charge {
		return Charge{count, thisMonth, each, int64(count) * each}
	}
	return Costs{
		Total:     all.CostMicroUSD(),
		CardFees:  CardFees{all.CardFeeCents, all.UnknownFees},
		Posts:     charge(all.Posts, month.Posts, treasury.PostMicroUSD),
		LinkPosts: charge(all.LinkPosts, month.LinkPosts, treasury.LinkPostMicroUSD),
		Reads:     charge(all.Reads, month.Reads, treasury.OwnedReadMicroUSD),
		Models:    ModelCost{all.Calls, all.UnpricedCalls, all.ModelsMicroUSD()},
	}
}
