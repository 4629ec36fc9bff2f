package treasury_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/treasury"
)

var now = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func TestPostCost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		cost int64
	}{
		"plain words cost one and a half cents": {"Good morning.", 15_000},
		"a link costs twenty cents":             {"Read https://example.com/a", 200_000},
		"so does a domain that X would link":    {"see example.com", 200_000},
		"two links cost the same as one":        {"a.com and b.com", 200_000},
		"an address of a mailbox is no link":    {"ask me@example.com", 15_000},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.cost, treasury.PostCost(tt.text))
			var f treasury.Flow
			f.CountPost(tt.text)
			require.Equal(t, tt.cost, f.XMicroUSD(), "counted as what it costs")
			require.Equal(t, 1, f.Posts+f.LinkPosts)
		})
	}
}

func TestFlow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		flow                treasury.Flow
		running, cost, left int64
		perPost             int64 // 0: unknown
	}{
		"nothing is nothing":                          {},
		"a fee is left but for the card's":            {treasury.Flow{Payments: 1, PaidCents: 900, CardFeeCents: 56}, 0, 560_000, 8_440_000, 0},
		"a fee that went back leaves the card's":      {treasury.Flow{Payments: 1, PaidCents: 900, CardFeeCents: 56, Refunds: 1, RefundedCents: 900}, 0, 560_000, -560_000, 0},
		"a lost dispute costs its amount and its fee": {treasury.Flow{PaidCents: 900, CardFeeCents: 56, Disputes: 1, DisputedCents: 900, DisputeFeeCents: 1500}, 0, 15_560_000, -15_560_000, 0},
		"posts cost by their kind":                    {treasury.Flow{Posts: 2, LinkPosts: 1}, 230_000, 230_000, -230_000, 76_667},
		"reads cost a tenth of a cent":                {treasury.Flow{Posts: 1, Reads: 3}, 18_000, 18_000, -18_000, 18_000},
		"models count to the nearest millionth":       {treasury.Flow{Calls: 1, ModelNanoUSD: 1_500}, 2, 2, -2, 0},
		"a call without a price adds nothing":         {treasury.Flow{Calls: 1, UnpricedCalls: 1}, 0, 0, 0, 0},
		"card fees are no part of what a post costs":  {treasury.Flow{PaidCents: 900, CardFeeCents: 56, Posts: 1}, 15_000, 575_000, 8_425_000, 15_000},
		"a refund in part leaves the rest of the fee": {treasury.Flow{PaidCents: 900, RefundedCents: 400}, 0, 0, 5_000_000, 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.running, tt.flow.RunningMicroUSD())
			require.Equal(t, tt.cost, tt.flow.CostMicroUSD())
			require.Equal(t, tt.left, tt.flow.LeftMicroUSD())
			cost, known := tt.flow.PerPostMicroUSD()
			require.Equal(t, tt.perPost, cost)
			require.Equal(t, tt.perPost > 0, known)
			require.Equal(t, 2*tt.flow.PaidCents, tt.flow.Plus(tt.flow).PaidCents)
		})
	}
}

// TestPlusForgetsNothing checks that Plus sums every field.
func TestPlusForgetsNothing(t *testing.T) {
	t.Parallel()
	one := treasury.Flow{
		Payments: 1, PaidCents: 2, CardFeeCents: 3, UnknownFees: 4, Refunds: 5, RefundedCents: 6,
		Posts: 7, LinkPosts: 8, Reads: 9, Calls: 10, UnpricedCalls: 11, ModelNanoUSD: 12, Disputes: 13, DisputedCents: 14, DisputeFeeCents: 15,
	}
	require.Equal(t, one, treasury.Flow{}.Plus(one))
	require.Equal(t, one, one.Plus(treasury.Flow{}))
}

func day(date string, f treasury.Flow) treasury.Day { return treasury.Day{Date: date, Flow: f} }

func TestSum(t *testing.T) {
	t.Parallel()
	sum := treasury.Sum(treasury.Ledger{
		Days: []treasury.Day{
			day("2026-10-31", treasury.Flow{Payments: 1, PaidCents: 900}),
			day("2026-11-01", treasury.Flow{Posts: 1}),
			day("2026-11-20", treasury.Flow{Posts: 2}),
		},
		Reads:     []treasury.MonthReads{{Month: "2026-11", Reads: 4}},
		Discounts: treasury.Discounts{GivenCents: 90, HeldCents: 180, BudgetCents: 5000}, Unpaid: 2,
	}, now)
	november := treasury.Flow{Posts: 3, Reads: 4}
	require.Equal(t, november, sum.ThisMonth)
	require.Equal(t, treasury.Flow{Payments: 1, PaidCents: 900, Posts: 3, Reads: 4}, sum.Total)
	require.Equal(t, []treasury.Month{{Month: "2026-10", Flow: treasury.Flow{Payments: 1, PaidCents: 900}}, {Month: "2026-11", Flow: november}}, sum.Months)
	require.Equal(t, 90, sum.Discounts.GivenCents)
	require.Equal(t, 2, sum.Unpaid)
}

func TestSumShowsTwelveMonthsAndCountsAll(t *testing.T) {
	t.Parallel()
	var b treasury.Ledger
	for i := range 14 {
		month := now.AddDate(0, i-13, 0).Format("2006-01")
		b.Days = append(b.Days, day(month+"-05", treasury.Flow{PaidCents: 100}))
	}
	sum := treasury.Sum(b, now)
	require.Len(t, sum.Months, 12)
	require.Equal(t, post.Month("2025-12"), sum.Months[0].Month, "the oldest are left out")
	require.Equal(t, post.Month("2026-11"), sum.Months[11].Month)
	require.Equal(t, 1400, sum.Total.PaidCents, "but not of the total")
}

