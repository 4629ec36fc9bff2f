package cli_test

import (
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

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/ports/portstest"
	"customerzero/internal/target/probe"
)

// kept is a running `customerzero target`.
type kept struct {
	*probe.Prober
	running
	dir, addr string
}

func startTarget(t *testing.T, dir string) *kept {
	t.Helper()
	control := portstest.Address(t)
	k := &kept{dir: dir, addr: portstest.Address(t)}
	secret := filepath.Join(t.TempDir(), "hunter2")
	require.NoError(t, os.WriteFile(secret, []byte("smtp://127.0.0.1:1"), 0o600))
	k.running = begin(t, []string{"target", "--dir", dir, "--addr", k.addr, "--control", control},
		"CHAOS_TARGET_KEY=", "ADMIN_KEY=hunter2-and-16-chars", "DATABASE_URL=postgres://u:hunter2@127.0.0.1:1/d", "SMTP_URL_FILE="+secret,
		"STRIPE_BASE_URL=http://127.0.0.1:1", "STRIPE_SECRET_KEY=sk_test_hunter2", "STRIPE_WEBHOOK_SECRET=whsec_hunter2")
	require.Eventually(t, func() bool {
		key, err := os.ReadFile(filepath.Join(dir, "key"))
		k.Prober = probe.New("http://"+k.addr, "http://"+control, strings.TrimSpace(string(key)))
		return err == nil && k.Probe(t.Context()).Healthy()
	}, patience, 20*time.Millisecond, "output: %s", k.output)
	return k
}

func (k *kept) process(t *testing.T) int {
	t.Helper()
	seen, err := k.Inspect(t.Context())
	require.NoError(t, err)
	return seen.Process.ID
}

func TestEveryFaultBreaksTheRealChaosTargetAndIsTakenBack(t *testing.T) {
	k := startTarget(t, filepath.Join(t.TempDir(), "target"))
	for fault, breaks := range map[string]target.Check{
		"delete-og-image": target.CheckOGImage, "corrupt-worker": target.CheckWorker, "break-database": target.CheckPosts,
		"delete-templates": target.CheckHome, "crash-api": target.CheckProcess, "nuclear-option": target.CheckDatabase,
	} {
		_, err := k.Break(t.Context(), fault, target.Break{RunID: fault, LeaseMS: 60_000})
		require.NoError(t, err, fault)
		require.Eventually(t, func() bool { return k.Probe(t.Context()).Failing.Has(breaks) }, patience, 10*time.Millisecond, fault)
		require.NoError(t, k.EndLease(t.Context(), fault), fault)
		require.Eventually(t, func() bool { return k.Probe(t.Context()).Healthy() }, patience, 10*time.Millisecond, fault)
	}
}

// Proves: V13.3.2
func TestTheReplicaKnowsNoSecret(t *testing.T) {
	t.Parallel()
	k := startTarget(t, filepath.Join(t.TempDir(), "target"))
	key, err := os.Stat(filepath.Join(k.dir, "key"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), key.Mode().Perm())
	instance := fmt.Sprintf("/proc/%d", k.process(t))
	knows := contents(t, instance, "environ")
	require.Contains(t, knows, "LOG_LEVEL=info")
	require.NotContains(t, knows, "hunter2")
	require.NotContains(t, contents(t, instance, "cmdline"), strings.TrimSpace(contents(t, k.dir, "key")))
}

func TestAChaosTargetThatStrangersReachNeedsAKey(t *testing.T) {
	isolated(t)
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "example.com:1"} {
		fails(t, "CHAOS_TARGET_KEY is required", "target", "--addr", address, "--control", "127.0.0.1:0")
		fails(t, "CHAOS_TARGET_KEY is required", "target", "--addr", "127.0.0.1:0", "--control", address)
	}
}

func TestAChaosTargetHasOneSupervisor(t *testing.T) {
	k := startTarget(t, filepath.Join(t.TempDir(), "target"))
	isolated(t)
	fails(t, "another supervisor runs the chaos target", "target", "--dir", k.dir, "--addr", "127.0.0.1:0", "--control", "127.0.0.1:0")
}

func TestNobodyStartsAReplicaByHand(t *testing.T) {
	isolated(t)
	instance := exec.Command(os.Args[0], "instance", "--dir", t.TempDir())
	output, err := instance.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "this command is started by customerzero only")
}

// target returns a prober of the chaos target of a running up.
func (u *upped) target(t *testing.T) *probe.Prober {
	t.Helper()
	found := u.addresses(t)
	require.Contains(t, u.output.String(), "chaos target       "+found.Target+"   (visitors break this one)")
	return probe.New(found.Target, found.TargetControl, strings.TrimSpace(contents(t, u.dir, "target", "key")))
}

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
func TestUpKeepsAChaosTargetAndStartsItAgain(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"))
	prober := up.target(t)
	instance := healthyWith(t, prober, 0)
	supervisor := parentOf(t, instance)
	require.Equal(t, up.cmd.Process.Pid, parentOf(t, supervisor))

	require.NoError(t, syscall.Kill(supervisor, syscall.SIGKILL))
	require.Eventually(t, gone(instance), patience, 10*time.Millisecond, "the instance ends with its supervisor")
	instance = healthyWith(t, prober, instance)
	require.Contains(t, up.output.String(), "the chaos target ended and is restarted")

	up.stop(t, os.Interrupt)
	require.True(t, gone(instance)(), "the chaos target ends with up")
}

// healthyWith waits until the chaos target is healthy with a new process and returns its ID. A later probe
// could time out on a busy machine.
func healthyWith(t *testing.T, prober *probe.Prober, old int) (process int) {
	t.Helper()
	require.Eventually(t, func() bool {
		sample := prober.Probe(t.Context())
		process = sample.Process
		return sample.Healthy() && process != old
	}, patience, 20*time.Millisecond)
	return process
}

// Proves: F34
func TestTheChaosTargetLeavesWithAnUpThatIsKilled(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"))
	instance := healthyWith(t, up.target(t), 0)
	supervisor := parentOf(t, instance)
	require.NoError(t, up.cmd.Process.Kill())
	require.Error(t, up.cmd.Wait())
	require.Eventually(t, gone(supervisor), patience, 10*time.Millisecond)
	require.Eventually(t, gone(instance), patience, 10*time.Millisecond)
}
