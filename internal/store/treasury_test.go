package store_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/treasury"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func db(t *testing.T, s *store.DB, at time.Time) treasury.Books {
	t.Helper()
	b, err := s.Treasury.Treasury(t.Context(), at)
	require.NoError(t, err)
	return b
}

// sale is a purchase as it goes well.
type sale struct {
	demo     bool
	discount int // percent; above 0, for a visitor who is known
	fee      int // cents
	at       time.Time
}

// open shows somebody a payment page.
func (p sale) open(t *testing.T, s *store.DB) checkout.Receipt {
	t.Helper()
	ask := checkout.Ask{ID: checkout.NewID(), Demo: p.demo, Personal: p.discount > 0}
	if ask.Personal {
		visitor := xid.New().String()
		ask.Visitor = &visitor
	}
	r, err := s.Checkouts.BeginCheckout(t.Context(), ask, p.at)
	require.NoError(t, err)
	r.Decision, err = s.Checkouts.DecidePrice(t.Context(), r.DecisionID, pricing.Proposal{Source: pricing.ByRules, DiscountPercent: p.discount},
		checkout.Budget{FloorCents: 600, MonthCents: 5000}, p.at)
	require.NoError(t, err)
	page := checkout.Session{ID: "cs_" + r.ID, URL: "http://pay", ExpiresAt: p.at.Add(checkout.OfferLife)}
	r.Checkout, err = s.Checkouts.OpenCheckout(t.Context(), r.ID, checkout.CouponID(r.ID), page, p.at)
	require.NoError(t, err)
	return r
}

// pay lets somebody buy, and become a member.
func (p sale) pay(t *testing.T, s *store.DB) checkout.Checkout {
	t.Helper()
	r := p.open(t, s)
	id := xid.New().String()
	page := checkout.Session{ID: *r.SessionID, TotalCents: r.Decision.FinalCents, FeeCents: p.fee, PaymentIntent: "pi_" + r.ID}
	buyer := checkout.Buyer{
		MemberID: id, Username: "zero_" + id[12:], Receipt: map[string]string{},
		Welcome: &account.Welcome{Email: id + "@example.com", Token: account.NewToken()},
	}
	c, err := s.Checkouts.PayCheckout(t.Context(), r.ID, page, buyer, p.at)
	require.NoError(t, err)
	return c
}

func sendBack(t *testing.T, s *store.DB, c checkout.Checkout, cents int, at time.Time) {
	t.Helper()
	_, err := s.Checkouts.RefundCheckout(t.Context(), c.ID, cents, map[string]string{}, at)
	require.NoError(t, err)
}

func TestAnEmptyTreasury(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.Equal(t, treasury.Books{}, db(t, s, november))
	})
}

func TestTheTreasuryCountsPaymentsByTheirDay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		midnight := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
		sale{at: midnight.Add(-time.Second), fee: 56}.pay(t, s)
		kept := sale{at: midnight, fee: 56}.pay(t, s)
		sale{at: november}.pay(t, s) // the service kept its fee to itself
		gone := sale{at: november, fee: 56}.pay(t, s)
		sale{at: november, demo: true, fee: 56}.pay(t, s)
		sale{at: november}.open(t, s)
		sendBack(t, s, kept, 400, november)
		sendBack(t, s, gone, 900, november.AddDate(0, 1, 0))

		require.Equal(t, []treasury.Day{
			{Date: "2026-10-31", Flow: treasury.Flow{Payments: 1, PaidCents: 900, CardFeeCents: 56}},
			{Date: "2026-11-01", Flow: treasury.Flow{Payments: 1, PaidCents: 900, CardFeeCents: 56, Refunds: 1, RefundedCents: 400}},
			{Date: "2026-11-20", Flow: treasury.Flow{Payments: 2, PaidCents: 1800, CardFeeCents: 56, UnknownFees: 1, Refunds: 1, RefundedCents: 900}},
		}, db(t, s, november).Days)
	})
}

