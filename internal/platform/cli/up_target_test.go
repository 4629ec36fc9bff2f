package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/target/probe"
)

// cell looks at the chaos target of a running up as customerzero worker would find it.
func (u *upped) cell(t *testing.T) *probe.Prober {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(u.dir, "up.json"))
	require.NoError(t, err)
	var found struct{ Target, TargetControl string }
	require.NoError(t, json.Unmarshal(text, &found))
	require.Contains(t, u.said.String(), "the cell           "+found.Target+"   (chaos breaks this one)")
	key, err := os.ReadFile(filepath.Join(u.dir, "target", "key"))
	require.NoError(t, err)
	return probe.New(found.Target, found.TargetControl, strings.TrimSpace(string(key)))
}

// parentOf is the process that started another.
func parentOf(t *testing.T, process int) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "ppid=", "-p", strconv.Itoa(process)).Output()
	require.NoError(t, err)
	parent, err := strconv.Atoi(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	return parent
}

func gone(process int) func() bool {
	return func() bool { return syscall.Kill(process, 0) != nil }
}

// Proves: F34
func TestUpKeepsACellAndStartsItAgain(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"))
	looks := up.cell(t)
	replica := wellWith(t, looks, 0)
	keeper := parentOf(t, replica)
	require.Equal(t, up.cmd.Process.Pid, parentOf(t, keeper))

	require.NoError(t, syscall.Kill(keeper, syscall.SIGKILL))
	require.Eventually(t, gone(replica), patience, 10*time.Millisecond, "the replica leaves with its keeper")
	replica = wellWith(t, looks, replica)
	require.Contains(t, up.said.String(), "the cell ended and is started again")

	require.NoError(t, up.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, up.cmd.Wait())
	require.True(t, gone(replica)(), "nothing of the cell outlives up")
}

// wellWith waits until the chaos target is well with another process than an old one, and names it: a
// probe made later may find nobody on a busy machine.
func wellWith(t *testing.T, looks *probe.Prober, old int) (process int) {
	t.Helper()
	require.Eventually(t, func() bool {
		sample := looks.Probe(t.Context())
		process = sample.Process
		return sample.Healthy() && process != old
	}, patience, 20*time.Millisecond)
	return process
}

// Proves: F34
func TestTheCellLeavesWithAnUpThatIsKilled(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"))
	replica := wellWith(t, up.cell(t), 0)
	keeper := parentOf(t, replica)
	require.NoError(t, up.cmd.Process.Kill())
	require.Error(t, up.cmd.Wait())
	require.Eventually(t, gone(keeper), patience, 10*time.Millisecond)
	require.Eventually(t, gone(replica), patience, 10*time.Millisecond)
}
