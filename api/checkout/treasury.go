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

// Treasury is the balance of income and costs, without test mode.
type Treasury struct {
	AsOf      time.Time      `json:"as_of" doc:"Time of this report"`
	Currency  string         `json:"currency" doc:"ISO 4217 code, always usd" enum:"usd"`
	Sandbox   bool           `json:"sandbox" doc:"True if no real card is charged here"`
	SandboxX  bool           `json:"sandbox_x" doc:"True if posts go to the sandbox; costs are what X would charge"`
	Income    Income         `json:"income" doc:"Card payments"`
	Costs     Costs          `json:"costs" doc:"Costs by category"`
	Left      int64          `json:"left_microusd" doc:"Income minus costs, in millionths of a dollar; may be negative"`
	PerPost   *int64         `json:"per_post_microusd,omitempty" doc:"Average cost of a published post, reads and models included, in millionths of a dollar; omitted before the first post"`
	Credits   CreditCost     `json:"credits" doc:"Cost of the credits that a membership includes"`
	Runway    *Runway        `json:"runway,omitempty" doc:"How long the balance lasts; omitted while nothing was spent"`
	Discounts Discounts      `json:"discounts" doc:"Discounts of the current month"`
	Unpaid    int            `json:"members_without_payment" doc:"Active members whom founders added; they are not part of the income"`
	Months    []MonthOfMoney `json:"months" doc:"The last 12 months with activity, oldest first"`
}

// Income is the sum of card payments and refunds.
type Income struct {
	Payments      int `json:"payments" doc:"Number of payments"`
	PaidCents     int `json:"paid_cents" doc:"Payments in cents"`
	Refunds       int `json:"refunds" doc:"Number of refunds"`
	RefundedCents int `json:"refunded_cents" doc:"Refunds in cents"`
	Disputes      int `json:"disputes" doc:"Number of payments that the buyer disputed at their bank, including disputes that we won"`
	DisputedCents int `json:"disputed_cents" doc:"Amounts in cents that disputes have withdrawn and not returned"`
}

// Costs are the costs by kind.
type Costs struct {
	Total     int64     `json:"total_microusd" doc:"Sum of all costs in millionths of a dollar, without refunds"`
	CardFees  CardFees  `json:"card_fees" doc:"Stripe's fees"`
	Posts     Charge    `json:"posts" doc:"Published posts without a link"`
	LinkPosts Charge    `json:"link_posts" doc:"Published posts with a link"`
	Reads     Charge    `json:"reads" doc:"Reads of the bot's own posts"`
	Models    ModelCost `json:"models" doc:"Calls of language models"`
}

// CardFees are the payment service's fees. It does not return those of payments on refunds.
type CardFees struct {
	Cents   int `json:"cents" doc:"Fees in cents; they are not returned on a refund"`
	Unknown int `json:"unknown" doc:"Number of payments whose fee is not known"`
	Dispute int `json:"dispute_cents" doc:"Stripe's fees for disputes in cents"`
}

// Charge is X's charge for one kind of API call.
type Charge struct {
	Count     int   `json:"count" doc:"Number of charged items"`
	ThisMonth int   `json:"this_month" doc:"Number of charged items in the current month"`
	Each      int64 `json:"each_microusd" doc:"X's documented price per item, in millionths of a dollar"`
	Cost      int64 `json:"cost_microusd" doc:"Total in millionths of a dollar"`
}

// ModelCost is the cost of language models.
type ModelCost struct {
	Calls    int   `json:"calls" doc:"Number of calls"`
	Unpriced int   `json:"unpriced" doc:"Calls whose cost is not known; they are not part of the sum"`
	Cost     int64 `json:"cost_microusd" doc:"Total in millionths of a dollar"`
}

// CreditCost is the cost of posting with all credits of one fee.
type CreditCost struct {
	Count    int   `json:"count" doc:"Number of credits that a membership includes"`
	Plain    int64 `json:"plain_microusd" doc:"Cost if all are used for posts without a link, in millionths of a dollar"`
	WithLink int64 `json:"with_link_microusd" doc:"Cost if all are used for posts with a link, in millionths of a dollar"`
}

// Runway is how long the balance lasts.
type Runway struct {
	Days          int   `json:"days" doc:"Whole days that the balance lasts; 0 if nothing is left"`
	SpentMicroUSD int64 `json:"spent_microusd" doc:"Costs over these days without card fees, in millionths of a dollar"`
	OverDays      int   `json:"over_days" maximum:"30" doc:"Number of days measured: the last 30, or fewer at the start"`
}

// Discounts are a month's discounts and their budget. They are no costs.
type Discounts struct {
	Month       post.Month `json:"month" doc:"Month in UTC"`
	GivenCents  int        `json:"given_cents" doc:"Discounts of paid checkouts in cents"`
	HeldCents   int        `json:"held_cents" doc:"Discounts in cents that count against the budget: those of paid checkouts. The same as given_cents, because open offers reserve nothing"`
	BudgetCents int        `json:"budget_cents" doc:"Monthly discount budget in cents"`
}

// MonthOfMoney is the income and the cost of a month. A refund or a dispute counts in the month of its payment.
type MonthOfMoney struct {
	Month         post.Month `json:"month" doc:"Month in UTC" example:"2026-11"`
	PaidCents     int        `json:"paid_cents" doc:"Payments in cents"`
	RefundedCents int        `json:"refunded_cents" doc:"Refunds of this month's payments in cents"`
	DisputedCents int        `json:"disputed_cents" doc:"Amounts in cents that disputes of this month's payments have withdrawn and not returned"`
	Cost          int64      `json:"cost_microusd" doc:"Costs in millionths of a dollar"`
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
		AsOf: now, Currency: "usd", Sandbox: a.Pricing.Sandbox, SandboxX: a.Site.Sandbox,
		Income: Income{all.Payments, all.PaidCents, all.Refunds, all.RefundedCents, all.Disputes, all.DisputedCents},
		Costs:  showCosts(sum), Left: all.LeftMicroUSD(),
		Credits: CreditCost{credits, credits * treasury.PostMicroUSD, credits * treasury.LinkPostMicroUSD},
		Discounts: Discounts{
			Month: post.MonthOf(now), GivenCents: sum.Discounts.GivenCents, HeldCents: sum.Discounts.HeldCents,
			BudgetCents: cmp.Or(sum.Discounts.BudgetCents, a.Pricing.BudgetCents),
		},
		Unpaid: sum.Unpaid, Runway: (*Runway)(sum.Runway),
		Months: httpapi.Map(sum.Months, func(m treasury.Month) MonthOfMoney {
			return MonthOfMoney{m.Month, m.PaidCents, m.RefundedCents, m.DisputedCents, m.CostMicroUSD()}
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
		CardFees:  CardFees{all.CardFeeCents, all.UnknownFees, all.DisputeFeeCents},
		Posts:     charge(all.Posts, month.Posts, treasury.PostMicroUSD),
		LinkPosts: charge(all.LinkPosts, month.LinkPosts, treasury.LinkPostMicroUSD),
		Reads:     charge(all.Reads, month.Reads, treasury.OwnedReadMicroUSD),
		Models:    ModelCost{all.Calls, all.UnpricedCalls, all.ModelsMicroUSD()},
	}
}
