//go:build proof

package cluster

import (
	"bufio"
	"context"
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

	"customerzero/internal/platform/testwait"
)

// asLauncher makes the test binary run as a launcher that a test can kill.
const asLauncher = "CLUSTER_TEST_AS_LAUNCHER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asLauncher); dir != "" {
		launch(dir)
	}
	code := m.Run()
	_ = os.RemoveAll(built)
	os.Exit(code)
}

func launch(dir string) {
	p, err := Keep(context.Background(), Program{Name: "sleeper", Path: "/bin/sleep", Args: []string{"1000"}, Dir: dir})
	if err != nil || !Until(context.Background(), testwait.Limit, func() bool { return pidOf(p) != 0 }) {
		os.Exit(1)
	}
	_, _ = fmt.Fprintln(os.Stdout, pidOf(p))
	p.Ended()
}

func keep(t *testing.T, script string) *Process {
	ctx, end := context.WithCancel(context.Background())
	p, err := Keep(ctx, Program{Name: "script", Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() {
		end()
		p.Ended()
	})
	return p
}

// patient exits gracefully on SIGTERM and SIGINT.
const patient = `trap 'echo asked; exit 0' TERM INT; echo begun $$.; while :; do sleep 0.02; done`

func pidOf(p *Process) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return 0
	}
	return p.current.process.Pid
}

// lives reports whether a process runs and is no zombie.
func lives(pid int) bool {
	state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return syscall.Kill(pid, 0) == nil && !strings.Contains(string(state), ") Z ")
}

func logOf(t *testing.T, p *Process) string {
	text, err := os.ReadFile(p.log.Name())
	require.NoError(t, err)
	return string(text)
}

// awaitLog waits until the log contains a text this many times.
func awaitLog(t *testing.T, p *Process, text string, times int) {
	require.Eventually(t, func() bool { return strings.Count(logOf(t, p), text) >= times }, testwait.Limit, 10*time.Millisecond)
}

func TestKilledProcessRestartsAfterThePause(t *testing.T) {
	t.Parallel()
	p := keep(t, patient)
	awaitLog(t, p, "begun", 1)
	first, unharmed, killed := pidOf(p), p.Unharmed(), time.Now()
	require.True(t, p.Kill(500*time.Millisecond))
	require.False(t, p.Kill(0), "it does not run")
	awaitLog(t, p, "begun", 2)
	require.GreaterOrEqual(t, time.Since(killed), 500*time.Millisecond)
	require.False(t, lives(first))
	require.NotContains(t, logOf(t, p), "asked")
	kills, falls := p.Deaths()
	require.Equal(t, []int{1, 0}, []int{kills, falls})
	require.Less(t, p.Unharmed(), unharmed)
}

func TestExitedProcessRestarts(t *testing.T) {
	t.Parallel()
	p := keep(t, "echo begun; exit 3")
	awaitLog(t, p, "cluster: exited: exit status 3", 2)
	_, falls := p.Deaths()
	require.NotZero(t, falls)
}

func TestProcessEndsWhenItsLauncherIsKilled(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	launcher := exec.Command(program)
	launcher.Env = []string{asLauncher + "=" + dir}
	stdout, err := launcher.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, launcher.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.True(t, lives(pid))
	require.FileExists(t, filepath.Join(dir, "sleeper.log"))

	require.NoError(t, launcher.Process.Kill())
	require.Error(t, launcher.Wait())
	require.Eventually(t, func() bool { return !lives(pid) }, testwait.Limit, 10*time.Millisecond)
}
