// Package treasury holds the rules of the treasury: X's prices, income, costs and runway. Pure functions:
// no clock, no I/O. Payments are in whole cents; the costs of X and of models are estimates in millionths
// of a dollar.
package treasury

import (
	"cmp"
	"slices"
	"time"

	"customerzero/internal/domain/post"
)

// Ledger is the data to sum.
type Ledger struct {
	Days      []Day        // days with a flow, oldest first
	Reads     []MonthReads // oldest first; only monthly counts are stored
	Discounts Discounts
	Unpaid    int // active members added by founders, without a payment
}

// Day is the flow of a day in UTC.
type Day struct {
	Date string // "2006-01-02"
	Flow
}

// MonthReads counts the reads from X in a month.
type MonthReads struct {
	Month post.Month
	Reads int
}

// Discounts is the use of this month's discount budget in cents.
type Discounts struct {
	GivenCents  int // for paid checkouts
	HeldCents   int // counted against the budget
	BudgetCents int
}

// Treasury is the summed ledger.
type Treasury struct {
	Total     Flow
	ThisMonth Flow
	Months    []Month // the last 12 with a flow, oldest first
	Runway    *Runway // nil: no recent costs to extrapolate
	Discounts Discounts
	Unpaid    int
}

// Month is the flow of a month.
type Month struct {
	Month post.Month
	Flow
}

const shownMonths = 12

// Sum computes the treasury of a ledger.
func Sum(b Ledger, now time.Time) Treasury {
	flows := b.byMonth()
	t := Treasury{ThisMonth: flows[post.MonthOf(now)], Discounts: b.Discounts, Unpaid: b.Unpaid}
	for month, flow := range flows {
		t.Total = t.Total.Plus(flow)
		t.Months = append(t.Months, Month{month, flow})
	}
	slices.SortFunc(t.Months, func(a, b Month) int { return cmp.Compare(a.Month, b.Month) })
	t.Months = t.Months[max(0, len(t.Months)-shownMonths):]
	t.Runway = runway(b, t.Total.LeftMicroUSD(), now)
	return t
}

func (b Ledger) byMonth() map[post.Month]Flow {
	flows := map[post.Month]Flow{}
	for _, d := range b.Days {
		month := post.Month(d.Date[:len("2006-01")])
		flows[month] = flows[month].Plus(d.Flow)
	}
	for _, r := range b.Reads {
		flows[r.Month] = flows[r.Month].Plus(Flow{Reads: r.Reads})
	}
	return flows
}

// X's prices in millionths of a dollar, from docs.x.com/x-api/getting-started/pricing and docs.x.com/overview
// in August 2026. They may change at any time, so costs are estimates; the bill is in X's console.
const (
	PostMicroUSD      = 15_000  // "Content: Create", per request
	LinkPostMicroUSD  = 200_000 // "Content: Create (with URL)", per request
	OwnedReadMicroUSD = 1_000   // "Owned Reads", per own post
)

// MicroUSDPerCent is the number of millionths of a dollar in a cent.
const MicroUSDPerCent = 10_000

// PostCost is X's price of a post with this text, in millionths of a dollar.
func PostCost(text string) int64 {
	if post.HasURL(text) {
		return LinkPostMicroUSD
	}
	return PostMicroUSD
}

// Flow is the income and costs of a period, as counts and sums.
type Flow struct {
	Payments      int // by card, without test mode
	PaidCents     int
	CardFeeCents  int // fees of the payment service
	UnknownFees   int // payments with an unknown fee
	Refunds       int
	RefundedCents int // of this period's payments, regardless of the refund date

	Disputes        int // payments of this period that the buyer disputed, even if we won
	DisputedCents   int // withdrawn by disputes and not reinstated
	DisputeFeeCents int

	Posts     int // published, without a link
	LinkPosts int
	Reads     int // of own posts

	Calls         int // of models
	UnpricedCalls int // with unknown cost
	ModelNanoUSD  int64
}

// CountPost counts a published post, with or without a link.
func (f *Flow) CountPost(text string) {
	if PostCost(text) == LinkPostMicroUSD {
		f.LinkPosts++
		return
	}
	f.Posts++
}

