package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// The window of these tests is the hour before noon.
func measured(t *testing.T, s *store.DB, m experiment.Metric) experiment.Reading {
	t.Helper()
	r, err := s.Experiments.ReadMetric(t.Context(), m, november.Add(-time.Hour), november)
	require.NoError(t, err)
	return r
}

func TestOfNothingThereIsNoShareAndNoMedian(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for metric, want := range map[experiment.Metric]experiment.Reading{
			experiment.PostsPublished: {Any: true}, experiment.Members: {Any: true},
			experiment.SuccessRate: {}, experiment.HealTime: {}, experiment.Conversion: {},
		} {
			require.Equal(t, want, measured(t, s, metric), metric)
		}
		_, err := s.Experiments.ReadMetric(t.Context(), "weather", november, november)
		require.EqualError(t, err, `there is no metric "weather"`)
	})
}

func TestPostsAreMeasured(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for _, minutes := range []int{-61, -60, -30, 0, 1} {
			publishAt(t, s, november.Add(time.Duration(minutes)*time.Minute))
		}
		for _, minutes := range []int{-61, -30, 1} {
			p := create(t, s, nil, november)
			require.NoError(t, s.Exec("UPDATE posts SET status = 'failed', updated_at = ? WHERE id = ?", november.Add(time.Duration(minutes)*time.Minute), p.ID))
		}
		create(t, s, nil, november) // has not ended
		require.Equal(t, experiment.Reading{Value: 3, Sample: 3, Any: true}, measured(t, s, experiment.PostsPublished))
		require.Equal(t, experiment.Reading{Value: 75, Sample: 4, Any: true}, measured(t, s, experiment.SuccessRate))
	})
}

func TestHealingIsMeasured(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		heal := func(verdict chaos.Verdict, ms int, at time.Time) {
			t.Helper()
			r := askChaos(t, s, chaos.Founders, "", at)
			require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, at, at.Add(time.Minute)))
			o := chaos.Outcome{Verdict: verdict, Reason: "so", Restored: true, DetectMS: &ms, HealMS: &ms}
			if verdict == chaos.Failed {
				o.HealMS, o.Restored = nil, false
			}
			_, err := s.Chaos.EndChaos(t.Context(), r.ID, o, at)
			require.NoError(t, err)
		}
		half := november.Add(-30 * time.Minute)
		heal(chaos.Healed, 100, november.Add(-2*time.Hour))
		heal(chaos.Healed, 100, november.Add(time.Hour))
		heal(chaos.Failed, 100, half)
		require.False(t, measured(t, s, experiment.HealTime).Any)
		heal(chaos.Healed, 900, half)
		require.Equal(t, experiment.Reading{Value: 0.9, Sample: 1, Any: true}, measured(t, s, experiment.HealTime))
		heal(chaos.HealedLate, 9000, half)
		require.Equal(t, experiment.Reading{Value: 4.95, Sample: 2, Any: true}, measured(t, s, experiment.HealTime))
		heal(chaos.Healed, 1500, half)
		require.Equal(t, experiment.Reading{Value: 1.5, Sample: 3, Any: true}, measured(t, s, experiment.HealTime))
	})
}

func TestMembersAreMeasured(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		newMember(t, s, "ada") // joins at noon
		require.NoError(t, s.SetMemberStatus(t.Context(), *newMember(t, s, "eve"), member.StatusFrozen))
		late := newcomer("bob")
		late.JoinedAt = november.Add(time.Second)
		require.NoError(t, s.Members.AddMember(t.Context(), late, nil))
		require.Equal(t, experiment.Reading{Value: 1, Sample: 1, Any: true}, measured(t, s, experiment.Members))
	})
}

func TestConversionIsMeasured(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		half := november.Add(-30 * time.Minute)
		sale{at: november.Add(-2 * time.Hour)}.pay(t, s)
		sale{at: november.Add(time.Hour)}.pay(t, s)
		sale{at: half, demo: true}.pay(t, s)
		beginCheckout(t, s, wish(visitor(t, s, "ada")), half) // was offered nothing yet
		require.False(t, measured(t, s, experiment.Conversion).Any)
		sale{at: half}.pay(t, s)
		for range 3 {
			sale{at: half}.open(t, s)
		}
		require.Equal(t, experiment.Reading{Value: 25, Sample: 4, Any: true}, measured(t, s, experiment.Conversion))
		refunded := sale{at: half}.pay(t, s)
		_, err := s.Checkouts.RefundCheckout(t.Context(), refunded.ID, refunded.PaidCents, map[string]string{}, november)
		require.NoError(t, err)
		require.Equal(t, experiment.Reading{Value: 40, Sample: 5, Any: true}, measured(t, s, experiment.Conversion), "it was paid, and then given back")
		paidLate := sale{at: half}.pay(t, s)
		require.NoError(t, s.Exec("UPDATE checkouts SET paid_at = ? WHERE id = ?", november.Add(time.Second), paidLate.ID))
		require.Equal(t, 6, measured(t, s, experiment.Conversion).Sample)
		require.InDelta(t, 33.3, measured(t, s, experiment.Conversion).Value, 0.1, "not yet, at that moment")
	})
}
