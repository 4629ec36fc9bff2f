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
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
)

func newRun(by chaos.Requester, at time.Time) chaos.Run {
	return chaos.Run{ID: xid.New().String(), Fault: "crash-api", Source: "page", RequestedBy: by, PromiseMS: 5000, LeaseMS: 30_000, RequestedAt: at}
}

// askChaos asks for a run, which must begin.
func askChaos(t *testing.T, s *store.DB, by chaos.Requester, visitor string, at time.Time) chaos.Run {
	t.Helper()
	r := newRun(by, at)
	require.NoError(t, s.Chaos.RequestChaos(t.Context(), r, visitor))
	return r
}

// endChaos ends a run that came to nothing.
func endChaos(t *testing.T, s *store.DB, id string, at time.Time) {
	t.Helper()
	must(s.Chaos.EndChaos(t.Context(), id, chaos.Outcome{Verdict: chaos.Aborted, Reason: "so", Restored: true}, at))(t)
}

// Proves: V15.4.2, V2.4.1-chaos
func TestChaosLimits(t *testing.T) {
	t.Parallel()
	each(t, "many requests at once are one run", func(t *testing.T, s *store.DB) {
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
	each(t, "per visitor", func(t *testing.T, s *store.DB) {
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
	each(t, "for all callers together", func(t *testing.T, s *store.DB) {
		for i := range chaos.Overall.Most {
			by, visitor := chaos.Visitors, "v"+strconv.Itoa(i)
			if i%2 == 0 {
				by, visitor = chaos.Founders, "" // they count for everybody, though not for themselves
			}
			endChaos(t, s, askChaos(t, s, by, visitor, november).ID, november)
		}
		for _, by := range []chaos.Requester{chaos.Visitors, chaos.Members, chaos.Founders} {
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
	each(t, "the game day is not counted", func(t *testing.T, s *store.DB) {
		askChaos(t, s, chaos.Schedule, "", november)
		require.Zero(t, s.Count(t, "rate_windows"))
	})
	each(t, "a run is refused while it must not start", func(t *testing.T, s *store.DB) {
		refused := func(code problem.Code, text string) {
			t.Helper()
			for _, by := range []chaos.Requester{chaos.Visitors, chaos.Founders, chaos.Schedule} {
				err := s.Chaos.RequestChaos(t.Context(), newRun(by, november), "ada")
				require.Equal(t, code, problem.CodeOf(err), "%s: %v", by, err)
				require.EqualError(t, err, text)
			}
			require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket LIKE 'chaos-visitor:ada'"))
		}
		open := askChaos(t, s, chaos.Founders, "", november)
		refused(problem.ChaosRunning, "A chaos run is under way. Look at it, and start yours when it has ended.")

		must(s.Chaos.BeginIncident(t.Context(), heal.Incident{ID: "i1", OpenedAt: november, SickAt: november}))(t)
		refused(problem.IncidentOpen, "The cell is sick already, and being healed. Try again when it is well.")

		must2(s.Chaos.SetChaosSwitch(t.Context(), false, "grace", "We rest.", november))(t)
		refused(problem.ChaosOff, "The founders have switched chaos off. They say: We rest.")
		must2(s.Chaos.SetChaosSwitch(t.Context(), false, "grace", "", november))(t)
		refused(problem.ChaosOff, "The founders have switched chaos off.")

		must2(s.Chaos.SetChaosSwitch(t.Context(), true, "grace", "", november))(t)
		endChaos(t, s, open.ID, november)
		require.NoError(t, s.Chaos.EndIncident(t.Context(), "i1", november))
		askChaos(t, s, chaos.Visitors, "ada", november)
	})
}

func runNow(t *testing.T, s *store.DB, id string) chaos.Run {
	t.Helper()
	return must(s.Chaos.ChaosRun(t.Context(), id))(t)
}

func times(ms int) *int { return &ms }

// Proves: V2.3.3
func TestChaosRuns(t *testing.T) {
	t.Parallel()
	each(t, "a run goes through its stages", func(t *testing.T, s *store.DB) {
		asked := askChaos(t, s, chaos.Visitors, "ada", november)
		r := runNow(t, s, asked.ID)
		require.Equal(t, []any{chaos.Requested, chaos.TargetKey}, []any{r.Stage, *r.OpenKey})
		require.WithinDuration(t, november, r.RequestedAt, 0)

		for _, run := range []string{"first", "second"} {
			r := must(s.Chaos.BeginChaos(t.Context(), asked.ID, "chaos:chaos-target", run))(t)
			require.Equal(t, []any{chaos.Checking, "chaos:chaos-target", run}, []any{r.Stage, r.WorkflowID, r.RunID})
		}
		lease := november.Add(31 * time.Second)
		for range 2 {
			require.NoError(t, s.Chaos.LeaseChaos(t.Context(), asked.ID, lease))
			r = runNow(t, s, asked.ID)
			require.Equal(t, chaos.Breaking, r.Stage)
			require.WithinDuration(t, lease, *r.LeaseUntil, 0)
		}
		at := november.Add(time.Second + 1234567*time.Nanosecond)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), asked.ID, at, lease.Add(time.Second)))
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), asked.ID, at.Add(time.Second), lease.Add(time.Hour)), "the first stays")
		require.NoError(t, s.Chaos.LeaseChaos(t.Context(), asked.ID, lease), "one that comes too late changes nothing")
		must(s.Chaos.BeginChaos(t.Context(), asked.ID, "chaos:chaos-target", "third"))(t)
		r = runNow(t, s, asked.ID)
		require.Equal(t, chaos.Watching, r.Stage)
		require.Equal(t, november.Add(1001*time.Millisecond), r.InjectedAt.UTC(), "in whole milliseconds, as probes are")
		require.WithinDuration(t, lease.Add(time.Second), *r.LeaseUntil, 0)
	})
	each(t, "the first end stays", func(t *testing.T, s *store.DB) {
		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, november, november.Add(time.Minute)))
		want := chaos.Outcome{Verdict: chaos.HealedLate, Reason: "It was slow.", Restored: true, DetectMS: times(250), HealMS: times(7000)}
		first := must(s.Chaos.EndChaos(t.Context(), r.ID, want, november.Add(8*time.Second)))(t)
		again := must(s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed}, november.Add(time.Hour)))(t)
		stored := runNow(t, s, r.ID)
		for _, r := range []chaos.Run{first, again, stored} {
			require.Equal(t, want, chaos.Outcome{Verdict: r.Verdict, Reason: r.Reason, Restored: r.Restored, DetectMS: r.DetectMS, HealMS: r.HealMS})
			require.Equal(t, chaos.Ended, r.Stage)
			require.Nil(t, r.OpenKey)
			require.WithinDuration(t, november.Add(8*time.Second), *r.EndedAt, 0)
		}

		require.Equal(t, problem.Conflict, codeOf(s.Chaos.BeginChaos(t.Context(), r.ID, "w", "r")))
		require.Equal(t, problem.Conflict, problem.CodeOf(s.Chaos.LeaseChaos(t.Context(), r.ID, november)))
		require.Equal(t, problem.Conflict, problem.CodeOf(s.Chaos.InjectedChaos(t.Context(), r.ID, november, november)))
		require.Equal(t, problem.NotFound, codeOf(s.Chaos.EndChaos(t.Context(), "nobody", want, november)))
		askChaos(t, s, chaos.Founders, "", november)
	})
	// The members have addresses, too; only the founder is written to.
	each(t, "founders are notified of a failed run", func(t *testing.T, s *store.DB) {
		concerned(t, s)
		endChaos(t, s, askChaos(t, s, chaos.Founders, "", november).ID, november)
		require.Empty(t, letters(t, s, email.CellAlarm), "nobody needs help")
		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, november.Add(time.Second), november.Add(time.Minute)))
		failed := chaos.Outcome{Verdict: chaos.Failed, Reason: "It was not well when its lease of 30 s ended."}
		for range 2 {
			must(s.Chaos.EndChaos(t.Context(), r.ID, failed, november.Add(40*time.Second)))(t)
		}
		require.Equal(t, map[string][]map[string]string{"grace@example.com": {{
			"Alarm": "The chaos run crash-api was not healed. It was not well when its lease of 30 s ended. The healer had nothing that it could mend.",
			"Since": november.Add(time.Second).Format("2 January 2006 15:04:05 UTC"),
		}}}, letters(t, s, email.CellAlarm))
	})
	// One trouble, one letter: the healer's alarm and the verdict speak of the same incident.
	each(t, "a failed run and its alarm are one email", func(t *testing.T, s *store.DB) {
		concerned(t, s)
		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, november, november.Add(time.Minute)))
		must(s.Chaos.BeginIncident(t.Context(), heal.Incident{
			ID: "i1", OpenedAt: november.Add(time.Second), SickAt: november.Add(time.Second), Steps: []heal.Repair{{Kind: heal.Restart, At: november}},
		}))(t)
		must(s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "So."}, november.Add(time.Minute)))(t)
		require.NoError(t, s.Chaos.RaiseAlarm(t.Context(), "i1", "It stays sick.", november.Add(time.Minute)))
		found := letters(t, s, email.CellAlarm)["grace@example.com"]
		require.Len(t, found, 1)
		require.Equal(t, "The chaos run crash-api was not healed. So. The healer started the process anew once.", found[0]["Alarm"])
	})
	// Without its letter there is no verdict: they are one transaction.
	each(t, "a verdict without its email is rolled back", func(t *testing.T, s *store.DB) {
		concerned(t, s)
		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Exec("ALTER TABLE letters RENAME TO letters_gone"))
		require.Error(t, errOf(s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "So."}, november)))
		require.Equal(t, chaos.Requested, runNow(t, s, r.ID).Stage)
	})
	each(t, "founders without notices get no email", func(t *testing.T, s *store.DB) {
		concerned(t, s)
		require.NoError(t, s.Exec("UPDATE accounts SET notices = false"))
		r := askChaos(t, s, chaos.Founders, "", november)
		must(s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "So."}, november))(t)
		require.Empty(t, letters(t, s, email.CellAlarm))
	})
	// The database refuses what the code would never write, too.
	each(t, "invalid runs are refused", func(t *testing.T, s *store.DB) {
		put(t, s, "fine", 1, nil)
		open, other := chaos.TargetKey, "another"
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
	each(t, "invalid targets and incidents are refused", func(t *testing.T, s *store.DB) {
		require.Error(t, s.Put(t, &heal.TargetState{ID: "another"}), "there is one cell")
		other := "another"
		at := november
		for name, i := range map[string]heal.Incident{
			"ended without a time":      {ID: "a", OpenedAt: at, SickAt: at},
			"open under another key":    {ID: "a", OpenedAt: at, SickAt: at, OpenKey: &other},
			"an alarm without its time": {ID: "a", OpenedAt: at, SickAt: at, EndedAt: &at, Alarm: "help"},
			"a time without its alarm":  {ID: "a", OpenedAt: at, SickAt: at, EndedAt: &at, AlarmAt: &at},
			"sick before it began":      {ID: "a", OpenedAt: at, SickAt: at.Add(-time.Second), EndedAt: &at},
		} {
			i.Steps = []heal.Repair{}
			require.Error(t, s.Put(t, &i), name)
		}
		require.NoError(t, s.Put(t, &heal.Incident{ID: "a", Steps: []heal.Repair{}, OpenedAt: at, SickAt: at, EndedAt: &at}))
		require.Error(t, s.Exec("UPDATE incidents SET failing = -1"))
		require.Error(t, s.Exec("UPDATE cells SET failing = -1"))
	})
}
