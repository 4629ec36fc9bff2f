// Package treasury holds the rules of our money: what X charges, what came in and went out,
// and how long what is left will last. Values in, values out: no clock, no I/O. Money that
// moved is in whole cents; what X and the models cost is estimated, in millionths of a
// dollar.
package treasury

import (
	"cmp"
	"slices"
	"time"

	"customerzero/internal/domain/post"
)

// Ledger are what there is to sum.
type Ledger struct {
	Days      []Day        // on which something happened, oldest first
	Reads     []MonthReads // oldest first: they are counted by the month
	Discounts Discounts
	Unpaid    int // active members of whom no payment is known: founders entered them
}

// Day is a day, in UTC, and what it brought.
type Day struct {
	Date string // "2006-01-02"
	Flow
}

// MonthReads is how often X was read in a month.
type MonthReads struct {
	Month post.Month
	Reads int
}

// Discounts are what this month gave, of what it may give, in cents.
type Discounts struct {
	GivenCents  int // to those who paid
	HeldCents   int // given, and held for offers that are open
	BudgetCents int
}

// Treasury is how the money stands.
type Treasury struct {
	Total     Flow
	ThisMonth Flow
	Months    []Month // the last twelve that brought something, oldest first
	Runway    *Runway // nil: nothing was spent lately, so nobody knows
	Discounts Discounts
	Unpaid    int
}

// Month is a month and what it brought.
type Month struct {
	Month post.Month
	Flow
}

const shownMonths = 12

// Sum makes a treasury of the books.
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

// What X charges, in millionths of a dollar, as docs.x.com/x-api/getting-started/pricing and
// docs.x.com/overview said in August 2026. X may change it at any time, and its console has
// the bill: what we say is an estimate.
const (
	PostMicroUSD      = 15_000  // "Content: Create", a request
	LinkPostMicroUSD  = 200_000 // "Content: Create (with URL)", a request
	OwnedReadMicroUSD = 1_000   // "Owned Reads", a post of our own
)

// MicroUSDPerCent is how many millionths of a dollar a cent is.
const MicroUSDPerCent = 10_000

// PostCost is what X charges for a post of this text, in millionths of a dollar.
func PostCost(text string) int64 {
	if post.HasURL(text) {
		return LinkPostMicroUSD
	}
	return PostMicroUSD
}

// Flow is what came in and went out in some time, as counts and sums.
type Flow struct {
	Payments      int // by card, test mode left out
	PaidCents     int
	CardFeeCents  int // what the payment service kept
	UnknownFees   int // payments of which it did not say
	Refunds       int
	RefundedCents int // of the payments of that time, whenever it went back

	Posts     int // published, without a link
	LinkPosts int
	Reads     int // of our own posts

	Calls         int // of models
	UnpricedCalls int // whose cost nobody knows
	ModelNanoUSD  int64
}

// CountPost counts a published post by its text.
func (f *Flow) CountPost(text string) {
	if PostCost(text) == LinkPostMicroUSD {
		f.LinkPosts++
		return
	}
	f.Posts++
}

// Plus is both together.
func (f Flow) Plus(g Flow) Flow {
	return Flow{
		Payments: f.Payments + g.Payments, PaidCents: f.PaidCents + g.PaidCents,
		CardFeeCents: f.CardFeeCents + g.CardFeeCents, UnknownFees: f.UnknownFees + g.UnknownFees,
		Refunds: f.Refunds + g.Refunds, RefundedCents: f.RefundedCents + g.RefundedCents,
		Posts: f.Posts + g.Posts, LinkPosts: f.LinkPosts + g.LinkPosts, Reads: f.Reads + g.Reads,
		Calls: f.Calls + g.Calls, UnpricedCalls: f.UnpricedCalls + g.UnpricedCalls, ModelNanoUSD: f.ModelNanoUSD + g.ModelNanoUSD,
	}
}

// XMicroUSD is what X charges for it.
func (f Flow) XMicroUSD() int64 {
	return int64(f.Posts)*PostMicroUSD + int64(f.LinkPosts)*LinkPostMicroUSD + int64(f.Reads)*OwnedReadMicroUSD
}

// ModelsMicroUSD is what the models cost, as far as it is known.
func (f Flow) ModelsMicroUSD() int64 { return (f.ModelNanoUSD + 500) / 1000 }

// RunningMicroUSD is what it costs to run the bot. Card fees are no part of it: they come
// with money, and stop with it.
func (f Flow) RunningMicroUSD() int64 { return f.XMicroUSD() + f.ModelsMicroUSD() }

// CostMicroUSD is everything that went out, refunds aside.
func (f Flow) CostMicroUSD() int64 {
	return f.RunningMicroUSD() + int64(f.CardFeeCents)*MicroUSDPerCent
}

// LeftMicroUSD is what came in less what went out; below zero, somebody else paid.
func (f Flow) LeftMicroUSD() int64 {
	return int64(f.PaidCents-f.RefundedCents)*MicroUSDPerCent - f.CostMicroUSD()
}

// PerPostMicroUSD is what a published post cost on average, reads and models included. No
// post, no average.
func (f Flow) PerPostMicroUSD() (cost int64, known bool) {
	posts := int64(f.Posts + f.LinkPosts)
	if posts == 0 {
		return 0, false
	}
	return (f.RunningMicroUSD() + posts/2) / posts, true
}

// lately is how many days tell what a day costs.
const lately = 30

// Runway is how long what is left lasts at the pace of the last 30 days, or of all days
// since the first if there are fewer.
type Runway struct {
	Days          int   // whole ones; 0: nothing is left
	SpentMicroUSD int64 // to run the bot, over OverDays days
	OverDays      int
}

// runway divides what is left by what a day costs.
func runway(b Ledger, leftMicroUSD int64, now time.Time) *Runway {
	first, known := b.first()
	if !known {
		return nil
	}
	today := now.UTC().Truncate(day)
	from := later(first, today.AddDate(0, 0, 1-lately))
	r := Runway{OverDays: daysBetween(from, today), SpentMicroUSD: b.spent(first, from, today)}
	if r.SpentMicroUSD <= 0 {
		return nil
	}
	r.Days = int(max(0, leftMicroUSD) * int64(r.OverDays) / r.SpentMicroUSD)
	return &r
}

const day = 24 * time.Hour

// first is the first day of which the books tell.
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

// spent is what it cost to run the bot from one day to another, both included. Reads are
// counted by the month: a part of a month has its part of them.
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
		whole, part := daysBetween(begins, ends), daysBetween(later(begins, from), ends)
		if part > 0 {
			cost += int64(r.Reads) * OwnedReadMicroUSD * int64(part) / int64(whole)
		}
	}
	return cost
}

// daysBetween counts the days from one to another, both included; below one, there is none.
func daysBetween(from, to time.Time) int { return int(to.Sub(from)/day) + 1 }

func parseDay(date string) time.Time {
	at, _ := time.Parse(time.DateOnly, date) // the books hold nothing else
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
