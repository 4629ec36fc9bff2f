package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"customerzero/internal/platform/config"
	"customerzero/internal/platform/ports"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/workflows"
)

// temporalFile holds the server's minor version: its SQLite schema has no migrations.
const temporalFile = "temporal-1.32.db"

// startTemporal starts the server beside us, unless a cluster was configured.
func (u *upProcess) startTemporal(ctx context.Context) error {
	if u.cfg.TemporalAddress == "" {
		if err := u.startTemporald(ctx); err != nil {
			return err
		}
	}
	temporal, err := dialTemporal(ctx, u.cfg, u.cfg.TemporalAddress, u.desk.counting)
	u.temporal = temporal
	return err
}

func (u *upProcess) startTemporald(ctx context.Context) error {
	bin, err := temporalBin(u.cfg)
	if err != nil {
		return err
	}
	file := filepath.Join(u.cfg.DataDir, temporalFile)
	awaitOrphan(ctx, file)
	logs, err := os.OpenFile(filepath.Join(u.cfg.DataDir, "temporal.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	options := launcher.Options{
		Bin: bin, DBFile: file, Host: "127.0.0.1", Namespace: u.cfg.TemporalNamespace,
		SearchAttributes: workflows.SearchAttributes(), Logs: logs,
	}
	server, err := superviseNear(ctx, options)
	if err != nil {
		_ = logs.Close()
		return err
	}
	u.later(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Stop(ctx)
		_ = logs.Close()
	})
	u.cfg.TemporalAddress = server.Address()
	if u.cfg.TemporalUIURL == "" {
		u.cfg.TemporalUIURL = server.UIURL()
	}
	return nil
}

// superviseNear starts the server on its usual ports, or on free ones when those are taken.
// Another program can take a port between the check and the start, and the server does not say
// that this is why it ended; so one that did not start is started once more, on ports that no
// other process of ours is given.
func superviseNear(ctx context.Context, o launcher.Options) (*launcher.Server, error) {
	restarted := func(cause error) { slog.Warn("the Temporal server ended and is started again", "cause", cause) }
	o.Port, o.UIPort = freePort(7233), freePort(8233)
	server, err := launcher.Supervise(ctx, o, restarted)
	if err == nil || ctx.Err() != nil {
		return server, err
	}
	slog.Warn("the Temporal server did not start and is tried on other ports", "cause", err)
	o.Port, o.UIPort = freePort(0), freePort(0)
	return launcher.Supervise(ctx, o, restarted)
}

// awaitOrphan waits for the server of an up that was killed: it stops by itself within a
// second or two, and until then it holds the ports that people have bookmarked.
func awaitOrphan(ctx context.Context, file string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	lock := flock.New(file + ".lock")
	if free, err := lock.TryLockContext(ctx, 20*time.Millisecond); err == nil && free {
		_ = lock.Unlock()
	}
}

func freePort(wanted int) int {
	port, err := ports.Free("127.0.0.1", wanted)
	if err != nil || port == wanted {
		return wanted
	}
	if wanted != 0 {
		slog.Warn("the port is taken; a free one is used", "wanted", wanted, "port", port)
	}
	return port
}

// temporalBin finds the server's program: where it was said to be, or beside our own.
func temporalBin(cfg config.Config) (string, error) {
	bin := cfg.TemporalBin
	if bin == "" {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		bin = filepath.Join(filepath.Dir(self), "temporald")
	}
	if _, err := os.Stat(bin); err != nil {
		return "", fmt.Errorf("the Temporal server %s is not there; run make build, or name it with TEMPORAL_BIN", bin)
	}
	return bin, nil
}
