package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
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

func askChaos(t *testing.T, s *store.DB, by chaos.Requester, visitor string, at time.Time) chaos.Run {
	t.Helper()
	r := newRun(by, at)
	require.NoError(t, s.Chaos.RequestChaos(t.Context(), r, asker(visitor)))
	return r
}

func endChaos(t *testing.T, s *store.DB, id string, at time.Time) {
	t.Helper()
	must(s.Chaos.EndChaos(t.Context(), id, chaos.Outcome{Verdict: chaos.Aborted, Reason: "so", Restored: true}, at))(t)
}

// Proves: V15.4.2, V2.4.1-chaos
func TestChaosLimits(t *testing.T) {
	t.Parallel()
	each(t, "many requests at once are one run", func(t *testing.T, s *store.DB) {
		require.Equal(t, 1, atOnce(t, 200, func(i int) error {
			return s.Chaos.RequestChaos(t.Context(), newRun(chaos.Visitors, november), asker("v"+strconv.Itoa(i)))
		}, problem.ChaosRunning))
		require.Equal(t, 1, s.Count(t, "chaos_runs"))
		require.Equal(t, 3, s.Number(t, "SELECT sum(used) FROM rate_windows"), "refusals use nothing up")
	})
	each(t, "a run is refused while it must not start", func(t *testing.T, s *store.DB) {
		refused := func(code problem.Code, text string) {
			t.Helper()
			for _, by := range []chaos.Requester{chaos.Visitors, chaos.Founders, chaos.Schedule} {
				err := s.Chaos.RequestChaos(t.Context(), newRun(by, november), asker("ada"))
				require.Equal(t, code, problem.CodeOf(err), "%s: %v", by, err)
				require.EqualError(t, err, text)
			}
			require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket LIKE 'chaos-visitor:ada'"))
		}
		open := askChaos(t, s, chaos.Founders, "", november)
		refused(problem.ChaosRunning, "Another chaos test is running. Start yours when it has ended.")

		must(s.Chaos.BeginIncident(t.Context(), heal.Incident{ID: "i1", OpenedAt: november, UnhealthyAt: november}))(t)
		refused(problem.IncidentOpen, "The chaos target is already recovering from a fault. Try again when it is healthy.")

		must2(s.Chaos.SetChaosSwitch(t.Context(), false, "grace", "We rest.", november))(t)
		refused(problem.ChaosOff, "The founders have switched chaos testing off. Reason: We rest.")
		must2(s.Chaos.SetChaosSwitch(t.Context(), false, "grace", "", november))(t)
		refused(problem.ChaosOff, "The founders have switched chaos testing off.")

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

// Proves: V2.3.3
func TestChaosRuns(t *testing.T) {
	t.Parallel()
	each(t, "a run goes through its stages", func(t *testing.T, s *store.DB) {
		asked := askChaos(t, s, chaos.Visitors, "ada", november)
		r := runNow(t, s, asked.ID)
		require.Equal(t, []any{chaos.Requested, chaos.TargetKey, november}, []any{r.Stage, *r.OpenKey, r.RequestedAt.UTC()})
		for _, run := range []string{"first", "second"} {
			r := must(s.Chaos.BeginChaos(t.Context(), asked.ID, "chaos:chaos-target", run))(t)
			require.Equal(t, []any{chaos.Checking, "chaos:chaos-target", run}, []any{r.Stage, r.WorkflowID, r.RunID})
		}
		lease := november.Add(31 * time.Second)
		for range 2 {
			require.NoError(t, s.Chaos.LeaseChaos(t.Context(), asked.ID, lease))
			r = runNow(t, s, asked.ID)
			require.Equal(t, []any{chaos.Breaking, lease}, []any{r.Stage, r.LeaseUntil.UTC()})
		}
		at := november.Add(time.Second + 1234567*time.Nanosecond)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), asked.ID, at, lease.Add(time.Second)))
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), asked.ID, at.Add(time.Second), lease.Add(time.Hour)), "the first stays")
		require.NoError(t, s.Chaos.LeaseChaos(t.Context(), asked.ID, lease), "one that comes too late changes nothing")
		must(s.Chaos.BeginChaos(t.Context(), asked.ID, "chaos:chaos-target", "third"))(t)
		r = runNow(t, s, asked.ID)
		require.Equal(t, []any{chaos.Watching, lease.Add(time.Second)}, []any{r.Stage, r.LeaseUntil.UTC()})
		require.Equal(t, november.Add(1001*time.Millisecond), r.InjectedAt.UTC(), "in whole milliseconds, as probes are")
	})
	each(t, "the first end stays", func(t *testing.T, s *store.DB) {
		r, ended := askChaos(t, s, chaos.Founders, "", november), november.Add(8*time.Second)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, november, november.Add(time.Minute)))
		want := chaos.Outcome{Verdict: chaos.HealedLate, Reason: "It was slow.", Restored: true, DetectMS: new(250), HealMS: new(7000)}
		first := must(s.Chaos.EndChaos(t.Context(), r.ID, want, ended))(t)
		again := must(s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed}, november.Add(time.Hour)))(t)
		for _, r := range []chaos.Run{first, again, runNow(t, s, r.ID)} {
			require.Equal(t, want, chaos.Outcome{Verdict: r.Verdict, Reason: r.Reason, Restored: r.Restored, DetectMS: r.DetectMS, HealMS: r.HealMS})
			require.Equal(t, []any{chaos.Ended, (*string)(nil), ended}, []any{r.Stage, r.OpenKey, r.EndedAt.UTC()})
		}
		requireCode(t, problem.Conflict, errOf(s.Chaos.BeginChaos(t.Context(), r.ID, "w", "r")), s.Chaos.LeaseChaos(t.Context(), r.ID, november),
			s.Chaos.InjectedChaos(t.Context(), r.ID, november, november))
		requireCode(t, problem.NotFound, errOf(s.Chaos.EndChaos(t.Context(), "nobody", want, november)))
		askChaos(t, s, chaos.Founders, "", november)
	})
	// Members have addresses too, but only founders are notified.
	each(t, "founders are notified of a failed run", func(t *testing.T, s *store.DB) {
		concerned(t, s)
		endChaos(t, s, askChaos(t, s, chaos.Founders, "", november).ID, november)
		require.Empty(t, emails(t, s, email.TargetAlarm), "nobody needs help")
		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, november.Add(time.Second), november.Add(time.Minute)))
		failed := chaos.Outcome{Verdict: chaos.Failed, Reason: "It was unhealthy when its lease of 30 s ended."}
		for range 2 {
			must(s.Chaos.EndChaos(t.Context(), r.ID, failed, november.Add(40*time.Second)))(t)
		}
		require.Equal(t, map[string][]map[string]string{"grace@example.com": {{
			"Alarm": "The chaos run crash-api was not healed. It was unhealthy when its lease of 30 s ended. There was nothing for the healer to repair.",
			"Since": november.Add(time.Second).Format("2 January 2006 15:04:05 UTC"),
		}}}, emails(t, s, email.TargetAlarm))
	})
	// The healer's alarm and the verdict concern the same incident, so there is one email.
	each(t, "a failed run and its alarm are one email", func(t *testing.T, s *store.DB) {
		concerned(t, s)
		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, november, november.Add(time.Minute)))
		must(s.Chaos.BeginIncident(t.Context(), heal.Incident{
			ID: "i1", OpenedAt: november.Add(time.Second), UnhealthyAt: november.Add(time.Second), Steps: []heal.Repair{{Kind: heal.Restart, At: november}},
		}))(t)
		must(s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "So."}, november.Add(time.Minute)))(t)
		require.NoError(t, s.Chaos.RaiseAlarm(t.Context(), "i1", "It stays sick.", november.Add(time.Minute)))
		found := emails(t, s, email.TargetAlarm)["grace@example.com"]
		require.Len(t, found, 1)
		require.Equal(t, "The chaos run crash-api was not healed. So. The healer restarted the process once.", found[0]["Alarm"])
	})
	// The verdict and its email are one transaction. Founders without notices get none.
	each(t, "a verdict without its email is rolled back", func(t *testing.T, s *store.DB) {
		concerned(t, s)
		r := askChaos(t, s, chaos.Founders, "", november)
		end := func() error {
			return errOf(s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "So."}, november))
		}
		require.NoError(t, s.Exec("ALTER TABLE emails RENAME TO emails_gone"))
		require.Error(t, end())
		require.Equal(t, chaos.Requested, runNow(t, s, r.ID).Stage)
		require.NoError(t, s.Exec("ALTER TABLE emails_gone RENAME TO emails"))
		require.NoError(t, s.Exec("UPDATE accounts SET notices = false"))
		require.NoError(t, end())
		require.Empty(t, emails(t, s, email.TargetAlarm))
	})
}