// A session of Postgres may live in another time zone; the days of the database do not.
func TestTheTreasurysDaysAreUTCs(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(storetest.Address(t, "postgres"))
	require.NoError(t, err)
	address.RawQuery += "&timezone=America/Los_Angeles" // as it is: the driver does not read escapes
	s := storetest.Open(t, address.String())
	late := time.Date(2026, time.November, 20, 3, 0, 0, 0, time.UTC) // the evening before, in California
	sale{at: late, fee: 56}.pay(t, s)
	publishText(t, s, "plain", late)
	require.Equal(t, []treasury.Day{
		{Date: "2026-11-20", Flow: treasury.Flow{Payments: 1, PaidCents: 900, CardFeeCents: 56, Posts: 1}},
	}, db(t, s, late).Days)
}

func TestTheTreasuryKnowsWhoPaidNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		newMember(t, s, "entered")
		require.NoError(t, s.SetMemberStatus(t.Context(), *newMember(t, s, "left"), "removed"))
		sale{at: november}.pay(t, s)
		sale{at: november, demo: true}.pay(t, s)
		require.Equal(t, 1, db(t, s, november).Unpaid)
	})
}

func TestTheTreasuryTellsDiscountsGivenFromThoseHeld(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		sale{at: november.AddDate(0, -1, 0), discount: 30}.pay(t, s) // of the month before
		sale{at: november, discount: 10}.pay(t, s)
		sale{at: november, discount: 20}.open(t, s)
		sale{at: november, discount: 20, demo: true}.pay(t, s)
		require.Equal(t, treasury.Discounts{GivenCents: 90, HeldCents: 270, BudgetCents: 5000}, db(t, s, november).Discounts)
		require.Zero(t, db(t, s, november.AddDate(0, 1, 0)).Discounts)
	})
}

// publishText lets a text go out.
func publishText(t *testing.T, s *store.DB, text string, at time.Time) {
	t.Helper()
	p := draft(nil, november)
	p.Text = text + " " + p.ID
	p, err := s.Posts.CreatePost(t.Context(), p, november)
	require.NoError(t, err)
	p, err = s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november)
	require.NoError(t, err)
	conclude(t, s, p, post.Verdict{Outcome: post.OutcomePublished, TweetID: p.ID, At: at})
}

func TestTheTreasurySortsPostsByWhetherTheyHaveALink(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		create(t, s, nil, november) // has not gone out
		publishText(t, s, "plain", november)
		publishText(t, s, "a link: https://example.com", november)
		publishText(t, s, "another: example.com", november)
		today := treasury.Flow{Posts: 1, LinkPosts: 2}
		require.Equal(t, []treasury.Day{{Date: "2026-11-20", Flow: today}}, db(t, s, november).Days)

		for range 2 { // remembered, and not counted twice
			require.Equal(t, []treasury.Day{{Date: "2026-11-20", Flow: today}}, db(t, s, november).Days)
		}
		publishText(t, s, "plain", november)
		publishText(t, s, "found later, on the timeline: example.com", november.AddDate(0, 0, -9))
		require.Equal(t, []treasury.Day{
			{Date: "2026-11-11", Flow: treasury.Flow{LinkPosts: 1}}, {Date: "2026-11-20", Flow: today.Plus(treasury.Flow{Posts: 1})},
		}, db(t, s, november).Days)
	})
}

