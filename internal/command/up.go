package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"customerzero/internal/config"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/internal/store"
)

func upCommand() *cobra.Command {
	return &cobra.Command{
		Use: "up", Short: "Run everything on this machine", Args: cobra.NoArgs, RunE: withConfig(runUp),
	}
}

func runUp(cmd *cobra.Command, cfg config.Config, _ []string) error {
	lock, err := prepareDataDir(cfg.DataDir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()

	up := &upProcess{cfg: cfg, out: cmd.OutOrStdout()}
	defer up.stop()
	if err := up.start(cmd.Context()); err != nil {
		return err
	}
	return up.run(cmd.Context())
}

// upProcess is everything on one machine: what it starts, it stops in reverse.
type upProcess struct {
	cfg     config.Config
	out     io.Writer
	newKey  bool
	closers []func()

	listener net.Listener
	books    *store.Store
	temporal client.Client
	sandbox  *xsandbox.Server
}

func (u *upProcess) start(ctx context.Context) error {
	if err := u.takeAddresses(); err != nil {
		return err
	}
	if err := u.takeKey(); err != nil {
		return err
	}
	// The database first: it answers at once, and a broken one is the trouble to name.
	if err := u.openBooks(ctx); err != nil {
		return err
	}
	start, ctx := errgroup.WithContext(ctx)
	start.Go(func() error { return u.books.Migrate(ctx) })
	start.Go(func() error { return u.startTemporal(ctx) })
	if err := start.Wait(); err != nil {
		return err
	}
	return addresses{
		URL: publicURL(u.cfg), Temporal: u.cfg.TemporalAddress, TemporalURL: u.cfg.TemporalUIURL, X: u.cfg.XBaseURL,
	}.save(u.cfg)
}

// takeAddresses listens where it was told to, or nearby when that is taken.
func (u *upProcess) takeAddresses() error {
	var err error
	if u.listener, err = listenNear(u.cfg.Addr); err != nil {
		return err
	}
	u.later(func() { _ = u.listener.Close() })
	u.cfg.Addr = u.listener.Addr().String()
	if u.cfg.XBaseURL == "" {
		return u.startSandbox()
	}
	return nil
}

func (u *upProcess) startSandbox() error {
	sandbox, err := newSandbox(u.cfg)
	if err != nil {
		return err
	}
	u.sandbox = sandbox
	u.later(func() { _ = sandbox.Close() })
	listener, err := listenNear(u.cfg.XSandboxAddr)
	if err != nil {
		return err
	}
	server := httpServer(sandbox.Handler())
	server.WriteTimeout = 0 // some of its faults are slow on purpose
	go func() {
		if err := server.Serve(listener); err != http.ErrServerClosed {
			slog.Error("the X sandbox stopped", "error", err)
		}
	}()
	u.later(func() { _ = server.Close() })
	u.cfg = withSandbox(u.cfg, "http://"+listener.Addr().String())
	return nil
}

func (u *upProcess) takeKey() error {
	key, err := findAdminKey(u.cfg)
	if err == nil && key == "" {
		u.newKey = true
		key, err = makeAdminKey(u.cfg)
	}
	u.cfg.AdminKey = key
	return err
}

func (u *upProcess) openBooks(ctx context.Context) (err error) {
	u.books, err = openStore(ctx, u.cfg)
	return err
}

// run works until somebody says stop.
func (u *upProcess) run(ctx context.Context) error {
	runs := newRuns(u.cfg, u.temporal)
	flows := newWorker(u.cfg, u.temporal, u.books)
	if err := flows.Start(); err != nil {
		return fmt.Errorf("the worker could not start: %w", err)
	}
	u.later(flows.Stop)
	go func() {
		if err := runs.KeepSchedules(ctx); err != nil {
			slog.Warn("schedules could not be set up", "error", err)
		}
		newStarter(u.books, runs).Run(ctx)
	}()
	u.greet()
	return serve(ctx, httpServer(newServer(u.cfg, u.books, runs).Handler()), u.listener)
}

func (u *upProcess) greet() {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(u.out, format+"\n", args...) }
	say("Customer Zero is up.")
	say("  pages and API      %s", publicURL(u.cfg))
	say("  Temporal console   %s", u.cfg.TemporalUIURL)
	if u.sandbox != nil {
		say("  X sandbox          %s/sandbox/x   (nothing reaches the real X)", publicURL(u.cfg))
	}
	say("  data               %s", u.cfg.DataDir)
	if u.newKey {
		say("  founders' key      %s   (shown once; kept in %s)", u.cfg.AdminKey, adminKeyFile(u.cfg))
	}
	say("Try: customerzero import examples/posts.csv    Stop: Ctrl-C")
}

func (u *upProcess) later(f func()) { u.closers = append(u.closers, f) }

// stop ends what start began, last first: no new requests, no new steps, then the stores.
func (u *upProcess) stop() {
	for i := len(u.closers) - 1; i >= 0; i-- {
		u.closers[i]()
	}
	if u.temporal != nil {
		u.temporal.Close()
	}
	if u.books != nil {
		_ = u.books.Close()
	}
	_ = os.Remove(addressFile(u.cfg))
}

// listenNear listens at the address, or at a free port of the same host when it is taken.
func listenNear(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err == nil {
		return listener, nil
	}
	host, port, _ := net.SplitHostPort(address)
	other, otherErr := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if otherErr != nil {
		return nil, fmt.Errorf("nothing can listen at %s; choose another address (%w)", address, err)
	}
	slog.Warn("the port is taken; a free one is used", "wanted", port, "address", other.Addr().String())
	return other, nil
}
