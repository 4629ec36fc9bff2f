package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/store"
)

func newIncident(id string, at time.Time) heal.Incident {
	return heal.Incident{ID: id, Failing: target.Failed(target.CheckAPI), WorkflowID: "self-heal:chaos-target", RunID: "r", OpenedAt: at, UnhealthyAt: at.Add(time.Second)}
}

func beginIncident(t *testing.T, s *store.DB, id string, at time.Time) heal.Incident {
	t.Helper()
	return must(s.Chaos.BeginIncident(t.Context(), newIncident(id, at)))(t)
}

func openNow(t *testing.T, s *store.DB) *heal.Incident {
	t.Helper()
	return must(s.Chaos.OpenIncident(t.Context()))(t)
}

func TestIncidents(t *testing.T) {
	t.Parallel()
	each(t, "one incident is open at a time", func(t *testing.T, s *store.DB) {
		require.Nil(t, openNow(t, s))
		begun := make([]heal.Incident, 20)
		require.Equal(t, 20, atOnce(t, len(begun), func(i int) (err error) {
			begun[i], err = s.Chaos.BeginIncident(t.Context(), newIncident("i"+string(rune('a'+i)), november))
			return err
		}))
		open := openNow(t, s)
		require.Equal(t, []string{idOf(open)}, slices.Compact(idsOf(begun)))
		require.Equal(t, 1, s.Count(t, "incidents"))
		require.NoError(t, s.Chaos.EndIncident(t.Context(), open.ID, november.Add(time.Minute)))
		require.NoError(t, s.Chaos.EndIncident(t.Context(), open.ID, november.Add(time.Hour)), "the first end stays")
		require.Nil(t, openNow(t, s))
		require.Equal(t, "second", beginIncident(t, s, "second", november.Add(time.Hour)).ID)
		again := beginIncident(t, s, open.ID, november)
		require.Equal(t, []any{open.ID, november.Add(time.Minute)}, []any{again.ID, again.EndedAt.UTC()}, "the same one is not begun again")
	})
	each(t, "incidents keep what was done", func(t *testing.T, s *store.DB) {
		i := beginIncident(t, s, "i1", november)
		require.NotNil(t, i.Steps)
		files := heal.Repair{Kind: heal.RestoreFiles, Files: []string{target.FileHome}, At: november.Add(123456789), MS: 4, Error: "No."}
		restart := heal.Repair{Kind: heal.Restart, At: november.Add(123456789)}
		for range 2 {
			require.NoError(t, s.Chaos.NoteIncident(t.Context(), "i1", target.Failed(target.CheckDatabase), []heal.Repair{files}))
		}
		require.NoError(t, s.Chaos.NoteIncident(t.Context(), "i1", 0, []heal.Repair{files, restart}))
		later := files
		later.At = later.At.Add(time.Second)
		require.NoError(t, s.Chaos.NoteIncident(t.Context(), "i1", target.Failed(target.CheckAPI), []heal.Repair{later}))

		open := openNow(t, s)
		require.Equal(t, target.Failed(target.CheckAPI, target.CheckDatabase), open.Failing)
		files.At = files.At.Truncate(time.Microsecond)
		restart.At, later.At = files.At, files.At.Add(time.Second)
		require.Equal(t, []heal.Repair{files, restart, later}, open.Steps)
		require.WithinDuration(t, november.Add(time.Second), open.UnhealthyAt, 0)
		require.Equal(t, problem.NotFound, problem.CodeOf(s.Chaos.NoteIncident(t.Context(), "nobody", 0, nil)))
	})
	each(t, "an alarm is raised once", func(t *testing.T, s *store.DB) {
		concerned(t, s)
		beginIncident(t, s, "i1", november)
		require.NoError(t, s.Chaos.RaiseAlarm(t.Context(), "i1", "It stays sick.", november.Add(time.Minute)))
		require.NoError(t, s.Chaos.RaiseAlarm(t.Context(), "i1", "It is sicker.", november.Add(time.Hour)))
		open := openNow(t, s)
		require.Equal(t, []any{"It stays sick.", november.Add(time.Minute)}, []any{open.Alarm, open.AlarmAt.UTC()})
		require.Equal(t, map[string][]map[string]string{"grace@example.com": {{
			"Alarm": "It stays sick.", "Since": november.Format("2 January 2006 15:04:05 UTC"),
		}}}, emails(t, s, email.TargetAlarm))
	})
	each(t, "an alarm without its email is rolled back", func(t *testing.T, s *store.DB) {
		concerned(t, s)
		beginIncident(t, s, "i1", november)
		require.NoError(t, s.Exec("ALTER TABLE emails RENAME TO emails_gone"))
		require.Error(t, s.Chaos.RaiseAlarm(t.Context(), "i1", "It stays sick.", november))
		require.Empty(t, openNow(t, s).Alarm)
	})
	each(t, "incidents are listed", func(t *testing.T, s *store.DB) {
		minute := func(n int) time.Time { return november.Add(time.Duration(n) * time.Minute) }
		for n, id := range []string{"a", "b", "c"} {
			beginIncident(t, s, id, minute(10*n))
			if id != "c" {
				require.NoError(t, s.Chaos.EndIncident(t.Context(), id, minute(10*n+1)))
			}
		}
		list, total := must2(s.Chaos.Incidents(t.Context(), 2, 1))(t)
		require.Equal(t, []any{[]string{"b", "a"}, 3}, []any{idsOf(list), total})
		require.Equal(t, "b", idOf(must(s.Chaos.IncidentDuring(t.Context(), minute(5), minute(90)))(t)), "the first of several")
		require.Nil(t, must(s.Chaos.IncidentDuring(t.Context(), minute(2), minute(9)))(t), "between two")
	})
}

