package launcher

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"customerzero/internal/platform/testwait"
)

// greeting waits for a signal with a name.
func greeting(ctx workflow.Context) (string, error) {
	var name string
	workflow.GetSignalChannel(ctx, "named").Receive(ctx, &name)
	return "hello " + name, nil
}

// Proves: F5
func TestFlowsSurviveTheDeathOfTheServer(t *testing.T) {
	t.Parallel()
	o, restarts := newOptions(t), make(chan error, restartLimit)
	o.OnRestart = func(cause error) { restarts <- cause }
	s := startServer(t, o)
	c := dial(t, s)
	w := worker.New(c, "test", worker.Options{})
	w.RegisterWorkflow(greeting)
	require.NoError(t, w.Start())
	defer w.Stop()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "greeting", TaskQueue: "test"}, greeting)
	require.NoError(t, err)

	address, pid := s.Address(), s.Pid()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.ErrorContains(t, <-restarts, "signal: killed")
	require.NotEqual(t, pid, s.Pid())
	require.Equal(t, address, s.Address())

	require.NoError(t, c.SignalWorkflow(t.Context(), "greeting", run.GetRunID(), "named", "you"))
	var result string
	require.NoError(t, run.Get(t.Context(), &result))
	require.Equal(t, "hello you", result)
}

func TestStopEndsARestart(t *testing.T) {
	t.Parallel()
	s := startServer(t, newOptions(t))
	require.NoError(t, syscall.Kill(s.Pid(), syscall.SIGKILL))
	ctx, cancel := context.WithTimeout(t.Context(), testwait.Limit)
	defer cancel()
	require.NoError(t, s.Stop(ctx))
	require.NoError(t, s.Err())
	require.Eventually(t, func() bool { return !alive(s.Pid()) }, testwait.Limit, 10*time.Millisecond)
}

// Proves: F5
func TestSuperviseGivesUp(t *testing.T) {
	t.Parallel()
	o := newOptions(t)
	link := filepath.Join(t.TempDir(), "temporald")
	require.NoError(t, os.Symlink(o.Bin, link))
	o.Bin = link
	s := startServer(t, o)
	require.NoError(t, os.Remove(link)) // no restart can succeed
	require.NoError(t, syscall.Kill(s.Pid(), syscall.SIGKILL))
	<-s.Done()
	require.ErrorContains(t, s.Err(), "gave up after 5 restarts within 1m0s")
	require.ErrorContains(t, s.Err(), link+": no such file", "the last reason")
}

// asLauncher is the environment variable that makes the test binary a launcher, which the test kills.
const asLauncher = "EMBEDDED_TEST_AS_LAUNCHER"

func TestMain(m *testing.M) {
	if file := os.Getenv(asLauncher); file != "" {
		launcher(Options{Bin: os.Getenv("TEMPORALD_BIN"), DBFile: file})
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // tests mostly wait for servers
	os.Exit(m.Run())
}

func launcher(o Options) {
	s, err := Start(context.Background(), o)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}
	_, _ = fmt.Fprintln(os.Stdout, s.Pid())
	<-s.Done()
}

func TestTheServerLeavesWithItsLauncher(t *testing.T) {
	t.Parallel()
	o := newOptions(t)
	program, err := os.Executable()
	require.NoError(t, err)
	parent := exec.Command(program)
	parent.Env = append(os.Environ(), asLauncher+"="+o.DBFile, "TEMPORALD_BIN="+o.Bin)
	stdout, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err, line)
	require.True(t, alive(pid))

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	startServer(t, o) // waits for the lock of the orphan
}
