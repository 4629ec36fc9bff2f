package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"customerzero/internal/embedded"
	"customerzero/internal/keyring"
	"customerzero/workflows"
)

// world is everything that one run of the plan needs.
type world struct {
	kind     string
	dir      string
	plan     plan
	diary    *diary
	trap     *trap
	ledger   *ledger
	db       database
	x        *standIn
	temporal *embedded.Server
	runs     client.Client
	founder  *founder
	worker   *process
	api      *process
	cuts     int
	settled  settlement
	closers  []func()
}

func openWorld(ctx context.Context, o options, kind, product, dir string) (*world, error) {
	w := &world{kind: kind, dir: dir, plan: newPlan(o), trap: &trap{}, ledger: &ledger{}}
	err := w.open(ctx, o, kind, product)
	if err != nil {
		w.close()
	}
	return w, err
}

func (w *world) open(ctx context.Context, o options, kind, product string) error {
	err := os.MkdirAll(w.dir, 0o700)
	if err != nil {
		return err
	}
	if w.diary, err = openDiary(w.dir, o); err != nil {
		return err
	}
	w.later(w.diary.close)
	if w.db, err = openDatabase(ctx, o, kind, w.dir); err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	w.later(w.db.close)
	if w.x, err = openStandIn(w.trap); err != nil {
		return err
	}
	w.later(w.x.close)
	if err := w.startTemporal(ctx, o); err != nil {
		return err
	}
	return w.startProduct(ctx, product)
}

func (w *world) startTemporal(ctx context.Context, o options) error {
	logs, err := os.Create(filepath.Join(w.dir, "temporal.log"))
	if err != nil {
		return err
	}
	w.later(func() { _ = logs.Close() })
	w.temporal, err = embedded.Start(ctx, embedded.Options{
		Bin: o.temporald, DBFile: filepath.Join(w.dir, "temporal.db"), SearchAttributes: workflows.SearchAttributes(), Logs: io.Writer(logs),
	})
	if err != nil {
		return err
	}
	w.later(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = w.temporal.Stop(ctx)
	})
	w.runs, err = client.DialContext(ctx, client.Options{
		HostPort: w.temporal.Address(), Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err == nil {
		w.later(w.runs.Close)
	}
	return err
}

// startProduct starts the API and the worker, which live until the world ends.
func (w *world) startProduct(ctx context.Context, product string) error {
	port, err := embedded.FreePort("127.0.0.1", 0)
	if err != nil {
		return err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	secretKeys, err := keyring.New("torture")
	if err != nil {
		return err
	}
	const key = "torture-admin-key"
	w.founder = newFounder("http://"+address, key)
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "ADDR=" + address, "DATA_DIR=" + w.dir, "ADMIN_KEY=" + key,
		"DATABASE_URL=" + w.db.address(), "TEMPORAL_ADDRESS=" + w.temporal.Address(), "X_BASE_URL=" + w.x.url,
		"X_CONSUMER_KEY=" + consumerKey, "X_CONSUMER_SECRET=" + consumerSecret,
		"X_ACCESS_TOKEN=" + accessToken, "X_ACCESS_SECRET=" + accessSecret, "POST_SEND_TIMEOUT=" + sendTimeout.String(),
		"SECRET_KEYS=" + secretKeys,
	}
	ctx, end := context.WithCancel(ctx)
	w.later(end)
	if w.api, err = keep(ctx, "api", product, w.dir, env); err != nil {
		return err
	}
	w.later(func() { end(); w.api.ended.Wait() })
	if w.worker, err = keep(ctx, "worker", product, w.dir, env); err != nil {
		return err
	}
	w.later(func() { end(); w.worker.ended.Wait() })
	return nil
}

// begin waits for the product, and enters the members.
func (w *world) begin(ctx context.Context) error {
	for _, name := range members {
		if err := w.founder.join(ctx, name); err != nil {
			return err
		}
	}
	ready := until(ctx, time.Minute, func() bool {
		return w.founder.call(ctx, "GET", "/readyz", nil, &struct{}{}).outcome == success
	})
	if !ready {
		return errors.New("the product does not get ready")
	}
	return nil
}

func (w *world) later(f func()) { w.closers = append(w.closers, f) }

// close ends what open began, last first.
func (w *world) close() {
	for i := len(w.closers) - 1; i >= 0; i-- {
		w.closers[i]()
	}
}
