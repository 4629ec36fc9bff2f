package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/stats"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func gauges(t *testing.T, s *store.DB, at time.Time) stats.Reading {
	t.Helper()
	r, err := s.Stats.Read(t.Context(), at)
	require.NoError(t, err)
	return r
}

func delayed(t *testing.T, s *store.DB, code string, until time.Time) {
	t.Helper()
	_, err := s.Posts.DelayPost(t.Context(), create(t, s, nil, november).ID, code, "a reason", until)
	require.NoError(t, err)
}

func TestAnEmptyProductStandsWell(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := gauges(t, s, november)
		require.Equal(t, post.MonthlyPosts, r.Slots.Free())
		for _, waiting := range []stats.Waiting{r.Overdue, r.Armed, r.Letters, r.Quoting} {
			require.Zero(t, waiting)
			require.Zero(t, waiting.Longest(november))
		}
		require.Zero(t, r.Held+r.DeadLetters+len(r.Posts)+len(r.Checkouts)+len(r.Faults))
	})
}

func TestOnlyPostsThatNothingHoldsBackAreOverdue(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		storetest.Connection(t, s)
		later := november.Add(10 * time.Minute)
		create(t, s, nil, november.Add(time.Minute))
		create(t, s, nil, november.Add(2*time.Minute))
		create(t, s, nil, later.Add(time.Second))
		delayed(t, s, "x_rate_limited", later.Add(time.Hour)) // has a time of its own
		delayed(t, s, post.CodePaused, later.Add(time.Hour))
		delayed(t, s, post.CodeNotConnected, later.Add(-time.Minute))
		leave(t, s, post.StatusArmed)
		leave(t, s, post.StatusUnknown)

		r := gauges(t, s, later)
		require.Equal(t, 2, r.Overdue.Count)
		require.Equal(t, 9*time.Minute, r.Overdue.Longest(later))
		require.Equal(t, 2, r.Held)
		require.Equal(t, []any{1, 10 * time.Minute}, []any{r.Armed.Count, r.Armed.Longest(later)})
		require.Equal(t, map[post.Status]int{post.StatusScheduled: 6, post.StatusArmed: 1, post.StatusUnknown: 1}, r.Posts)
		require.Equal(t, 1, r.Undecided)
		require.NoError(t, s.Exec("UPDATE posts SET open_key = NULL WHERE status = 'unknown'"))
		require.Zero(t, gauges(t, s, later).Undecided, "it is too late to decide")
		require.Equal(t, []int{8, 0}, []int{r.Slots.Reserved, r.Slots.Spent})
	})
}

func TestLettersAndBuyersThatWaitAreCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		write(t, s, email.Welcome, "welcome:1", november.Add(time.Minute))
		write(t, s, email.Welcome, "welcome:2", november)
		endLetter(t, s, write(t, s, email.Welcome, "welcome:3", november), email.Dead, "refused")
		endLetter(t, s, write(t, s, email.Welcome, "welcome:4", november), email.Sent, "")
		for _, state := range []checkout.State{checkout.Quoting, checkout.Open, checkout.Expired} {
			checkoutIn(t, s, state)
		}
		later := november.Add(time.Hour)
		r := gauges(t, s, later)
		require.Equal(t, []any{2, time.Hour, 1}, []any{r.Letters.Count, r.Letters.Longest(later), r.DeadLetters})
		require.Equal(t, map[checkout.State]int{checkout.Quoting: 1, checkout.Open: 1, checkout.Expired: 1}, r.Checkouts)
		require.Equal(t, []any{1, time.Hour}, []any{r.Quoting.Count, r.Quoting.Longest(later)})
	})
}

// Runs of long ago are read once, those of the last hours each time: a clock may be wrong by a
// little. Nothing is counted twice, and nothing is forgotten.
func TestEveryChaosRunIsCountedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		healed := func(ms int) func(*chaos.Run) {
			return func(r *chaos.Run) {
				r.Verdict, r.Restored, r.DetectMS, r.HealMS = chaos.Healed, true, times(200), &ms
			}
		}
		put(t, s, "long-ago", 0, healed(1500))
		put(t, s, "failed", 1, nil)
		askChaos(t, s, chaos.Schedule, "", november)
		want := func(at time.Time, failed int, heals uint64, sum time.Duration, withinTwo uint64) {
			t.Helper()
			for range 2 {
				f := gauges(t, s, at).Faults["crash-api"]
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

// They are asked every few seconds, for ever. The tally has some rows for each kind of posts.
func TestGaugesAreAnsweredByIndexes(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres")
	plans := s.Plans(t, func() { gauges(t, s, november) })
	require.Greater(t, len(plans), 8)
	for question, plan := range plans {
		if !strings.Contains(question, `FROM "post_tallies"`) {
			require.NotContains(t, plan, "Seq Scan", question)
		}
	}
}
