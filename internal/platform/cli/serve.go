package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"customerzero/api"
	"customerzero/internal/platform/config"
	"customerzero/internal/store"
)

func apiCommand() *cobra.Command {
	return &cobra.Command{
		Use: "api", Short: "Serve the API and the pages, beside a database and a Temporal cluster",
		Args: cobra.NoArgs, RunE: withConfig(runAPI),
	}
}

func runAPI(cmd *cobra.Command, cfg config.Config, _ []string) error {
	ctx := cmd.Context()
	defer trace(ctx, cfg, "api")()
	if missing := cfg.Missing(); len(missing) > 0 {
		return missingSecrets(missing)
	}
	emailPages := ""
	if cfg.SMTPURL == "" {
		emailPages = orElse(findAddresses(cfg).Mail, "http://"+cfg.XSandboxAddr)
	}
	cfg = alone(cfg)
	key, err := findAdminKey(cfg)
	if err != nil {
		return err
	}
	cfg.AdminKey = key
	desk, err := openDesk(cfg)
	if err != nil {
		return err
	}
	defer desk.close()
	db, err := openDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	desk.reads(cfg, db)
	temporal, err := dialTemporal(ctx, cfg, cfg.TemporalAddress, desk.counting)
	if err != nil {
		return err
	}
	defer temporal.Close()
	listener, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("%s is taken or not ours; choose another ADDR (%w)", cfg.Addr, err)
	}
	server, err := newServer(cfg, db, newRuns(cfg, temporal), emailPages)
	if err != nil {
		return err
	}
	slog.Info("api is serving", "url", publicURL(cfg))
	return server.Health.Drain.Serve(ctx, httpServer(desk.watch(server)), listener)
}

// serve answers until ctx ends, and then finishes what it has begun.
func serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	return (&api.Drain{}).Serve(ctx, server, listener)
}

// openDatabase opens a database whose schema is ours and whose secrets we can read.
func openDatabase(ctx context.Context, cfg config.Config) (*store.DB, error) {
	db, err := openStore(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err = db.CheckSchema(ctx); err == nil {
		err = unlock(ctx, cfg, db)
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use: "worker", Short: "Run the flows, beside a database and a Temporal cluster",
		Args: cobra.NoArgs, RunE: withConfig(runWorker),
	}
}

func runWorker(cmd *cobra.Command, cfg config.Config, _ []string) error {
	ctx := cmd.Context()
	defer trace(ctx, cfg, "worker")()
	if missing := cfg.Missing(); len(missing) > 0 {
		return missingSecrets(missing)
	}
	cfg = alone(cfg)
	desk, err := openDesk(cfg)
	if err != nil {
		return err
	}
	defer desk.close()
	db, err := openDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	desk.reads(cfg, db)
	temporal, err := dialTemporal(ctx, cfg, cfg.TemporalAddress, desk.counting)
	if err != nil {
		return err
	}
	defer temporal.Close()
	runs := newRuns(cfg, temporal)
	view, err := newViewer(cfg)
	if err != nil {
		return err
	}
	defer view.close()
	flows, err := newWorker(cfg, temporal, db, view, desk.timings)
	if err != nil {
		return err
	}
	if err := flows.Start(); err != nil {
		return fmt.Errorf("the worker could not start: %w", err)
	}
	defer flows.Stop()
	go settle(ctx, cfg, temporal)
	desk.works(ctx, db, runs)
	slog.Info("worker is running", "temporal", cfg.TemporalAddress)
	go view.keep(ctx, db)
	newStarter(cfg, db, runs).Run(ctx)
	return nil
}

// alone fills in, for a process that up did not start, where up or the defaults are.
func alone(cfg config.Config) config.Config {
	found := findAddresses(cfg)
	cfg.TemporalAddress = orElse(cfg.TemporalAddress, found.Temporal)
	if cfg.TemporalUIURL == "" {
		cfg.TemporalUIURL = orElse(found.TemporalURL, "http://127.0.0.1:8233")
	}
	if cfg.XBaseURL == "" {
		cfg = withSandbox(cfg, orElse(found.X, "http://"+cfg.XSandboxAddr))
	}
	if cfg.StripeSecretKey == "" {
		cfg = withStripeSandbox(cfg, orElse(found.Stripe, "http://"+cfg.XSandboxAddr))
	}
	cfg.TargetURL, cfg.TargetControlURL = orElse(cfg.TargetURL, found.Target), orElse(cfg.TargetControlURL, found.TargetControl)
	cfg.SMTPURL = orElse(cfg.SMTPURL, orElse(found.SMTP, "smtp://"+cfg.SMTPSandboxAddr+"?tls=none"))
	return cfg
}

// missingSecrets refuses to serve strangers with what everybody knows.
func missingSecrets(names []string) error {
	return fmt.Errorf("this is not a laptop, because PUBLIC_URL or ADDR is open to others, and no secret has a default there: set %s", strings.Join(names, ", "))
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the database schema up to date", Args: cobra.NoArgs,
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			if cfg.SQLite() {
				lock, err := prepareDataDir(cfg.DataDir)
				if err != nil {
					return err
				}
				defer func() { _ = lock.Unlock() }()
			}
			db, err := openStore(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			defer func() { _ = db.Close() }()
			if err := db.Migrate(cmd.Context()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "the schema is up to date")
			return err
		}),
	}
}
