package store_test

import (
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/stats"
	"customerzero/internal/domain/treasury"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

func db(t *testing.T, s *store.DB, at time.Time) treasury.Ledger {
	t.Helper()
	return must(s.Treasury.Treasury(t.Context(), at))(t)
}

// sale is a completed purchase.
type sale struct {
	demo     bool
	discount int // percent; above 0 for a known visitor
	fee      int // cents
	at       time.Time
}

func (p sale) open(t *testing.T, s *store.DB) checkout.Receipt {
	t.Helper()
	ask := checkout.Request{ID: checkout.NewID(), Demo: p.demo, Personal: p.discount > 0}
	if ask.Personal {
		visitor := xid.New().String()
		ask.Visitor = &visitor
	}
	r := must(s.Checkouts.BeginCheckout(t.Context(), ask, p.at))(t)
	r.Decision = must(s.Checkouts.DecidePrice(t.Context(), r.DecisionID, pricing.Proposal{Source: pricing.ByRules, DiscountPercent: p.discount},
		checkout.Budget{FloorCents: 600, MonthCents: 5000}, p.at))(t)
	page := checkout.Session{ID: "cs_" + r.ID, URL: "http://pay", ExpiresAt: p.at.Add(checkout.OfferLife)}
	r.Checkout = must(s.Checkouts.OpenCheckout(t.Context(), r.ID, checkout.CouponID(r.ID), page, p.at))(t)
	return r
}

func (p sale) pay(t *testing.T, s *store.DB) checkout.Checkout {
	t.Helper()
	r := p.open(t, s)
	id := xid.New().String()
	page := checkout.Session{ID: *r.SessionID, TotalCents: r.Decision.FinalCents, FeeCents: p.fee, PaymentIntent: "pi_" + r.ID}
	buyer := checkout.Buyer{
		MemberID: id, Username: "zero_" + id[12:], Receipt: map[string]string{},
		Welcome: &account.Welcome{Email: id + "@example.com", Token: account.NewToken()},
	}
	return must(s.Checkouts.PayCheckout(t.Context(), r.ID, page, buyer, p.at))(t)
}

func refundCents(t *testing.T, s *store.DB, c checkout.Checkout, cents int, at time.Time) {
	t.Helper()
	must(s.Checkouts.RefundCheckout(t.Context(), c.ID, cents, "", at))(t)
}

func TestTreasury(t *testing.T) {
	t.Parallel()
	each(t, "an empty treasury", func(t *testing.T, s *store.DB) {
		require.Equal(t, treasury.Ledger{}, db(t, s, november))
	})
	each(t, "payments are counted by day", func(t *testing.T, s *store.DB) {
		midnight := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
		sale{at: midnight.Add(-time.Second), fee: 56}.pay(t, s)
		kept := sale{at: midnight, fee: 56}.pay(t, s)
		sale{at: november}.pay(t, s) // with an unknown fee
		gone := sale{at: november, fee: 56}.pay(t, s)
		sale{at: november, demo: true, fee: 56}.pay(t, s)
		sale{at: november}.open(t, s)
		refundCents(t, s, kept, 400, november)
		refundCents(t, s, gone, 900, november.AddDate(0, 1, 0))
		require.Equal(t, []treasury.Day{
			{Date: "2026-10-31", Flow: treasury.Flow{Payments: 1, PaidCents: 900, CardFeeCents: 56}},
			{Date: "2026-11-01", Flow: treasury.Flow{Payments: 1, PaidCents: 900, CardFeeCents: 56, Refunds: 1, RefundedCents: 400}},
			{Date: "2026-11-20", Flow: treasury.Flow{Payments: 2, PaidCents: 1800, CardFeeCents: 56, UnknownFees: 1, Refunds: 1, RefundedCents: 900}},
		}, db(t, s, november).Days)
	})
	each(t, "members who paid nothing", func(t *testing.T, s *store.DB) {
		newMember(t, s, "entered")
		require.NoError(t, s.SetMemberStatus(t.Context(), *newMember(t, s, "left"), "removed"))
		sale{at: november}.pay(t, s)
		sale{at: november, demo: true}.pay(t, s)
		require.Equal(t, 1, db(t, s, november).Unpaid)
	})
	each(t, "members who paid nothing, stored as payers before", func(t *testing.T, s *store.DB) {
		newMember(t, s, "entered")
		sale{at: november}.pay(t, s)
		before := must(s.Members.Members(t.Context(), "2026-11"))(t)
		require.NoError(t, s.Exec(`UPDATE members SET payment_cents = 900`))
		require.NoError(t, s.Exec(`UPDATE credit_entries SET reason = 'founding_fee'`))
		for _, kind := range testdb.Kinds {
			migration := string(must(os.ReadFile("migrations/" + kind + "/00002_claims.sql"))(t))
			for _, change := range strings.Split(migration, ";") {
				if at := strings.Index(change, "UPDATE"); at >= 0 {
					require.NoError(t, s.Exec(change[at:]))
				}
			}
		}
		require.Equal(t, before, must(s.Members.Members(t.Context(), "2026-11"))(t))
		require.Equal(t, member.ReasonGranted, must(s.Credits(t.Context(), before[0].ID))(t)[0].Reason)
		require.Equal(t, member.ReasonFoundingFee, must(s.Credits(t.Context(), before[1].ID))(t)[0].Reason)
	})
	each(t, "given discounts, without those of open offers", func(t *testing.T, s *store.DB) {
		sale{at: november.AddDate(0, -1, 0), discount: 30}.pay(t, s) // in the month before
		sale{at: november, discount: 10}.pay(t, s)
		sale{at: november, discount: 20}.open(t, s)
		sale{at: november, discount: 20, demo: true}.pay(t, s)
		require.Equal(t, treasury.Discounts{GivenCents: 90, HeldCents: 90, BudgetCents: 5000}, db(t, s, november).Discounts)
		require.Zero(t, db(t, s, november.AddDate(0, 1, 0)).Discounts)
	})
	each(t, "posts with and without a link", func(t *testing.T, s *store.DB) {
		create(t, s, nil, november) // not published
		for _, text := range []string{"plain", "a link: https://example.com", "another: example.com"} {
			publishText(t, s, text, november)
		}
		today := treasury.Flow{Posts: 1, LinkPosts: 2}
		for range 3 { // cached, and not counted twice
			require.Equal(t, []treasury.Day{{Date: "2026-11-20", Flow: today}}, db(t, s, november).Days)
		}
		publishText(t, s, "plain", november)
		for _, day := range []int{-9, -150} {
			publishText(t, s, "found later, on the timeline: example.com", november.AddDate(0, 0, day))
		}
		require.Equal(t, []treasury.Day{
			{Date: "2026-06-23", Flow: treasury.Flow{LinkPosts: 1}},
			{Date: "2026-11-11", Flow: treasury.Flow{LinkPosts: 1}},
			{Date: "2026-11-20", Flow: today.Plus(treasury.Flow{Posts: 1})},
		}, db(t, s, november).Days)
	})
	each(t, "model costs are summed", func(t *testing.T, s *store.DB) {
		yesterday, today := november.AddDate(0, 0, -1), november
		saveCall(t, s, 3_000_000_000, true, yesterday) // more than 32 bits
		saveCall(t, s, 500, true, today)
		saveCall(t, s, 0, false, today.Add(-3*time.Hour))
		want := []treasury.Day{
			{Date: "2026-11-19", Flow: treasury.Flow{Calls: 1, ModelNanoUSD: 3_000_000_000}},
			{Date: "2026-11-20", Flow: treasury.Flow{Calls: 2, UnpricedCalls: 1, ModelNanoUSD: 500}},
		}
		for _, later := range []time.Duration{0, time.Minute, 26 * time.Hour, 0} { // in any order of settling
			require.Equal(t, want, db(t, s, today.Add(later)).Days, later)
		}
		saveCall(t, s, 7, true, today.Add(25*time.Hour))
		want = append(want, treasury.Day{Date: "2026-11-21", Flow: treasury.Flow{Calls: 1, ModelNanoUSD: 7}})
		require.Equal(t, want, db(t, s, today.Add(26*time.Hour)).Days)
	})
	// Old days are folded into months.
	each(t, "old model costs are listed by month", func(t *testing.T, s *store.DB) {
		for _, day := range []string{"2026-08-30", "2026-09-01", "2026-09-02", "2026-09-18", "2026-09-30", "2026-10-01", "2026-11-20"} {
			saveCall(t, s, 2, true, must(time.Parse(time.DateOnly, day))(t))
		}
		shows := func(at time.Time, want ...string) {
			t.Helper()
			var dates []string
			calls := 0
			for _, d := range db(t, s, at).Days {
				dates, calls = append(dates, d.Date), calls+d.Calls
				require.EqualValues(t, 2*d.Calls, d.ModelNanoUSD)
			}
			require.Equal(t, []any{want, 7}, []any{dates, calls})
		}
		for range 3 {
			shows(november, "2026-08-30", "2026-09-01", "2026-09-30", "2026-10-01", "2026-11-20")
		}
		shows(november.AddDate(0, 1, 0), "2026-08-30", "2026-09-01", "2026-10-01", "2026-11-20")
	})
	each(t, "reads are counted by month", func(t *testing.T, s *store.DB) {
		publishAt(t, s, november.Add(-2*time.Hour))
		must(s.Posts.ReserveReadings(t.Context(), 10, november))(t)
		require.NoError(t, s.Posts.CountReconciliationRead(t.Context(), november))
		require.NoError(t, s.Posts.CountReconciliationRead(t.Context(), november.AddDate(0, -1, 0)))
		require.Equal(t, []treasury.MonthReads{{Month: "2026-10", Reads: 1}, {Month: "2026-11", Reads: 2}}, db(t, s, november).Reads)
	})
	each(t, "checkouts are listed newest first", func(t *testing.T, s *store.DB) {
		first := sale{at: november}.pay(t, s)
		open := sale{at: november.Add(time.Minute)}.open(t, s)
		demo := sale{at: november.Add(time.Hour), demo: true}.pay(t, s)
		for _, tt := range []struct {
			filter checkout.Filter
			want   []string
			total  int
		}{
			{checkout.Filter{Limit: 10}, []string{demo.ID, open.ID, first.ID}, 3},
			{checkout.Filter{Paid: true, Limit: 1, Offset: 1}, []string{first.ID}, 2},
		} {
			found, total := must2(s.Checkouts.Checkouts(t.Context(), tt.filter))(t)
			require.Equal(t, []any{tt.want, tt.total}, []any{idsOf(found), total})
			for _, c := range found {
				require.Equal(t, c.ID == first.ID, c.Username != "", "only a payment that was no test has a member")
			}
		}
	})
}

// A Postgres session may have another time zone.
func TestTreasuryDaysAreUTC(t *testing.T) {
	t.Parallel()
	address := must(url.Parse(storetest.Address(t, "postgres")))(t)
	address.RawQuery += "&timezone=America/Los_Angeles" // unescaped, because the driver does not decode it
	s := storetest.Open(t, address.String())
	late := time.Date(2026, time.November, 20, 3, 0, 0, 0, time.UTC) // the previous evening in California
	sale{at: late, fee: 56}.pay(t, s)
	publishText(t, s, "plain", late)
	require.Equal(t, []treasury.Day{
		{Date: "2026-11-20", Flow: treasury.Flow{Payments: 1, PaidCents: 900, CardFeeCents: 56, Posts: 1}},
	}, db(t, s, late).Days)
}

func publishText(t *testing.T, s *store.DB, text string, at time.Time) {
	t.Helper()
	p := must(s.Posts.CreatePost(t.Context(), saying(text+" "+xid.New().String()), november))(t)
	p = must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november))(t)
	conclude(t, s, p, post.Verdict{Outcome: post.OutcomePublished, TweetID: p.ID, At: at})
}

