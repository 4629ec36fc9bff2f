package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/email"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func newIncident(id string, at time.Time) heal.Incident {
	return heal.Incident{ID: id, Failing: target.Failed(target.CheckAPI), WorkflowID: "self-heal:cell", RunID: "r", OpenedAt: at, SickAt: at.Add(time.Second)}
}

func beginIncident(t *testing.T, s *store.DB, id string, at time.Time) heal.Incident {
	t.Helper()
	i, err := s.Chaos.BeginIncident(t.Context(), newIncident(id, at))
	require.NoError(t, err)
	return i
}

func openNow(t *testing.T, s *store.DB) *heal.Incident {
	t.Helper()
	i, err := s.Chaos.OpenIncident(t.Context())
	require.NoError(t, err)
	return i
}

func TestOneIncidentIsOpenAtATime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.Nil(t, openNow(t, s))
		var all sync.WaitGroup
		begun := make([]heal.Incident, 20)
		for i := range begun {
			all.Go(func() {
				var err error
				if begun[i], err = s.Chaos.BeginIncident(t.Context(), newIncident("i"+string(rune('a'+i)), november)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		open := openNow(t, s)
		require.NotNil(t, open)
		for _, i := range begun {
			require.Equal(t, open.ID, i.ID)
		}
		require.Equal(t, 1, s.Count(t, "incidents"))

		require.NoError(t, s.Chaos.EndIncident(t.Context(), open.ID, november.Add(time.Minute)))
		require.NoError(t, s.Chaos.EndIncident(t.Context(), open.ID, november.Add(time.Hour)), "the first end stays")
		require.Nil(t, openNow(t, s))
		second := beginIncident(t, s, "second", november.Add(time.Hour))
		require.Equal(t, "second", second.ID)
		again := beginIncident(t, s, open.ID, november)
		require.Equal(t, open.ID, again.ID, "the same one is not begun again")
		require.WithinDuration(t, november.Add(time.Minute), *again.EndedAt, 0)
	})
}

func TestIncidentsKeepWhatWasDone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		i := beginIncident(t, s, "i1", november)
		require.NotNil(t, i.Steps)
		files := heal.Mended{Kind: heal.RestoreFiles, Files: []string{target.FileHome}, At: november.Add(123456789), MS: 4, Error: "No."}
		restart := heal.Mended{Kind: heal.Restart, At: november.Add(123456789)}
		for range 2 {
			require.NoError(t, s.Chaos.NoteIncident(t.Context(), "i1", target.Failed(target.CheckDatabase), []heal.Mended{files}))
		}
		require.NoError(t, s.Chaos.NoteIncident(t.Context(), "i1", 0, []heal.Mended{files, restart}))
		later := files
		later.At = later.At.Add(time.Second)
		require.NoError(t, s.Chaos.NoteIncident(t.Context(), "i1", target.Failed(target.CheckAPI), []heal.Mended{later}))

		open := openNow(t, s)
		require.Equal(t, target.Failed(target.CheckAPI, target.CheckDatabase), open.Failing)
		files.At = files.At.Truncate(time.Microsecond)
		restart.At, later.At = files.At, files.At.Add(time.Second)
		require.Equal(t, []heal.Mended{files, restart, later}, open.Steps)
		require.WithinDuration(t, november.Add(time.Second), open.SickAt, 0)
		require.Equal(t, problem.NotFound, problem.CodeOf(s.Chaos.NoteIncident(t.Context(), "nobody", 0, nil)))
	})
}

func TestAnAlarmIsRaisedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		concerned(t, s)
		beginIncident(t, s, "i1", november)
		require.NoError(t, s.Chaos.RaiseAlarm(t.Context(), "i1", "It stays sick.", november.Add(time.Minute)))
		require.NoError(t, s.Chaos.RaiseAlarm(t.Context(), "i1", "It is sicker.", november.Add(time.Hour)))
		open := openNow(t, s)
		require.Equal(t, "It stays sick.", open.Alarm)
		require.WithinDuration(t, november.Add(time.Minute), *open.AlarmAt, 0)
		require.Equal(t, map[string][]map[string]string{"grace@example.com": {{
			"Alarm": "It stays sick.", "Since": november.Format("2 January 2006 15:04:05 UTC"),
		}}}, letters(t, s, email.CellAlarm))
	})
}

func TestAnAlarmWithoutItsLetterIsNone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		concerned(t, s)
		beginIncident(t, s, "i1", november)
		require.NoError(t, s.Exec("ALTER TABLE letters RENAME TO letters_gone"))
		require.Error(t, s.Chaos.RaiseAlarm(t.Context(), "i1", "It stays sick.", november))
		require.Empty(t, openNow(t, s).Alarm)
	})
}

func TestIncidentsAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for n, id := range []string{"a", "b", "c"} {
			at := november.Add(time.Duration(10*n) * time.Minute)
			beginIncident(t, s, id, at)
			if id != "c" {
				require.NoError(t, s.Chaos.EndIncident(t.Context(), id, at.Add(time.Minute)))
			}
		}
		list, total, err := s.Chaos.Incidents(t.Context(), 2, 1)
		require.NoError(t, err)
		require.Equal(t, 3, total)
		require.Equal(t, []string{"b", "a"}, []string{list[0].ID, list[1].ID})

		minute := func(n int) time.Time { return november.Add(time.Duration(n) * time.Minute) }
		for name, tt := range map[string]struct {
			from, to time.Time
			want     string
		}{
			"before all":             {minute(-2), minute(-1), ""},
			"as one began":           {minute(-2), minute(0), "a"},
			"as one ended":           {minute(1), minute(2), "a"},
			"between two":            {minute(2), minute(9), ""},
			"the first of several":   {minute(5), minute(90), "b"},
			"one that is open still": {minute(50), minute(51), "c"},
		} {
			i, err := s.Chaos.IncidentDuring(t.Context(), tt.from, tt.to)
			require.NoError(t, err, name)
			if tt.want == "" {
				require.Nil(t, i, name)
				continue
			}
			require.NotNil(t, i, name)
			require.Equal(t, tt.want, i.ID, name)
		}
	})
}
