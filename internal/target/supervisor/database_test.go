package supervisor_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/target/supervisor"
)

func TestABrokenDatabaseIsBrokenForAll(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.note()
	pid := w.supervisor.Inspect().Process.ID
	w.breakIt("break-database", "run_1", time.Minute)
	seen := w.supervisor.Inspect()
	require.Equal(t, "The database is damaged: file is not a database (26).", seen.Database)
	require.Equal(t, pid, seen.Process.ID, "the process survives")
	status, _ := w.get("/facts")
	require.Equal(t, http.StatusInternalServerError, status, "although it had the database open")
	require.NoError(t, killed(w))
	require.NotEmpty(t, w.supervisor.Inspect().Database, "nothing is repaired automatically")
}

func TestRestoreOfTheDatabase(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		arrange func(*testing.T, *world)
		facts   string
	}{
		"restores the last snapshot": {func(t *testing.T, w *world) {
			w.stop()
			w.start(nil) // takes a snapshot with the fact
			require.Eventually(t, func() bool { return len(w.glob("snapshots/*.db")) == 2 }, testwait.Limit, 10*time.Millisecond)
			w.note() // is lost
			w.breakIt("break-database", "run_1", time.Minute)
		}, "1"},
		"skips a damaged snapshot": {func(t *testing.T, w *world) {
			require.NoError(t, os.WriteFile(w.path("snapshots/99991231T000000.000000000.db"), []byte("noise that is no database"), 0o600))
		}, "0"},
		"starts empty without a snapshot": {func(t *testing.T, w *world) {
			w.breakIt("break-database", "run_1", time.Minute)
			require.NoError(t, os.RemoveAll(w.path("snapshots")))
		}, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.note()
			tt.arrange(t, w)
			require.Equal(t, http.StatusOK, w.order(target.PathDatabase, struct{}{}, nil))
			seen := w.supervisor.Inspect()
			require.Empty(t, seen.Database)
			require.Equal(t, 2, seen.Process.Starts)
			_, facts := w.get("/facts")
			require.Equal(t, tt.facts, facts)
			w.note()
		})
	}
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.stop()
	for range 3 {
		w.start(nil)
		w.note()
		w.becomesHealthy()
		w.stop()
	}
	require.LessOrEqual(t, len(w.glob("snapshots/*.db")), 2)
	before := w.glob("snapshots/*")
	_ = os.Remove(w.path("target.db-wal")) // SQLite would read its pages
	require.NoError(t, os.WriteFile(w.path("target.db"), []byte("noise that is no database"), 0o600))
	w.start(nil)
	require.Eventually(t, func() bool { return contains(w, "no snapshot was taken") }, testwait.Limit, 5*time.Millisecond)
	require.Equal(t, before, w.glob("snapshots/*"), "a damaged database is not copied")
}

func TestAMissingDatabaseIsNamed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	require.NoError(t, killed(w))
	for _, part := range []string{"target.db", "target.db-wal", "target.db-shm"} {
		_ = os.Remove(w.path(part))
	}
	require.Equal(t, "The database file is missing.", w.supervisor.Inspect().Database)
	require.NoError(t, os.WriteFile(w.path("target.db"), nil, 0o600))
	require.Equal(t, "The database is empty.", w.supervisor.Inspect().Database)
}

// noRoom makes every write of the supervisor and its replica fail, as on a full disk.
const noRoom = "SUPERVISOR_TEST_NO_ROOM"

// supervisorProcess runs a supervisor as a process and prints its control and public URLs.
func supervisorProcess(dir string) {
	if os.Getenv(noRoom) != "" {
		signal.Ignore(syscall.SIGXFSZ)
		must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 0, Max: 0}))
	}
	public, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	control, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	program, err := os.Executable()
	must(err)
	s, err := supervisor.New(supervisor.Options{
		Dir: dir, Listener: public, Command: []string{program}, Env: []string{asReplica + "=" + dir}, Golden: golden(), Key: key,
	})
	must(err)
	_, _ = fmt.Fprintf(os.Stdout, "http://%s http://%s\n", control.Addr(), public.Addr())
	go func() { must(http.Serve(control, s.Handler())) }()
	must(s.Run(context.Background()))
	os.Exit(0)
}

// startProcess starts a supervisor as a process on the directory of a stopped one.
func (w *world) startProcess(program string, as *syscall.Credential, env ...string) *exec.Cmd {
	w.Helper()
	command := exec.Command(program)
	command.Env = append(env, asSupervisor+"="+w.dir)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	command.Stderr = w.log
	stdout, err := command.StdoutPipe()
	require.NoError(w, err)
	require.NoError(w, command.Start())
	w.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(w, err, w.log.String())
	w.control, w.public, _ = strings.Cut(strings.TrimSpace(line), " ")
	return command
}

func self(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return program
}