// Plus returns the sum.
func (f Flow) Plus(g Flow) Flow {
	return Flow{
		Payments: f.Payments + g.Payments, PaidCents: f.PaidCents + g.PaidCents,
		CardFeeCents: f.CardFeeCents + g.CardFeeCents, UnknownFees: f.UnknownFees + g.UnknownFees,
		Refunds: f.Refunds + g.Refunds, RefundedCents: f.RefundedCents + g.RefundedCents,
		Disputes: f.Disputes + g.Disputes, DisputedCents: f.DisputedCents + g.DisputedCents, DisputeFeeCents: f.DisputeFeeCents + g.DisputeFeeCents,
		Posts: f.Posts + g.Posts, LinkPosts: f.LinkPosts + g.LinkPosts, Reads: f.Reads + g.Reads,
		Calls: f.Calls + g.Calls, UnpricedCalls: f.UnpricedCalls + g.UnpricedCalls, ModelNanoUSD: f.ModelNanoUSD + g.ModelNanoUSD,
	}
}

// XMicroUSD is the cost of X.
func (f Flow) XMicroUSD() int64 {
	return int64(f.Posts)*PostMicroUSD + int64(f.LinkPosts)*LinkPostMicroUSD + int64(f.Reads)*OwnedReadMicroUSD
}

// ModelsMicroUSD is the known cost of models.
func (f Flow) ModelsMicroUSD() int64 { return (f.ModelNanoUSD + 500) / 1000 }

// RunningMicroUSD is the cost of running the bot, without card fees, which only arise with payments.
func (f Flow) RunningMicroUSD() int64 { return f.XMicroUSD() + f.ModelsMicroUSD() }

// CostMicroUSD is all costs except refunds and disputed amounts.
func (f Flow) CostMicroUSD() int64 {
	return f.RunningMicroUSD() + int64(f.CardFeeCents+f.DisputeFeeCents)*MicroUSDPerCent
}

// LeftMicroUSD is the income minus refunds, disputed amounts and costs; it can be negative.
func (f Flow) LeftMicroUSD() int64 {
	return int64(f.PaidCents-f.RefundedCents-f.DisputedCents)*MicroUSDPerCent - f.CostMicroUSD()
}

// PerPostMicroUSD is the average cost of a published post, including reads and models, or false without
// posts.
func (f Flow) PerPostMicroUSD() (cost int64, known bool) {
	posts := int64(f.Posts + f.LinkPosts)
	if posts == 0 {
		return 0, false
	}
	return (f.RunningMicroUSD() + posts/2) / posts, true
}

// averageDays is the number of days over which costs are averaged.
const averageDays = 30

// Runway is how long the balance lasts at the average daily cost of the last 30 days, or of all days
// since the first if fewer.
type Runway struct {
	Days          int   // whole days; 0 if nothing is left
	SpentMicroUSD int64 // running cost of OverDays days
	OverDays      int
}

func runway(b Ledger, leftMicroUSD int64, now time.Time) *Runway {
	first, known := b.first()
	if !known {
		return nil
	}
	today := now.UTC().Truncate(day)
	from := later(first, today.AddDate(0, 0, 1-averageDays))
	r := Runway{OverDays: daysBetween(from, today), SpentMicroUSD: b.spent(first, from, today)}
	if r.SpentMicroUSD <= 0 {
		return nil
	}
	r.Days = int(max(0, leftMicroUSD) * int64(r.OverDays) / r.SpentMicroUSD)
	return &r
}

const day = 24 * time.Hour

// first is the first day of the ledger.
func (b Ledger) first() (first time.Time, known bool) {
	if len(b.Days) > 0 {
		first, known = parseDay(b.Days[0].Date), true
	}
	if len(b.Reads) > 0 && (!known || b.Reads[0].Month < post.MonthOf(first)) {
		first, known = startOf(b.Reads[0].Month), true
	}
	return first, known
}

func startOf(m post.Month) time.Time { return m.ResetsAt().AddDate(0, -1, 0) }

// spent is the running cost from one day to another, both inclusive. Monthly reads are prorated.
func (b Ledger) spent(first, from, to time.Time) int64 {
	var f Flow
	for _, d := range b.Days {
		if at := parseDay(d.Date); !at.Before(from) && !at.After(to) {
			f = f.Plus(d.Flow)
		}
	}
	cost := f.RunningMicroUSD()
	for _, r := range b.Reads {
		begins := later(first, startOf(r.Month))
		ends := r.Month.ResetsAt().Add(-day)
		if ends.After(to) {
			ends = to
		}
		days, counted := daysBetween(begins, ends), daysBetween(later(begins, from), ends)
		if counted > 0 {
			cost += int64(r.Reads) * OwnedReadMicroUSD * int64(counted) / int64(days)
		}
	}
	return cost
}

// daysBetween counts the days from one to another, both inclusive; below 1 there is none.
func daysBetween(from, to time.Time) int { return int(to.Sub(from)/day) + 1 }

func parseDay(date string) time.Time {
	at, _ := time.Parse(time.DateOnly, date) // the ledger has no other format
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
