package treasury

import (
	"cmp"
	"slices"
	"time"

	"customerzero/internal/domain/post"
)

// Books are what there is to sum.
type Books struct {
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
func Sum(b Books, now time.Time) Treasury {
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

func (b Books) byMonth() map[post.Month]Flow {
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