func TestRunway(t *testing.T) {
	t.Parallel()
	fee := treasury.Flow{Payments: 1, PaidCents: 900} // 9,000,000 millionths
	month := func(f treasury.Flow) (days []treasury.Day) {
		for i := range 60 { // to the day before yesterday
			days = append(days, day(now.AddDate(0, 0, i-61).Format(time.DateOnly), f))
		}
		return days
	}
	for name, tt := range map[string]struct {
		db     treasury.Ledger
		runway *treasury.Runway
	}{
		"nothing happened yet":                        {},
		"nothing was spent yet: no number is made up": {db: treasury.Ledger{Days: []treasury.Day{day("2026-11-20", fee)}}},
		"card fees are not what a day costs":          {db: treasury.Ledger{Days: []treasury.Day{day("2026-11-20", treasury.Flow{PaidCents: 900, CardFeeCents: 56})}}},
		"on the first day, that day is all there is": {
			db:     treasury.Ledger{Days: []treasury.Day{day("2026-11-20", fee.Plus(treasury.Flow{Posts: 10}))}},
			runway: &treasury.Runway{Days: 59, SpentMicroUSD: 150_000, OverDays: 1}, // 8,850,000 / 150,000
		},
		"days without a cost count since the first": {
			db:     treasury.Ledger{Days: []treasury.Day{day("2026-11-16", fee), day("2026-11-18", treasury.Flow{LinkPosts: 5})}},
			runway: &treasury.Runway{Days: 40, SpentMicroUSD: 1_000_000, OverDays: 5}, // 8,000,000 / 200,000
		},
		"no more than 30 days count": {
			db:     treasury.Ledger{Days: append([]treasury.Day{day("2026-01-01", treasury.Flow{PaidCents: 90_000})}, month(treasury.Flow{Posts: 2})...)},
			runway: &treasury.Runway{Days: 32_078, SpentMicroUSD: 28 * 30_000, OverDays: 30}, // 898,200,000 · 30 / 840,000
		},
		"the 30th day counts, the 31st does not": {
			db: treasury.Ledger{Days: []treasury.Day{
				day("2026-10-21", fee.Plus(treasury.Flow{LinkPosts: 1})), day("2026-10-22", treasury.Flow{LinkPosts: 1}),
			}},
			runway: &treasury.Runway{Days: 1290, SpentMicroUSD: 200_000, OverDays: 30},
		},
		"nothing spent for 30 days is nothing known": {db: treasury.Ledger{Days: []treasury.Day{day("2026-10-20", fee.Plus(treasury.Flow{LinkPosts: 1}))}}},
		"what is used up lasts no day": {
			db:     treasury.Ledger{Days: []treasury.Day{day("2026-11-20", treasury.Flow{LinkPosts: 1})}},
			runway: &treasury.Runway{Days: 0, SpentMicroUSD: 200_000, OverDays: 1},
		},
		"models cost as well": {
			db:     treasury.Ledger{Days: []treasury.Day{day("2026-11-20", fee.Plus(treasury.Flow{ModelNanoUSD: 1_000_000_000}))}},
			runway: &treasury.Runway{Days: 8, SpentMicroUSD: 1_000_000, OverDays: 1},
		},
		"of a month before, the reads count by its part": {
			db: treasury.Ledger{
				Days:  []treasury.Day{day("2026-10-01", fee)},
				Reads: []treasury.MonthReads{{Month: "2026-10", Reads: 310}, {Month: "2026-11", Reads: 100}},
			},
			// ten days of October and all of November
			runway: &treasury.Runway{Days: 1288, SpentMicroUSD: 200_000, OverDays: 30},
		},
		"of the first month, the reads count from the first day": {
			db: treasury.Ledger{
				Days:  []treasury.Day{day("2026-11-19", fee)},
				Reads: []treasury.MonthReads{{Month: "2026-11", Reads: 100}},
			},
			runway: &treasury.Runway{Days: 178, SpentMicroUSD: 100_000, OverDays: 2},
		},
		"reads alone are a beginning": {
			db:     treasury.Ledger{Reads: []treasury.MonthReads{{Month: "2026-11", Reads: 100}}},
			runway: &treasury.Runway{Days: 0, SpentMicroUSD: 100_000, OverDays: 20},
		},
		"reads before the first day begin it": {
			db: treasury.Ledger{
				Days:  []treasury.Day{day("2026-11-19", fee)},
				Reads: []treasury.MonthReads{{Month: "2026-10", Reads: 31}},
			},
			runway: &treasury.Runway{Days: 26_907, SpentMicroUSD: 10_000, OverDays: 30},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := treasury.Sum(tt.db, now).Runway
			require.Equal(t, tt.runway, got, fmt.Sprint(got))
		})
	}
}

// TestRunwayCountsDaysInUTC uses a local time that is already the next day in UTC.
func TestRunwayCountsDaysInUTC(t *testing.T) {
	t.Parallel()
	db := treasury.Ledger{Days: []treasury.Day{day("2026-11-20", treasury.Flow{LinkPosts: 1})}}
	west := time.Date(2026, time.November, 20, 23, 0, 0, 0, time.FixedZone("west", -8*3600))
	require.Equal(t, 2, treasury.Sum(db, west).Runway.OverDays)
}
