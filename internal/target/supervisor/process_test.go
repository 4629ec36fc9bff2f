package supervisor_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/target/supervisor"
)

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestCallersWaitWhileTheReplicaIsStartedAnew(t *testing.T) {
	t.Parallel()
	w := setup(t)
	pid := w.supervisor.Inspect().Process.ID
	require.NoError(t, killed(w))
	answered := make(chan string, 1)
	go func() {
		_, reply, err := fetch(w.public + "/pid")
		answered <- fmt.Sprintln(reply, err)
	}()
	require.Never(t, func() bool { return len(answered) > 0 || w.supervisor.Inspect().Process.ID != 0 }, 300*time.Millisecond, 20*time.Millisecond,
		"no restart was commanded")
	require.Equal(t, http.StatusOK, w.order(target.PathProcess, struct{}{}, nil))
	process := w.supervisor.Inspect().Process
	require.Equal(t, fmt.Sprintln(process.ID, nil), <-answered, "the caller was not refused")
	require.NotEqual(t, pid, process.ID)
	require.Equal(t, 2, process.Starts)
	require.False(t, process.StartedAt.IsZero())
}

func fetch(url string) (status int, reply string, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: testwait.Limit}
	res, err := client.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}

func TestRestartsAtOnceAreOne(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var orders sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		orders.Go(func() { errs[i] = w.supervisor.Restart(t.Context()) })
	}
	orders.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Equal(t, 2, w.supervisor.Inspect().Process.Starts, "one at the start, one by command")
	require.Equal(t, http.StatusOK, w.order(target.PathProcess, struct{}{}, nil))
	require.Equal(t, 3, w.supervisor.Inspect().Process.Starts, "a later command restarts again")
}

// Proves: V13.3.2
func TestTheReplicaIsToldNothingOfTheSupervisor(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, env := w.get("/env")
	require.Equal(t, "["+asReplica+"="+w.dir+"]", env)
}

func TestTheReplicaStopsWithItsSupervisor(t *testing.T) {
	t.Parallel()
	w := setup(t)
	pid := w.supervisor.Inspect().Process.ID
	w.stop()
	require.False(t, alive(pid))
	require.Error(t, w.supervisor.Restart(t.Context()), "no replica is started")
}

func TestTheReplicaStopsWhenItsSupervisorIsKilled(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.stop()
	parent := w.startProcess(self(t), nil)
	var pid int
	require.Eventually(t, func() bool {
		_, reply := w.get("/pid")
		pid, _ = strconv.Atoi(reply)
		return pid != 0
	}, testwait.Limit, 10*time.Millisecond)
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	require.Eventually(t, func() bool { return !alive(pid) || zombie(pid) }, testwait.Limit, 10*time.Millisecond)
}

// zombie reports whether a process has ended without being waited for.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err != nil || len(stat) == 0
}

func TestAReplicaThatEndsAtOnceIsNoRestart(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.stop()
	w.start(func(o *supervisor.Options) { o.Env = []string{asReplica + "=ends at once"} })
	var refusal target.Refusal
	require.Equal(t, http.StatusServiceUnavailable, w.order(target.PathProcess, struct{}{}, &refusal))
	require.Equal(t, "The replica ended as soon as it was started.", refusal.Error)
	require.Empty(t, w.supervisor.Inspect().Files, "the supervisor still works")
}

// killed kills the replica and waits until the supervisor has noticed.
func killed(w *world) error {
	w.Helper()
	var pid int
	require.Eventually(w, func() bool { pid = w.supervisor.Inspect().Process.ID; return pid != 0 }, testwait.Limit, time.Millisecond)
	err := syscall.Kill(pid, syscall.SIGKILL)
	require.Eventually(w, func() bool { return w.supervisor.Inspect().Process.ID == 0 }, testwait.Limit, time.Millisecond)
	return err
}

func contains(w *world, text string) bool { return strings.Contains(w.log.String(), text) }
