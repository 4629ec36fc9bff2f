package supervisor_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
)

// Proves: F34
func TestEveryFaultIsTakenBackWhenItsLeaseIsOver(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			broken := w.breakIt(name, "run_1", time.Second)
			w.becomesHealthy()
			require.False(t, time.Now().Before(broken.Until), "not before")
			require.NoFileExists(t, w.path("lease.json"))
			status, _ := w.get("/facts")
			require.Equal(t, http.StatusOK, status)
		})
	}
}

// Proves: F34
func TestEndOfALease(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		t.Run(name+" is reverted by command, repeatedly", func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			before := w.supervisor.Inspect().Process.ID
			broken := w.breakIt(name, "run_1", time.Minute)
			seen := w.supervisor.Inspect()
			require.Equal(t, time.Minute, broken.Until.Sub(seen.Lease.Since))
			require.True(t, len(seen.Files) > 0 || seen.Database != "" || seen.Process.ID != before, "%+v", seen)
			require.Equal(t, "run_1", seen.Lease.RunID)
			require.Equal(t, name, seen.Lease.Fault)
			require.FileExists(t, w.path("lease.json"))

			require.Equal(t, http.StatusOK, w.order(target.PathLease, target.LeaseEnd{RunID: "run_2"}, nil))
			require.False(t, isHealthy(w.supervisor.Inspect()), "another run ends nothing")
			require.Equal(t, http.StatusOK, w.order(target.PathLease, target.LeaseEnd{RunID: "run_1"}, nil))
			seen = w.supervisor.Inspect()
			require.True(t, isHealthy(seen), "%+v", seen)
			require.Equal(t, http.StatusOK, w.order(target.PathLease, target.LeaseEnd{RunID: "run_1"}, nil))
			require.Equal(t, seen.Process, w.supervisor.Inspect().Process, "nothing was repaired again")
		})
	}
	t.Run("changes nothing that was already repaired", func(t *testing.T) {
		t.Parallel()
		w := setup(t)
		w.breakIt("nuclear-option", "run_1", time.Minute)
		require.Equal(t, http.StatusOK, w.order(target.PathFiles, target.RestoreFiles{}, nil))
		require.Equal(t, http.StatusOK, w.order(target.PathDatabase, struct{}{}, nil))
		healed := w.supervisor.Inspect().Process
		require.Equal(t, http.StatusOK, w.order(target.PathLease, target.LeaseEnd{RunID: "run_1"}, nil))
		require.Equal(t, healed, w.supervisor.Inspect().Process)
	})
}

func TestARepeatedBreakBreaksNothingMore(t *testing.T) {
	t.Parallel()
	w := setup(t)
	first := w.breakIt("delete-og-image", "run_1", time.Minute)
	require.Equal(t, http.StatusOK, w.order(target.PathFiles, target.RestoreFiles{}, nil))
	require.Equal(t, first, w.breakIt("delete-og-image", "run_1", time.Hour/12))
	require.Empty(t, w.supervisor.Inspect().Files, "during the lease")
	require.Equal(t, "Another fault is active. Only one is allowed at a time.", w.refused("crash-api", "run_1"))
	require.Equal(t, "Another fault is active. Only one is allowed at a time.", w.refused("delete-og-image", "run_2"))

	require.Equal(t, http.StatusOK, w.order(target.PathLease, target.LeaseEnd{RunID: "run_1"}, nil))
	require.Equal(t, first, w.breakIt("delete-og-image", "run_1", time.Minute))
	require.Empty(t, w.supervisor.Inspect().Files, "after it")
	w.stop()
	w.start(nil)
	require.Equal(t, first, w.breakIt("delete-og-image", "run_1", time.Minute))
	require.Empty(t, w.supervisor.Inspect().Files, "after a restart of the supervisor")
	w.breakIt("delete-og-image", "run_2", time.Minute)
	require.Equal(t, []string{target.FileOGImage}, w.supervisor.Inspect().Files, "another run breaks it")
}

// Proves: F34
func TestALeaseOutlivesTheSupervisor(t *testing.T) {
	t.Parallel()
	write := func(w *world, name string, since, until time.Duration, injected bool) {
		now := time.Now().UTC()
		held := map[string]any{"runId": "run_1", "fault": name, "since": now.Add(since), "until": now.Add(until)}
		if injected {
			held["injectedAt"] = now.Add(since)
		}
		data, err := json.Marshal(held)
		require.NoError(w, err)
		require.NoError(w, os.WriteFile(w.path("lease.json"), data, 0o600))
	}
	for _, name := range names() {
		t.Run(name+" is reverted at the start if its lease is over", func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.breakIt(name, "run_1", time.Minute)
			w.stop()
			write(w, name, -time.Minute, -time.Second, true)
			w.start(nil)
			w.becomesHealthy()
			require.Equal(t, 1, w.supervisor.Inspect().Process.Starts)
		})
	}
	t.Run("an open lease stays and ends on time", func(t *testing.T) {
		t.Parallel()
		w := setup(t)
		w.breakIt("delete-templates", "run_1", time.Minute)
		w.stop()
		w.start(nil)
		require.Len(t, w.supervisor.Inspect().Files, 5)
		w.stop()
		ends := time.Now().Add(time.Second)
		write(w, "delete-templates", -time.Minute, time.Second, true)
		w.start(nil)
		w.becomesHealthy()
		require.False(t, time.Now().Before(ends))
	})
	t.Run("an interrupted break is completed when it is repeated", func(t *testing.T) {
		t.Parallel()
		w := setup(t)
		w.stop()
		write(w, "delete-og-image", -time.Second, time.Minute, false)
		w.start(nil)
		require.Empty(t, w.supervisor.Inspect().Files)
		first := w.breakIt("delete-og-image", "run_1", time.Minute)
		require.Equal(t, []string{target.FileOGImage}, w.supervisor.Inspect().Files)
		require.Equal(t, first, w.breakIt("delete-og-image", "run_1", time.Minute))
	})
	t.Run("an interrupted break is not completed after its lease", func(t *testing.T) {
		t.Parallel()
		w := setup(t)
		w.stop()
		write(w, "delete-og-image", -time.Minute, -time.Second, false)
		w.start(nil)
		w.becomesHealthy()
		require.Equal(t, "The lease of this run is over.", w.refused("delete-og-image", "run_1"))
		require.Empty(t, w.supervisor.Inspect().Files)
	})
	for name, text := range map[string]string{
		"an unreadable lease: everything is repaired": "{",
		"an unknown fault: everything is repaired":    `{"runId":"run_1","fault":"gone","until":"2026-01-01T00:00:00Z"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.breakIt("nuclear-option", "run_1", time.Minute)
			w.stop()
			require.NoError(t, os.WriteFile(w.path("lease.json"), []byte(text), 0o600))
			w.start(nil)
			w.becomesHealthy()
		})
	}
}

// Proves: F34
func TestAFailedRevertIsRetried(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.breakIt("delete-og-image", "run_1", time.Minute)
	// A folder with the name of the temporary file prevents the restore.
	require.NoError(t, os.MkdirAll(w.path("live/public/og-image.png.new/full"), 0o700))
	require.NotEqual(t, http.StatusOK, w.order(target.PathLease, target.LeaseEnd{RunID: "run_1"}, nil))
	require.False(t, w.supervisor.Inspect().Lease.Until.After(time.Now()), "the lease is over")
	require.Eventually(t, func() bool { return contains(w, "is retried") }, testwait.Limit, 10*time.Millisecond)
	require.NoError(t, os.RemoveAll(w.path("live/public/og-image.png.new")))
	w.becomesHealthy()
}
