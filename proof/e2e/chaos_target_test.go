package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/target"
	"customerzero/internal/target/faults"
	"customerzero/internal/target/golden"
	"customerzero/internal/target/instance"
	"customerzero/internal/target/probe"
	"customerzero/internal/target/supervisor"
	"customerzero/worker"
)

// The test binary also runs as the supervisor and as the instance, in their own processes.
const (
	asSupervisor = "E2E_AS_SUPERVISOR" // with the directory
	asInstance   = "E2E_AS_INSTANCE"
	targetKey    = "E2E_TARGET_KEY"
)

// playTarget runs the instance or the supervisor and exits, or returns in the test process.
func playTarget() {
	if dir := os.Getenv(asInstance); dir != "" {
		listener, err := net.FileListener(os.NewFile(3, "listener"))
		must(err)
		must(instance.Run(untilLeft(), instance.Options{Dir: dir, Listener: listener, ProductURL: site}))
		os.Exit(0)
	}
	if dir := os.Getenv(asSupervisor); dir != "" {
		keepTarget(dir)
		os.Exit(0)
	}
}

func keepTarget(dir string) {
	pages, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	control, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	program, err := os.Executable()
	must(err)
	kept, err := supervisor.New(supervisor.Options{
		Dir: dir, Listener: pages, Command: []string{program}, Env: []string{asInstance + "=" + dir}, Golden: golden.FS, Key: os.Getenv(targetKey),
	})
	must(err)
	go fillDisk()
	_, _ = fmt.Fprintf(os.Stdout, "http://%s http://%s\n", pages.Addr(), control.Addr())
	go func() { _ = http.Serve(control, kept.Handler()) }() // it ends with the process
	must(kept.Run(untilLeft()))
}

// fillDisk makes the kernel refuse every byte that the supervisor writes, as on a full disk, from SIGUSR1 until
// SIGUSR2. Unlike permissions, this also applies to root.
func fillDisk() {
	signal.Ignore(syscall.SIGXFSZ)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	var room syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_FSIZE, &room))
	for received := range signals {
		limit := room
		if received == syscall.SIGUSR1 {
			limit.Cur = 0
		}
		must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	}
}

func untilLeft() context.Context {
	ctx, leave := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		leave()
	}()
	return ctx
}

func must(err error) {
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type liveTarget struct {
	dir        string
	key        string
	url        string
	prober     *probe.Prober
	camera     *camera // nil without one
	supervisor *exec.Cmd
	leave      func()
	onBroken   func() // runs after an injection, before its response is returned

	mu     sync.Mutex
	unseen chan struct{} // open from an injection until a probe of the run fails; nil without a fault
}

// startTarget starts a chaos target and restarts the worker with it.
func (w *world) startTarget(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	c := &liveTarget{dir: filepath.Join(t.TempDir(), "target"), key: "canary-key-of-the-target-" + xid.New().String(), onBroken: func() {}}
	w.plant(c.key)
	c.supervisor = exec.Command(program)
	c.supervisor.Env = []string{asSupervisor + "=" + c.dir, targetKey + "=" + c.key}
	c.supervisor.Stderr = logged
	gate, err := c.supervisor.StdinPipe()
	require.NoError(t, err)
	out, err := c.supervisor.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.supervisor.Start())
	left := false
	c.leave = func() {
		if !left {
			left = true
			_ = gate.Close()
			require.NoError(t, c.supervisor.Wait())
		}
	}
	t.Cleanup(func() {
		w.stopWorker()
		c.leave()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	addresses := strings.Fields(line)
	require.Len(t, addresses, 2)
	c.url, c.prober = addresses[0], probe.New(addresses[0], addresses[1], c.key)
	c.prober.Timeout = patience
	w.target = c
	w.stopWorker()
	w.startWorker(t)
	await(t, func() bool { return c.prober.Probe(t.Context()).Healthy() && c.hasSnapshot() })
}

func (c *liveTarget) hasSnapshot() bool {
	found, _ := os.ReadDir(filepath.Join(c.dir, "snapshots"))
	return len(found) > 0
}

// diskFull makes the supervisor's writes fail until diskFree.
func (c *liveTarget) diskFull(t *testing.T) {
	require.NoError(t, c.supervisor.Process.Signal(syscall.SIGUSR1))
}

func (c *liveTarget) diskFree(t *testing.T) {
	require.NoError(t, c.supervisor.Process.Signal(syscall.SIGUSR2))
}

// Break injects a fault and calls onBroken.
func (c *liveTarget) Break(ctx context.Context, fault string, order target.Break) (target.Broken, error) {
	c.mu.Lock()
	c.unseen = make(chan struct{})
	c.mu.Unlock()
	broken, err := c.prober.Break(ctx, fault, order)
	if err == nil {
		c.onBroken()
	} else {
		c.seen()
	}
	return broken, err
}

func (c *liveTarget) Probe(ctx context.Context) target.Sample {
	sample := c.prober.Probe(ctx)
	if !sample.Healthy() {
		c.seen()
	}
	return sample
}

// seen lets the healer continue.
func (c *liveTarget) seen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unseen != nil {
		close(c.unseen)
		c.unseen = nil
	}
}

// healer is the healer's client of the chaos target. Its probes wait until a probe of the run has failed: on a busy
// machine the healer could repair a fault between two of them, and the run would be aborted.
type healer struct {
	*probe.Prober
	target *liveTarget
}

func (h healer) Probe(ctx context.Context) target.Sample {
	h.target.mu.Lock()
	unseen := h.target.unseen
	h.target.mu.Unlock()
	if unseen != nil {
		select {
		case <-unseen:
		case <-ctx.Done():
		}
	}
	return h.Prober.Probe(ctx)
}

func (c *liveTarget) EndLease(ctx context.Context, runID string) error {
	c.seen()
	return c.prober.EndLease(ctx, runID)
}

func (c *liveTarget) activities(w *world, all *worker.Activities) {
	all.Chaos = &activities.Chaos{
		Store: w.db.Chaos, Target: c, Runs: w.runs, Replayer: worker.NewReplayer(w.temporal), Faults: faults.Descriptions(), Now: time.Now,
	}
	all.SelfHeal = &activities.SelfHeal{Store: w.db.Chaos, Target: healer{c.prober, c}, Now: time.Now}
	all.ChaosScreenshots = &activities.ChaosScreenshots{Store: w.db.Verifications, Chaos: w.db.Chaos, Target: c.prober, TargetURL: c.url, Now: time.Now}
	if c.camera != nil {
		all.ChaosScreenshots.Browser, all.ChaosScreenshots.Pictures = c.camera.browser, c.camera.pictures
	}
}