func saveCall(t *testing.T, s *store.DB, nanoUSD int64, priced bool, at time.Time) {
	t.Helper()
	c := model.Call{ID: xid.New().String(), Outcome: model.Answered, CostNanoUSD: nanoUSD, Priced: priced, CreatedAt: at}
	require.NoError(t, s.ModelCalls.SaveCall(t.Context(), c))
}

func readStats(t *testing.T, s *store.DB, at time.Time) stats.Reading {
	t.Helper()
	return must(s.Stats.Read(t.Context(), at))(t)
}

func delayed(t *testing.T, s *store.DB, code string, until time.Time) {
	t.Helper()
	must(s.Posts.DelayPost(t.Context(), create(t, s, nil, november).ID, code, "a reason", until))(t)
}

func TestStats(t *testing.T) {
	t.Parallel()
	each(t, "an empty product is healthy", func(t *testing.T, s *store.DB) {
		r := readStats(t, s, november)
		require.Equal(t, post.MonthlyPosts, r.Slots.Free())
		for _, waiting := range []stats.Waiting{r.Overdue, r.Armed, r.Emails, r.Quoting} {
			require.Zero(t, waiting)
			require.Zero(t, waiting.Longest(november))
		}
		require.Zero(t, r.Held+r.FailedEmails+len(r.Posts)+len(r.Checkouts)+len(r.Faults))
	})
	each(t, "only posts that nothing holds back are overdue", func(t *testing.T, s *store.DB) {
		storetest.Connection(t, s)
		later := november.Add(10 * time.Minute)
		create(t, s, nil, november.Add(time.Minute))
		create(t, s, nil, november.Add(2*time.Minute))
		create(t, s, nil, later.Add(time.Second))
		delayed(t, s, "x_rate_limited", later.Add(time.Hour)) // has a later retry time
		delayed(t, s, post.CodePaused, later.Add(time.Hour))
		delayed(t, s, post.CodeNotConnected, later.Add(-time.Minute))
		leave(t, s, post.StatusArmed)
		leave(t, s, post.StatusUnknown)

		r := readStats(t, s, later)
		require.Equal(t, 2, r.Overdue.Count)
		require.Equal(t, 9*time.Minute, r.Overdue.Longest(later))
		require.Equal(t, []any{2, 1, 10 * time.Minute}, []any{r.Held, r.Armed.Count, r.Armed.Longest(later)})
		require.Equal(t, map[post.Status]int{post.StatusScheduled: 6, post.StatusArmed: 1, post.StatusUnknown: 1}, r.Posts)
		require.Equal(t, 1, r.Undecided)
		require.NoError(t, s.Exec("UPDATE posts SET open_key = NULL WHERE status = 'unknown'"))
		require.Zero(t, readStats(t, s, later).Undecided, "it is too late to decide")
		require.Equal(t, []int{8, 0}, []int{r.Slots.Reserved, r.Slots.Spent})
	})
	each(t, "waiting emails and buyers are counted", func(t *testing.T, s *store.DB) {
		write(t, s, email.Welcome, "welcome:1", november.Add(time.Minute))
		write(t, s, email.Welcome, "welcome:2", november)
		endEmail(t, s, write(t, s, email.Welcome, "welcome:3", november), email.Failed, "refused")
		endEmail(t, s, write(t, s, email.Welcome, "welcome:4", november), email.Sent, "")
		for _, state := range []checkout.State{checkout.Quoting, checkout.Open, checkout.Expired} {
			checkoutIn(t, s, state)
		}
		later := november.Add(time.Hour)
		r := readStats(t, s, later)
		require.Equal(t, []any{2, time.Hour, 1}, []any{r.Emails.Count, r.Emails.Longest(later), r.FailedEmails})
		require.Equal(t, map[checkout.State]int{checkout.Quoting: 1, checkout.Open: 1, checkout.Expired: 1}, r.Checkouts)
		require.Equal(t, []any{1, time.Hour}, []any{r.Quoting.Count, r.Quoting.Longest(later)})
	})
	// Old runs are read once, recent ones each time, because clocks may differ. None is counted twice or
	// missed.
	each(t, "every chaos run is counted once", func(t *testing.T, s *store.DB) {
		healed := func(ms int) func(*chaos.Run) {
			return func(r *chaos.Run) {
				r.Verdict, r.Restored, r.DetectMS, r.HealMS = chaos.Healed, true, new(200), &ms
			}
		}
		put(t, s, "long-ago", 0, healed(1500))
		put(t, s, "failed", 1, nil)
		askChaos(t, s, chaos.Schedule, "", november)
		want := func(at time.Time, failed int, heals uint64, sum time.Duration, withinTwo uint64) {
			t.Helper()
			for range 2 {
				f := readStats(t, s, at).Faults["crash-api"]
				require.Equal(t, map[chaos.Verdict]int{chaos.Failed: failed, chaos.Healed: int(heals)}, f.Verdicts)
				require.Equal(t, []any{heals, sum, withinTwo}, []any{f.Heal.Count, f.Heal.Sum, f.Heal.Within[3]})
				require.Equal(t, heals, f.Detect.Within[0])
			}
		}
		want(november.Add(5*time.Minute), 1, 1, 1500*time.Millisecond, 1)
		put(t, s, "late", 2, healed(2500))
		want(november.Add(5*time.Minute), 1, 2, 4*time.Second, 1)
		want(november.Add(24*time.Hour), 1, 2, 4*time.Second, 1)
		put(t, s, "today", 24*60, healed(500))
		want(november.Add(24*time.Hour+5*time.Minute), 1, 3, 4500*time.Millisecond, 2)
	})
}
