package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"customerzero/internal/platform/ports"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
	"customerzero/workflows"
)

const (
	startWithin = time.Minute
	stopWithin  = 30 * time.Second
	pollEvery   = 2 * time.Millisecond
)

// aloneServer is the Temporal server with its web UI, as the product starts it, without the product.
type aloneServer struct {
	bin, file string
	running   *launcher.Server
}

func (a *aloneServer) start(ctx context.Context) (time.Duration, error) {
	port, err := ports.Free("127.0.0.1", 0)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	began := time.Now()
	a.running, err = launcher.Start(ctx, launcher.Options{
		Bin: a.bin, DBFile: a.file, UIPort: port, SearchAttributes: workflows.SearchAttributes(),
	})
	return time.Since(began), err
}

func (a *aloneServer) pids() (own, chaosTarget []int) { return []int{a.running.Pid()}, nil }

func (a *aloneServer) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	return a.running.Stop(ctx)
}

// upProduct is `customerzero up` with its Temporal server.
type upProduct struct {
	bin, server, data string
	settings          []string // additional ones, as NAME=value
	site              string
	running           *exec.Cmd
	stderr            bytes.Buffer
}

func (u *upProduct) start(ctx context.Context) (time.Duration, error) {
	address, err := ports.Address()
	if err != nil {
		return 0, err
	}
	u.site = "http://" + address
	u.stderr.Reset()
	u.running = exec.Command(u.bin, "up")
	u.running.Stderr = &u.stderr
	u.running.Env = []string{ // nothing is inherited, because a setting would change the measurement
		"PATH=" + os.Getenv("PATH"), "DATA_DIR=" + u.data, "TEMPORAL_BIN=" + u.server,
		"ADDR=" + address, "X_SANDBOX_ADDR=127.0.0.1:0", "SMTP_SANDBOX_ADDR=127.0.0.1:0",
		"CHAOS_TARGET_ADDR=127.0.0.1:0", "CHAOS_TARGET_CONTROL_ADDR=127.0.0.1:0", "GAME_DAY=off", "VERIFY_EVERY=off",
		"TRUSTED_PROXIES=127.0.0.1", // simulated visitors come from many networks because of the limits
	}
	u.running.Env = append(u.running.Env, u.settings...)
	began := time.Now()
	if err := u.running.Start(); err != nil {
		return 0, err
	}
	if err := awaitReady(ctx, u.site); err != nil {
		_ = u.stop()
		return 0, fmt.Errorf("%w\n%s", err, u.stderr.String())
	}
	return time.Since(began), nil
}

func awaitReady(ctx context.Context, site string) error {
	ready := cluster.Often(ctx, startWithin, pollEvery, func() bool {
		_, status, _ := rig.Get(ctx, &http.Client{Transport: connections}, site+"/readyz")
		return status == http.StatusOK
	})
	if !ready {
		return errors.New("customerzero up did not become ready")
	}
	return nil
}

func (u *upProduct) adminKey() (string, error) {
	key, err := os.ReadFile(filepath.Join(u.data, "admin-key"))
	return strings.TrimSpace(string(key)), err
}

func (u *upProduct) temporal() string {
	var where struct{ Temporal string }
	if text, err := os.ReadFile(filepath.Join(u.data, "up.json")); err == nil {
		_ = json.Unmarshal(text, &where)
	}
	return where.Temporal
}

// pids are the product's processes and those of its chaos target.
func (u *upProduct) pids() (own, chaosTarget []int) {
	own = []int{u.running.Process.Pid}
	for _, child := range children(u.running.Process.Pid) {
		if runs(child, "target") {
			chaosTarget = append(chaosTarget, family(child)...)
		} else {
			own = append(own, family(child)...)
		}
	}
	return own, chaosTarget
}

func (u *upProduct) stop() error {
	if err := u.running.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	overdue := time.AfterFunc(stopWithin, func() { _ = u.running.Process.Kill() })
	defer overdue.Stop()
	if err := u.running.Wait(); err != nil {
		return fmt.Errorf("customerzero up failed to stop: %w\n%s", err, u.stderr.String())
	}
	return nil
}

// onFresh runs do with a product that has no data yet.
func (b *bench) onFresh(ctx context.Context, do func(up *upProduct) error, settings ...string) (err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	up := &upProduct{bin: b.product, server: b.server, data: filepath.Join(dir, "up"), settings: settings}
	if _, err := up.start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, up.stop()) }()
	return do(up)
}
