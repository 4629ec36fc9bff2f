package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
)

// put stores a run that is over, minutes after november.
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

func chaosIDs(runs []chaos.Run) (ids []string) {
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return ids
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
			require.Equal(t, tt.want, chaosIDs(runs), name)
			require.Equal(t, tt.total, total, name)
		}
		since := must(s.Chaos.EndedChaosSince(t.Context(), november.Add(2*time.Minute+50*time.Second)))(t)
		require.Equal(t, []string{"d", "c", "b"}, chaosIDs(since), "also what ended just then")
		require.Equal(t, problem.NotFound, codeOf(s.Chaos.ChaosRun(t.Context(), "nobody")))
	})
	each(t, "EachChaosRun leaves none out", func(t *testing.T, s *store.DB) {
		var want []string
		for i := range 1001 { // more than two pages; three of each minute
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
		at := func(minutes, seconds int) time.Time {
			return november.Add(time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second)
		}
		for name, tt := range map[string]struct {
			from, to time.Time
			want     string
		}{
			"it was not broken":           {at(1, 0), at(1, 50), ""},
			"it ended as this began":      {at(10, 50), at(11, 0), "first"},
			"it had ended":                {at(10, 51), at(11, 0), ""},
			"it was broken as this ended": {at(9, 0), at(10, 0), "first"},
			"it was broken later":         {at(9, 0), at(9, 59), ""},
			"the first of two":            {at(9, 0), at(25, 0), "first"},
			"the second only":             {at(12, 0), at(25, 0), "second"},
			"it is broken still":          {at(50, 0), at(51, 0), open.ID},
		} {
			r := must(s.Chaos.ChaosDuring(t.Context(), tt.from, tt.to))(t, name)
			if tt.want == "" {
				require.Nil(t, r, name)
				continue
			}
			require.NotNil(t, r, name)
			require.Equal(t, tt.want, r.ID, name)
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
		check := must(s.Chaos.HistoryCheck(t.Context(), "w", "r"))(t)
		require.Nil(t, check)
		first := chaos.HistoryCheck{WorkflowID: "w", RunID: "r", Events: 3, Message: "It differs.", Build: "one", CheckedAt: november}
		second := chaos.HistoryCheck{WorkflowID: "w", RunID: "r", Passed: true, Events: 4, Build: "two", CheckedAt: november.Add(time.Hour)}
		for _, c := range []chaos.HistoryCheck{first, second, {WorkflowID: "w", RunID: "another", CheckedAt: november}} {
			require.NoError(t, s.Chaos.SaveHistoryCheck(t.Context(), c))
		}
		check = must(s.Chaos.HistoryCheck(t.Context(), "w", "r"))(t)
		check.CheckedAt = check.CheckedAt.UTC()
		require.Equal(t, second, *check)
	})
}
