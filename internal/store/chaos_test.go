package store_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func newRun(by chaos.Asker, at time.Time) chaos.Run {
	return chaos.Run{ID: xid.New().String(), Fault: "crash-api", Source: "page", RequestedBy: by, PromiseMS: 5000, LeaseMS: 30_000, RequestedAt: at}
}

// askChaos asks for a run, which must begin.
func askChaos(t *testing.T, s *store.DB, by chaos.Asker, visitor string, at time.Time) chaos.Run {
	t.Helper()
	r := newRun(by, at)
	require.NoError(t, s.Chaos.RequestChaos(t.Context(), r, visitor))
	return r
}

// endChaos ends a run that came to nothing.
func endChaos(t *testing.T, s *store.DB, id string, at time.Time) {
	t.Helper()
	_, err := s.Chaos.EndChaos(t.Context(), id, chaos.Outcome{Verdict: chaos.Aborted, Reason: "so", Restored: true}, at)
	require.NoError(t, err)
}

// Proves: V15.4.2
func TestChaosOfManyAtOnceIsOneRun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		var began, refused atomic.Int32
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() {
				err := s.Chaos.RequestChaos(t.Context(), newRun(chaos.Visitors, november), "v"+strconv.Itoa(i))
				switch {
				case err == nil:
					began.Add(1)
				case problem.CodeOf(err) == problem.ChaosRunning:
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Equal(t, []int32{1, 199}, []int32{began.Load(), refused.Load()})
		require.Equal(t, 1, s.Count(t, "chaos_runs"))
		require.Equal(t, 2, s.Number(t, "SELECT sum(used) FROM rate_windows"), "refusals use nothing up")
	})
}

// Proves: V2.4.1-chaos
func TestChaosLimitOfAVisitor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for i := range chaos.PerVisitor.Most {
			at := november.Add(time.Duration(i) * time.Minute)
			r := askChaos(t, s, chaos.Visitors, "ada", at)
			for range 5 {
				err := s.Chaos.RequestChaos(t.Context(), newRun(chaos.Visitors, at), "ada")
				require.Equal(t, problem.ChaosRunning, problem.CodeOf(err))
			}
			endChaos(t, s, r.ID, at)
		}
		err := s.Chaos.RequestChaos(t.Context(), newRun(chaos.Visitors, november.Add(time.Hour-time.Second)), "ada")
		refused, ok := errors.AsType[*problem.Error](err)
		require.True(t, ok, err)
		require.Equal(t, problem.TooMany, refused.Code)
		require.WithinDuration(t, november.Add(time.Hour), refused.RetryAfter, 0)
		require.Equal(t, "Too many chaos runs from your network. Try again after "+november.Add(time.Hour).Format("15:04:05")+" UTC.", refused.Message)

		r := askChaos(t, s, chaos.Visitors, "eve", november.Add(30*time.Minute))
		endChaos(t, s, r.ID, november)
		askChaos(t, s, chaos.Visitors, "ada", november.Add(time.Hour))
	})
}

// Proves: V2.4.1-chaos
func TestChaosLimitOfEverybody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for i := range chaos.Overall.Most {
			by, visitor := chaos.Visitors, "v"+strconv.Itoa(i)
			if i%2 == 0 {
				by, visitor = chaos.Founders, "" // they count for everybody, though not for themselves
			}
			endChaos(t, s, askChaos(t, s, by, visitor, november).ID, november)
		}
		for _, by := range []chaos.Asker{chaos.Visitors, chaos.Members, chaos.Founders} {
			visitor := "last"
			if by == chaos.Founders {
				visitor = ""
			}
			err := s.Chaos.RequestChaos(t.Context(), newRun(by, november), visitor)
			require.Equal(t, problem.TooMany, problem.CodeOf(err), by)
			require.ErrorContains(t, err, "Too many chaos runs. Try again after")
		}
		require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket = 'chaos-visitor:last'"), "a refusal uses nothing up")
		endChaos(t, s, askChaos(t, s, chaos.Schedule, "", november).ID, november)
		askChaos(t, s, chaos.Visitors, "last", november.Add(time.Hour))
	})
}

func TestTheGameDayCountsNowhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		askChaos(t, s, chaos.Schedule, "", november)
		require.Zero(t, s.Count(t, "rate_windows"))
	})
}

func TestChaosIsRefusedWhileItMayNotBe(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		refused := func(code problem.Code, text string) {
			t.Helper()
			for _, by := range []chaos.Asker{chaos.Visitors, chaos.Founders, chaos.Schedule} {
				err := s.Chaos.RequestChaos(t.Context(), newRun(by, november), "ada")
				require.Equal(t, code, problem.CodeOf(err), "%s: %v", by, err)
				require.EqualError(t, err, text)
			}
			require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket LIKE 'chaos-visitor:ada'"))
		}
		open := askChaos(t, s, chaos.Founders, "", november)
		refused(problem.ChaosRunning, "A chaos run is under way. Look at it, and start yours when it has ended.")

		_, err := s.Chaos.BeginIncident(t.Context(), heal.Incident{ID: "i1", OpenedAt: november, SickAt: november})
		require.NoError(t, err)
		refused(problem.IncidentOpen, "The cell is sick already, and being healed. Try again when it is well.")

		_, _, err = s.Chaos.SetChaosSwitch(t.Context(), false, "grace", "We rest.", november)
		require.NoError(t, err)
		refused(problem.ChaosOff, "The founders have switched chaos off. They say: We rest.")
		_, _, err = s.Chaos.SetChaosSwitch(t.Context(), false, "grace", "", november)
		require.NoError(t, err)
		refused(problem.ChaosOff, "The founders have switched chaos off.")

		_, _, err = s.Chaos.SetChaosSwitch(t.Context(), true, "grace", "", november)
		require.NoError(t, err)
		endChaos(t, s, open.ID, november)
		require.NoError(t, s.Chaos.EndIncident(t.Context(), "i1", november))
		askChaos(t, s, chaos.Visitors, "ada", november)
	})
}