func TestTheTreasurySumsWhatModelsCost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		call := func(cost int64, priced bool, at time.Time) {
			c := model.Call{ID: xid.New().String(), Outcome: model.Answered, CostNanoUSD: cost, Priced: priced, CreatedAt: at}
			require.NoError(t, s.ModelCalls.SaveCall(t.Context(), c))
		}
		yesterday, today := november.AddDate(0, 0, -1), november
		call(3_000_000_000, true, yesterday) // more than 32 bits hold
		call(500, true, today)
		call(0, false, today.Add(-3*time.Hour))
		want := []treasury.Day{
			{Date: "2026-11-19", Flow: treasury.Flow{Calls: 1, ModelNanoUSD: 3_000_000_000}},
			{Date: "2026-11-20", Flow: treasury.Flow{Calls: 2, UnpricedCalls: 1, ModelNanoUSD: 500}},
		}
		for _, later := range []time.Duration{0, time.Minute, 26 * time.Hour, 0} { // whatever is settled by then, and before
			require.Equal(t, want, db(t, s, today.Add(later)).Days, later)
		}
		call(7, true, today.Add(25*time.Hour))
		want = append(want, treasury.Day{Date: "2026-11-21", Flow: treasury.Flow{Calls: 1, ModelNanoUSD: 7}})
		require.Equal(t, want, db(t, s, today.Add(26*time.Hour)).Days)
	})
}

// There are ever more days; their months are enough after a while.
func TestTheTreasuryTellsCallsOfLongAgoByTheMonth(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for _, day := range []string{"2026-08-30", "2026-09-01", "2026-09-02", "2026-09-18", "2026-09-30", "2026-10-01", "2026-11-20"} {
			at, err := time.Parse(time.DateOnly, day)
			require.NoError(t, err)
			require.NoError(t, s.ModelCalls.SaveCall(t.Context(), model.Call{ID: xid.New().String(), Outcome: model.Answered, CostNanoUSD: 2, Priced: true, CreatedAt: at}))
		}
		days := func(at time.Time) (dates []string, calls int) {
			for _, d := range db(t, s, at).Days {
				dates, calls = append(dates, d.Date), calls+d.Calls
				require.EqualValues(t, 2*d.Calls, d.ModelNanoUSD)
			}
			return dates, calls
		}
		for range 3 {
			dates, calls := days(november)
			require.Equal(t, []string{"2026-08-30", "2026-09-01", "2026-09-30", "2026-10-01", "2026-11-20"}, dates)
			require.Equal(t, 7, calls)
		}
		dates, calls := days(november.AddDate(0, 1, 0))
		require.Equal(t, []string{"2026-08-30", "2026-09-01", "2026-10-01", "2026-11-20"}, dates)
		require.Equal(t, 7, calls)
	})
}

func TestTheTreasuryCountsReadsByTheMonth(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		publishAt(t, s, november.Add(-2*time.Hour))
		_, err := s.Posts.ReserveReadings(t.Context(), 10, november)
		require.NoError(t, err)
		require.NoError(t, s.Posts.CountSafetyRead(t.Context(), november))
		require.NoError(t, s.Posts.CountSafetyRead(t.Context(), november.AddDate(0, -1, 0)))
		require.Equal(t, []treasury.MonthReads{{Month: "2026-10", Reads: 1}, {Month: "2026-11", Reads: 2}}, db(t, s, november).Reads)
	})
}

func TestCheckoutsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		first := sale{at: november}.pay(t, s)
		open := sale{at: november.Add(time.Minute)}.open(t, s)
		demo := sale{at: november.Add(time.Hour), demo: true}.pay(t, s)
		list := func(f checkout.Filter) (ids []string, total int) {
			found, total, err := s.Checkouts.Checkouts(t.Context(), f)
			require.NoError(t, err)
			for _, c := range found {
				ids = append(ids, c.ID)
				require.Equal(t, c.ID == first.ID, c.Username != "", "only a payment that was no test has a member")
			}
			return ids, total
		}
		ids, total := list(checkout.Filter{Limit: 10})
		require.Equal(t, []string{demo.ID, open.ID, first.ID}, ids)
		require.Equal(t, 3, total)
		ids, total = list(checkout.Filter{Paid: true, Limit: 1, Offset: 1})
		require.Equal(t, []string{first.ID}, ids)
		require.Equal(t, 2, total)
	})
}
