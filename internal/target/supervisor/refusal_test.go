package supervisor_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
)

// inspected is what a supervisor in another process sees.
func (w *world) inspected() string {
	w.Helper()
	req, err := http.NewRequest(http.MethodGet, w.control+target.PathInspect, http.NoBody)
	require.NoError(w, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := testwait.Client.Do(req)
	require.NoError(w, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(w, err)
	return string(body)
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
	require.Contains(w, w.inspected(), `"files":["public/og-image.png"]`, "nothing more is broken, and nothing is half written")
	require.NoFileExists(w, w.path("lease.json"))
	require.NoFileExists(w, w.path("cell.db.new"))
}

// Proves: F24
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.stop()
	require.NoError(t, os.Remove(w.path("live/public/og-image.png")))
	w.startWhole(self(t), nil, noRoom+"=1")
	w.answersAgain()
	w.cannot(http.StatusInsufficientStorage, "There is no room left on the disk of the cell.")
}

// A keeper of nobody's, as root may write everywhere.
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
	w.startWhole(program, as)
	w.answersAgain()
	w.cannot(http.StatusInternalServerError, "The directory of the cell cannot be written to.")
}

// lend gives the chaos target, and a copy of the program, to somebody else.
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

// answersAgain waits until the replica is there.
func (w *world) answersAgain() {
	w.Helper()
	require.Eventually(w, func() bool { return !strings.Contains(w.inspected(), `"id":0`) }, testwait.Limit, 10*time.Millisecond)
	status, _ := w.get("/public/style.css")
	require.Equal(w, http.StatusOK, status)
}
