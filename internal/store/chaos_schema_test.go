package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// The database refuses what the code would never write, too.
func TestChaosRunsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		put(t, s, "fine", 1, nil)
		open, other := chaos.OnTheCell, "another"
		for name, alter := range map[string]func(*chaos.Run){
			"an unknown asker":        func(r *chaos.Run) { r.RequestedBy = "robot" },
			"an unknown stage":        func(r *chaos.Run) { r.Stage = "thinking" },
			"an unknown verdict":      func(r *chaos.Run) { r.Verdict = "good" },
			"a replay of nothing":     func(r *chaos.Run) { r.ReplayOf = &other },
			"no promise":              func(r *chaos.Run) { r.PromiseMS = 0 },
			"no lease":                func(r *chaos.Run) { r.LeaseMS = 0 },
			"ended, and open":         func(r *chaos.Run) { r.OpenKey = &open },
			"ended without a verdict": func(r *chaos.Run) { r.Verdict = "" },
			"ended without a time":    func(r *chaos.Run) { r.EndedAt = nil },
			"open without its key":    func(r *chaos.Run) { r.Stage, r.Verdict, r.EndedAt = chaos.Breaking, "", nil },
			"open with a verdict":     func(r *chaos.Run) { r.Stage, r.OpenKey, r.EndedAt = chaos.Breaking, &open, nil },
			"open under another key":  func(r *chaos.Run) { r.Stage, r.Verdict, r.OpenKey, r.EndedAt = chaos.Breaking, "", &other, nil },
			"watched, and never broken": func(r *chaos.Run) {
				r.Stage, r.Verdict, r.OpenKey, r.EndedAt, r.InjectedAt = chaos.Watching, "", &open, nil, nil
			},
			"broken without a lease":       func(r *chaos.Run) { r.LeaseUntil = nil },
			"detected before it was there": func(r *chaos.Run) { r.DetectMS = times(-1) },
			"healed before it was detected": func(r *chaos.Run) {
				r.Verdict, r.Restored, r.DetectMS, r.HealMS = chaos.Healed, true, times(250), times(249)
			},
			"healed without a time":  func(r *chaos.Run) { r.Verdict, r.Restored = chaos.Healed, true },
			"healed late, and sick":  func(r *chaos.Run) { r.Verdict, r.DetectMS, r.HealMS = chaos.HealedLate, times(1), times(2) },
			"healed, never detected": func(r *chaos.Run) { r.Verdict, r.Restored, r.HealMS = chaos.Healed, true, times(2) },
			"healed, never broken": func(r *chaos.Run) {
				r.Verdict, r.Restored, r.DetectMS, r.HealMS, r.InjectedAt = chaos.Healed, true, times(1), times(2), nil
			},
			"failed, and healed":        func(r *chaos.Run) { r.DetectMS, r.HealMS = times(1), times(2) },
			"the same run another time": func(r *chaos.Run) { r.ID = "fine" },
		} {
			r := newRun(chaos.Schedule, november)
			at, lease := november, november.Add(time.Minute)
			r.Stage, r.Verdict, r.InjectedAt, r.LeaseUntil, r.EndedAt = chaos.Ended, chaos.Failed, &at, &lease, &lease
			alter(&r)
			require.Error(t, s.Put(t, &r), name)
		}
		require.Equal(t, 1, s.Count(t, "chaos_runs"))
	})
}

func TestCellsAndIncidentsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.Error(t, s.Put(t, &heal.Cell{ID: "another"}), "there is one cell")
		other := "another"
		at := november
		for name, i := range map[string]heal.Incident{
			"ended without a time":      {ID: "a", OpenedAt: at, SickAt: at},
			"open under another key":    {ID: "a", OpenedAt: at, SickAt: at, OpenKey: &other},
			"an alarm without its time": {ID: "a", OpenedAt: at, SickAt: at, EndedAt: &at, Alarm: "help"},
			"a time without its alarm":  {ID: "a", OpenedAt: at, SickAt: at, EndedAt: &at, AlarmAt: &at},
			"sick before it began":      {ID: "a", OpenedAt: at, SickAt: at.Add(-time.Second), EndedAt: &at},
		} {
			i.Steps = []heal.Mended{}
			require.Error(t, s.Put(t, &i), name)
		}
		require.NoError(t, s.Put(t, &heal.Incident{ID: "a", Steps: []heal.Mended{}, OpenedAt: at, SickAt: at, EndedAt: &at}))
		require.Error(t, s.Exec("UPDATE incidents SET failing = -1"))
		require.Error(t, s.Exec("UPDATE cells SET failing = -1"))
	})
}
