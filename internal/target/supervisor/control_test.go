package supervisor_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
)

func TestRefusedOrders(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tests := map[string]struct {
		method, path, body, key string
		status                  int
		says                    string
	}{
		"without a key":               {method: "GET", path: target.PathInspect, status: 401, says: "The key is wrong."},
		"with a wrong key":            {method: "POST", path: target.PathProcess, key: key + "x", status: 401, says: "The key is wrong."},
		"with the key's beginning":    {method: "GET", path: target.PathManifest, key: key[:5], status: 401, says: "The key is wrong."},
		"an unknown fault":            {method: "POST", path: "/faults/delete-everything", body: `{"runId":"r","leaseMs":1}`, key: key, status: 404, says: "There is no fault of that name."},
		"a fault in another case":     {method: "POST", path: "/faults/Crash-API", body: `{"runId":"r","leaseMs":1}`, key: key, status: 404, says: "There is no fault of that name."},
		"a break without a run":       {method: "POST", path: "/faults/crash-api", body: `{"leaseMs":1}`, key: key, status: 400, says: "`runId` is required."},
		"a break without a lease":     {method: "POST", path: "/faults/crash-api", body: `{"runId":"r"}`, key: key, status: 400, says: "`leaseMs` must be between 1 and 600000."},
		"a break with a long lease":   {method: "POST", path: "/faults/crash-api", body: `{"runId":"r","leaseMs":600001}`, key: key, status: 400, says: "`leaseMs` must be between 1 and 600000."},
		"a break with nothing":        {method: "POST", path: "/faults/crash-api", key: key, status: 400, says: "`runId` is required."},
		"what is no JSON":             {method: "POST", path: "/faults/crash-api", body: `{`, key: key, status: 400, says: "The command is not valid JSON."},
		"a body without an end":       {method: "POST", path: "/faults/crash-api", body: `{"runId":"` + strings.Repeat("r", 1<<17), key: key, status: 400, says: "The command is not valid JSON."},
		"the end of no run's lease":   {method: "POST", path: target.PathLease, body: `{}`, key: key, status: 400, says: "`runId` is required."},
		"a file that is not critical": {method: "POST", path: target.PathFiles, body: `{"names":["../target.db"]}`, key: key, status: 400, says: "There is no critical file of that name."},
		"an unknown order":            {method: "POST", path: "/explode", key: key, status: 404, says: "There is no such command."},
		"an order by GET":             {method: "GET", path: target.PathProcess, key: key, status: 404, says: "There is no such command."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			status, reply := w.send(tt.method, tt.path, tt.key, tt.body)
			require.Equal(t, tt.status, status)
			require.JSONEq(t, `{"error":"`+tt.says+`"}`, reply)
		})
	}
	require.True(t, isHealthy(w.supervisor.Inspect()))
	require.NotContains(t, w.log.String(), key)
}

func TestInspectionAsItIsSent(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var seen map[string]any
	require.NoError(t, json.Unmarshal([]byte(w.inspected()), &seen))
	require.Equal(t, []any{}, seen["files"])
	require.Empty(t, seen["database"])
	require.NotContains(t, seen, "lease")
}

// Proves: F34
func TestOrdersAtOnceLeaveTheChaosTargetWell(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.breakIt("nuclear-option", "run_1", time.Minute)
	var orders sync.WaitGroup
	for range 4 {
		orders.Go(func() { _ = w.supervisor.Inspect() })
		orders.Go(func() { _ = w.supervisor.RestoreFiles(t.Context(), nil) })
		orders.Go(func() { _ = w.supervisor.RestoreDatabase(t.Context()) })
		orders.Go(func() { _ = w.supervisor.Restart(t.Context()) })
		orders.Go(func() { _ = w.supervisor.EndLease(t.Context(), "run_1") })
	}
	orders.Wait()
	require.True(t, isHealthy(w.supervisor.Inspect()), "%+v", w.supervisor.Inspect())
}

// Proves: F34
func TestBreaksAtOnceAreOne(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var breaks sync.WaitGroup
	results := make(chan target.Broken, 8)
	for i := range 8 {
		run := []string{"run_1", "run_2"}[i%2]
		breaks.Go(func() {
			if broken, err := w.supervisor.Break(t.Context(), "delete-og-image", target.Break{RunID: run, LeaseMS: 60_000}); err == nil {
				results <- broken
			}
		})
	}
	breaks.Wait()
	require.Len(t, results, 4, "one run gets the same reply each time")
	first := <-results
	for len(results) > 0 {
		require.Equal(t, first, <-results)
	}
}

// inspected returns the inspection of a supervisor in another process.
func (w *world) inspected() string {
	w.Helper()
	_, reply := w.send(http.MethodGet, target.PathInspect, key, "")
	return reply
}

func (w *world) cannot(status int, says string) {
	w.Helper()
	for path, in := range map[string]any{
		target.PathFaults + "/delete-templates": target.Break{RunID: "run_1", LeaseMS: 60_000},
		target.PathFiles:                        target.RestoreFiles{},
		target.PathDatabase:                     struct{}{},
	} {
		var refusal target.Refusal
		require.Equal(w, status, w.order(path, in, &refusal), path)
		require.Equal(w, says, refusal.Error, path)
	}
	require.Contains(w, w.inspected(), `"files":["public/og-image.png"]`, "no further damage and no partial files")
	require.NoFileExists(w, w.path("lease.json"))
	require.NoFileExists(w, w.path("target.db.new"))
}

// Proves: F24
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.stop()
	require.NoError(t, os.Remove(w.path("live/public/og-image.png")))
	w.startProcess(self(t), nil, noRoom+"=1")
	w.answersAgain()
	w.cannot(http.StatusInsufficientStorage, "There is no room left on the disk of the chaos target.")
}

// TestADirectoryThatCannotBeWrittenTo runs the supervisor as another user, because root can write everywhere.
func TestADirectoryThatCannotBeWrittenTo(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.stop()
	require.NoError(t, os.Remove(w.path("live/public/og-image.png")))
	program, as := self(t), (*syscall.Credential)(nil)
	if os.Geteuid() == 0 {
		as = &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}
		program = w.lend(program, as)
	}
	for _, folder := range []string{"live/public", "live/templates", "live", "snapshots", "."} {
		require.NoError(t, os.Chmod(w.path(folder), 0o500))
		t.Cleanup(func() { require.NoError(t, os.Chmod(w.path(folder), 0o700)) })
	}
	w.startProcess(program, as)
	w.answersAgain()
	w.cannot(http.StatusInternalServerError, "The directory of the chaos target is not writable.")
}

// lend gives the chaos target, and a copy of the program, to another user.
func (w *world) lend(program string, to *syscall.Credential) string {
	w.Helper()
	lent := filepath.Join(w.outside, "program")
	data, err := os.ReadFile(program)
	require.NoError(w, err)
	require.NoError(w, os.WriteFile(lent, data, 0o755))
	for _, folder := range []string{filepath.Dir(w.dir), w.outside} {
		require.NoError(w, os.Chmod(folder, 0o755))
		require.NoError(w, os.Chmod(filepath.Dir(folder), 0o755))
	}
	require.NoError(w, filepath.WalkDir(w.dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, int(to.Uid), int(to.Gid))
	}))
	return lent
}

// answersAgain waits until the replica is running.
func (w *world) answersAgain() {
	w.Helper()
	require.Eventually(w, func() bool { return !strings.Contains(w.inspected(), `"id":0`) }, testwait.Limit, 10*time.Millisecond)
	status, _ := w.get("/public/style.css")
	require.Equal(w, http.StatusOK, status)
}