func targetNow(t *testing.T, s *store.DB) heal.TargetState {
	t.Helper()
	return must(s.Chaos.TargetState(t.Context()))(t)
}

func TestChaosTarget(t *testing.T) {
	t.Parallel()
	each(t, "a target that was never seen", func(t *testing.T, s *store.DB) {
		require.Equal(t, heal.TargetState{ID: chaos.TargetKey, ManifestFiles: []target.File{}, ChaosOn: true}, targetNow(t, s))
	})
	each(t, "the target as last seen", func(t *testing.T, s *store.DB) {
		signed := target.Signed{Note: "note", Verifier: "key", Files: []target.File{{Name: target.FileHome, Size: 3, SHA256: "ab"}}}
		require.NoError(t, s.Chaos.SaveManifest(t.Context(), signed))
		all, started := target.Failed(target.Checks()...), november.Add(-time.Hour)
		require.NoError(t, s.Chaos.SaveTargetState(t.Context(), heal.Observation{At: november, Failing: all, Process: 42, StartedAt: &started}))
		c := targetNow(t, s)
		require.Equal(t, []any{all, 42, signed.Files, "note", "key"}, []any{c.Failing, c.ProcessID, c.ManifestFiles, c.SignedNote, c.VerifierKey})
		require.WithinDuration(t, november, *c.SeenAt, 0)
		require.WithinDuration(t, started, *c.StartedAt, 0)

		require.NoError(t, s.Chaos.SaveTargetState(t.Context(), heal.Observation{At: november.Add(-time.Second), Process: 41}))
		require.Equal(t, 42, targetNow(t, s).ProcessID, "what is older says nothing new")
		require.NoError(t, s.Chaos.SaveTargetState(t.Context(), heal.Observation{At: november.Add(time.Second)}))
		c = targetNow(t, s)
		require.Equal(t, []any{target.Failing(0), 0}, []any{c.Failing, c.ProcessID})
		require.Nil(t, c.StartedAt)
		require.Equal(t, []any{"note", true}, []any{c.SignedNote, c.ChaosOn})
	})
	each(t, "the chaos switch", func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Chaos.SaveTargetState(t.Context(), heal.Observation{At: november, Process: 42}))
		was, is := must2(s.Chaos.SetChaosSwitch(t.Context(), false, "grace", "We rest.", november))(t)
		require.Equal(t, []chaos.KillSwitch{{On: true}, {By: "grace", Reason: "We rest.", At: &november}}, []chaos.KillSwitch{was, is})
		c := targetNow(t, s)
		require.Equal(t, []any{false, 42}, []any{c.ChaosOn, c.ProcessID}, "nothing else has changed")
		was, is = must2(s.Chaos.SetChaosSwitch(t.Context(), true, "ada", "", november.Add(time.Hour)))(t)
		require.Equal(t, []any{false, "grace", "We rest.", november}, []any{was.On, was.By, was.Reason, was.At.UTC()})
		require.Equal(t, []any{true, "ada", ""}, []any{is.On, is.By, is.Reason})
	})
}
