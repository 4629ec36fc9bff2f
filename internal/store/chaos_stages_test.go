package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func runNow(t *testing.T, s *store.DB, id string) chaos.Run {
	t.Helper()
	r, err := s.Chaos.ChaosRun(t.Context(), id)
	require.NoError(t, err)
	return r
}

func times(ms int) *int { return &ms }

func TestChaosGoesThroughItsStages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		asked := askChaos(t, s, chaos.Visitors, "ada", november)
		r := runNow(t, s, asked.ID)
		require.Equal(t, chaos.Requested, r.Stage)
		require.Equal(t, chaos.OnTheCell, *r.OpenKey)
		require.WithinDuration(t, november, r.RequestedAt, 0)

		for _, run := range []string{"first", "second"} {
			r, err := s.Chaos.BeginChaos(t.Context(), asked.ID, "chaos:cell", run)
			require.NoError(t, err)
			require.Equal(t, []any{chaos.Checking, "chaos:cell", run}, []any{r.Stage, r.WorkflowID, r.RunID})
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
		_, err := s.Chaos.BeginChaos(t.Context(), asked.ID, "chaos:cell", "third")
		require.NoError(t, err)
		r = runNow(t, s, asked.ID)
		require.Equal(t, chaos.Watching, r.Stage)
		require.Equal(t, november.Add(1001*time.Millisecond), r.InjectedAt.UTC(), "in whole milliseconds, as probes are")
		require.WithinDuration(t, lease.Add(time.Second), *r.LeaseUntil, 0)
	})
}

func TestTheFirstEndOfChaosStays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, november, november.Add(time.Minute)))
		want := chaos.Outcome{Verdict: chaos.HealedLate, Reason: "It was slow.", Restored: true, DetectMS: times(250), HealMS: times(7000)}
		first, err := s.Chaos.EndChaos(t.Context(), r.ID, want, november.Add(8*time.Second))
		require.NoError(t, err)
		again, err := s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed}, november.Add(time.Hour))
		require.NoError(t, err)
		stored := runNow(t, s, r.ID)
		for _, r := range []chaos.Run{first, again, stored} {
			require.Equal(t, want, chaos.Outcome{Verdict: r.Verdict, Reason: r.Reason, Restored: r.Restored, DetectMS: r.DetectMS, HealMS: r.HealMS})
			require.Equal(t, chaos.Ended, r.Stage)
			require.Nil(t, r.OpenKey)
			require.WithinDuration(t, november.Add(8*time.Second), *r.EndedAt, 0)
		}

		_, err = s.Chaos.BeginChaos(t.Context(), r.ID, "w", "r")
		require.Equal(t, problem.Conflict, problem.CodeOf(err))
		require.Equal(t, problem.Conflict, problem.CodeOf(s.Chaos.LeaseChaos(t.Context(), r.ID, november)))
		require.Equal(t, problem.Conflict, problem.CodeOf(s.Chaos.InjectedChaos(t.Context(), r.ID, november, november)))
		_, err = s.Chaos.EndChaos(t.Context(), "nobody", want, november)
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
		askChaos(t, s, chaos.Founders, "", november)
	})
}

// The members have addresses, too; only the founder is written to.
func TestFoundersAreToldOfChaosThatFailed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		concerned(t, s)
		endChaos(t, s, askChaos(t, s, chaos.Founders, "", november).ID, november)
		require.Empty(t, letters(t, s, email.CellAlarm), "nobody needs help")

		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, november.Add(time.Second), november.Add(time.Minute)))
		failed := chaos.Outcome{Verdict: chaos.Failed, Reason: "It was not well when its lease of 30 s ended."}
		for range 2 {
			_, err := s.Chaos.EndChaos(t.Context(), r.ID, failed, november.Add(40*time.Second))
			require.NoError(t, err)
		}
		require.Equal(t, map[string][]map[string]string{"grace@example.com": {{
			"Alarm": "The chaos run crash-api was not healed. It was not well when its lease of 30 s ended. The healer had nothing that it could mend.",
			"Since": november.Add(time.Second).Format("2 January 2006 15:04:05 UTC"),
		}}}, letters(t, s, email.CellAlarm))
	})
}

// One trouble, one letter: the healer's alarm and the verdict speak of the same incident.
func TestChaosThatFailedAndItsAlarmAreOneLetter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		concerned(t, s)
		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, november, november.Add(time.Minute)))
		_, err := s.Chaos.BeginIncident(t.Context(), heal.Incident{
			ID: "i1", OpenedAt: november.Add(time.Second), SickAt: november.Add(time.Second), Steps: []heal.Mended{{Kind: heal.Restart, At: november}},
		})
		require.NoError(t, err)
		_, err = s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "So."}, november.Add(time.Minute))
		require.NoError(t, err)
		require.NoError(t, s.Chaos.RaiseAlarm(t.Context(), "i1", "It stays sick.", november.Add(time.Minute)))
		found := letters(t, s, email.CellAlarm)["grace@example.com"]
		require.Len(t, found, 1)
		require.Equal(t, "The chaos run crash-api was not healed. So. The healer started the process anew once.", found[0]["Alarm"])
	})
}

// Without its letter there is no verdict: they are one transaction.
// Proves: V2.3.3
func TestAVerdictWithoutItsLetterIsNone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		concerned(t, s)
		r := askChaos(t, s, chaos.Founders, "", november)
		require.NoError(t, s.Exec("ALTER TABLE letters RENAME TO letters_gone"))
		_, err := s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "So."}, november)
		require.Error(t, err)
		require.Equal(t, chaos.Requested, runNow(t, s, r.ID).Stage)
	})
}

func TestFoundersWithoutNoticesAreNotAlarmed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		concerned(t, s)
		require.NoError(t, s.Exec("UPDATE accounts SET notices = false"))
		r := askChaos(t, s, chaos.Founders, "", november)
		_, err := s.Chaos.EndChaos(t.Context(), r.ID, chaos.Outcome{Verdict: chaos.Failed, Reason: "So."}, november)
		require.NoError(t, err)
		require.Empty(t, letters(t, s, email.CellAlarm))
	})
}