// put stores an ended run, requested minutes after november.
func put(t *testing.T, s *store.DB, id string, minutes int, alter func(*chaos.Run)) {
	t.Helper()
	at := november.Add(time.Duration(minutes) * time.Minute)
	lease, ended := at.Add(40*time.Second), at.Add(50*time.Second)
	r := newRun(chaos.Schedule, at)
	r.ID, r.Stage, r.Verdict, r.InjectedAt, r.LeaseUntil, r.EndedAt = id, chaos.Ended, chaos.Failed, &at, &lease, &ended
	if alter != nil {
		alter(&r)
	}
	require.NoError(t, s.Put(t, &r))
}

func TestChaosLists(t *testing.T) {
	t.Parallel()
	each(t, "runs are listed newest first", func(t *testing.T, s *store.DB) {
		put(t, s, "a", 1, nil)
		put(t, s, "b", 2, func(r *chaos.Run) { r.Verdict, r.Fault = chaos.Aborted, "break-database" })
		put(t, s, "d", 3, func(r *chaos.Run) { r.Fault = "break-database" })
		put(t, s, "c", 3, nil)
		for name, tt := range map[string]struct {
			filter        chaos.Filter
			limit, offset int
			want          []string
			total         int
		}{
			"all, the newest first": {chaos.Filter{}, 10, 0, []string{"d", "c", "b", "a"}, 4},
			"a page of them":        {chaos.Filter{}, 2, 1, []string{"c", "b"}, 4},
			"of one fault":          {chaos.Filter{Fault: "break-database"}, 10, 0, []string{"d", "b"}, 2},
			"of one verdict":        {chaos.Filter{Verdict: chaos.Failed}, 2, 0, []string{"d", "c"}, 3},
			"of both":               {chaos.Filter{Fault: "break-database", Verdict: chaos.Failed}, 10, 0, []string{"d"}, 1},
			"none":                  {chaos.Filter{Fault: "another"}, 10, 0, nil, 0},
		} {
			runs, total := must2(s.Chaos.ChaosRuns(t.Context(), tt.filter, tt.limit, tt.offset))(t, name)
			require.Equal(t, []any{tt.want, tt.total}, []any{idsOf(runs), total}, name)
		}
		since := must(s.Chaos.EndedChaosSince(t.Context(), november.Add(2*time.Minute+50*time.Second)))(t)
		require.Equal(t, []string{"d", "c", "b"}, idsOf(since), "also what ended just then")
		require.Equal(t, problem.NotFound, codeOf(s.Chaos.ChaosRun(t.Context(), "nobody")))
	})
	each(t, "EachChaosRun leaves none out", func(t *testing.T, s *store.DB) {
		var want []string
		for i := range 1001 { // more than two pages; three runs per minute
			id := fmt.Sprintf("r%04d", i)
			put(t, s, id, i/3, nil)
			want = append(want, id)
		}
		slices.Reverse(want)
		var got []string
		require.NoError(t, s.Chaos.EachChaosRun(t.Context(), func(r chaos.Run) error {
			got = append(got, r.ID)
			return nil
		}))
		require.Equal(t, want, got)
		enough := errors.New("enough")
		require.ErrorIs(t, s.Chaos.EachChaosRun(t.Context(), func(chaos.Run) error { return enough }), enough)
	})
	each(t, "the last run and the open one", func(t *testing.T, s *store.DB) {
		require.Nil(t, must(s.Chaos.LastChaos(t.Context()))(t))
		require.Nil(t, must(s.Chaos.OpenChaos(t.Context()))(t))
		put(t, s, "old", 1, nil)
		put(t, s, "last", 2, nil)
		put(t, s, "aborted", 3, func(r *chaos.Run) { r.Verdict = chaos.Aborted })
		running := askChaos(t, s, chaos.Founders, "", november.Add(time.Hour))
		require.Equal(t, "last", must(s.Chaos.LastChaos(t.Context()))(t).ID)
		require.Equal(t, running.ID, must(s.Chaos.OpenChaos(t.Context()))(t).ID)
	})
	each(t, "the run during a period", func(t *testing.T, s *store.DB) {
		put(t, s, "never broken", 1, func(r *chaos.Run) { r.InjectedAt, r.Verdict = nil, chaos.Aborted })
		put(t, s, "first", 10, nil)
		put(t, s, "second", 20, nil)
		open := askChaos(t, s, chaos.Founders, "", november.Add(30*time.Minute))
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), open.ID, november.Add(30*time.Minute), november.Add(31*time.Minute)))
		at := func(minutes, seconds time.Duration) time.Time {
			return november.Add(minutes*time.Minute + seconds*time.Second)
		}
		for name, tt := range map[string]struct {
			from, to time.Time
			want     string
		}{
			"no fault was injected":                        {at(1, 0), at(1, 50), ""},
			"it ended as the interval began":               {at(10, 50), at(11, 0), "first"},
			"it had ended before":                          {at(10, 51), at(11, 0), ""},
			"the fault was injected as the interval ended": {at(9, 0), at(10, 0), "first"},
			"the fault was injected later":                 {at(9, 0), at(9, 59), ""},
			"the first of two":                             {at(9, 0), at(25, 0), "first"},
			"the second only":                              {at(12, 0), at(25, 0), "second"},
			"it has not ended":                             {at(50, 0), at(51, 0), open.ID},
		} {
			require.Equal(t, tt.want, idOf(must(s.Chaos.ChaosDuring(t.Context(), tt.from, tt.to))(t)), name)
		}
	})
	each(t, "replays of a run", func(t *testing.T, s *store.DB) {
		put(t, s, "first", 1, nil)
		repeats := func(r *chaos.Run) { id := "first"; r.ReplayOf = &id }
		put(t, s, "old", 2, repeats)
		put(t, s, "new", 3, repeats)
		require.Equal(t, []string{"new", "old"}, must(s.Chaos.ReplaysOf(t.Context(), "first"))(t))
		require.Empty(t, must(s.Chaos.ReplaysOf(t.Context(), "new"))(t))
	})
	each(t, "probes are kept in parts", func(t *testing.T, s *store.DB) {
		put(t, s, "a", 1, nil)
		part := func(number int, data ...byte) chaos.Part { return chaos.Part{RunID: "a", Part: number, Data: data} }
		for _, p := range []chaos.Part{part(1, 2), part(0, 0, 1), part(1, 3, 4)} {
			require.NoError(t, s.Chaos.SaveProbes(t.Context(), p))
		}
		require.Equal(t, []chaos.Part{part(0, 0, 1), part(1, 3, 4)}, must(s.Chaos.ChaosParts(t.Context(), "a"))(t))
		require.Empty(t, must(s.Chaos.ChaosParts(t.Context(), "b"))(t))
		require.Error(t, s.Chaos.SaveProbes(t.Context(), chaos.Part{RunID: "nobody", Data: []byte{1}}))
	})
	each(t, "the last history check is kept", func(t *testing.T, s *store.DB) {
		require.Nil(t, must(s.Chaos.HistoryCheck(t.Context(), "w", "r"))(t))
		first := chaos.HistoryCheck{WorkflowID: "w", RunID: "r", Events: 3, Message: "It differs.", Build: "one", CheckedAt: november}
		second := chaos.HistoryCheck{WorkflowID: "w", RunID: "r", Passed: true, Events: 4, Build: "two", CheckedAt: november.Add(time.Hour)}
		for _, c := range []chaos.HistoryCheck{first, second, {WorkflowID: "w", RunID: "another", CheckedAt: november}} {
			require.NoError(t, s.Chaos.SaveHistoryCheck(t.Context(), c))
		}
		check := must(s.Chaos.HistoryCheck(t.Context(), "w", "r"))(t)
		check.CheckedAt = check.CheckedAt.UTC()
		require.Equal(t, second, *check)
	})
}
