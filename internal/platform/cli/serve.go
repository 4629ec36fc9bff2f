package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"customerzero/api"
	"customerzero/internal/clients/browser"
	"customerzero/internal/platform/config"
	"customerzero/internal/store"
)

func apiCommand() *cobra.Command {
	return &cobra.Command{
		Use: "api", Short: "Serve the API and the pages", RunE: withServices("api", runAPI),
		Long:    "Serve the API and the pages at ADDR, with a migrated database and a Temporal cluster that already run.",
		Example: "  DATABASE_URL=postgres://user:password@host/name TEMPORAL_ADDRESS=host:7233 customerzero api",
	}
}

// process is an API server or a worker with its connections.
type process struct {
	cfg        config.Config
	emailPages string // URL of the mail sandbox; empty with a real mail server
	ops        *opsServer
	db         *store.DB
	temporal   client.Client
}

// withServices opens the connections of a process before work and closes them afterwards.
func withServices(name string, work func(context.Context, *process) error) func(*cobra.Command, []string) error {
	return withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) (err error) {
		ctx, p := cmd.Context(), &process{}
		defer trace(ctx, cfg, name)()
		if missing := cfg.Missing(); len(missing) > 0 {
			return missingSecrets(missing)
		}
		if cfg.SMTPURL == "" {
			p.emailPages = cmp.Or(findAddresses(cfg).Mail, "http://"+cfg.XSandboxAddr)
		}
		p.cfg = alone(cfg)
		if p.ops, err = newOpsServer(p.cfg); err != nil {
			return err
		}
		defer p.ops.close()
		if p.db, err = openDatabase(ctx, p.cfg); err != nil {
			return err
		}
		defer func() { _ = p.db.Close() }()
		p.ops.watchStore(p.cfg, p.db)
		if p.temporal, err = dialTemporal(ctx, p.cfg, p.cfg.TemporalAddress, p.ops.instrument); err != nil {
			return err
		}
		defer p.temporal.Close()
		return work(ctx, p)
	})
}

func runAPI(ctx context.Context, p *process) (err error) {
	if p.cfg.AdminKey, err = findAdminKey(p.cfg); err != nil {
		return err
	}
	listener, err := listenFor("ADDR", p.cfg.Addr)
	if err != nil {
		return err
	}
	server, err := newServer(p.cfg, p.db, newRuns(p.cfg, p.temporal), p.emailPages)
	if err != nil {
		return err
	}
	slog.Info("api is serving", "url", publicURL(p.cfg))
	return server.Health.Drain.Serve(ctx, httpServer(p.ops.watchAPI(server), listener.Addr(), apiNames(p.cfg, listener.Addr())...), listener)
}

// serve serves until ctx ends, then finishes open requests.
func serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	return (&api.Drain{}).Serve(ctx, server, listener)
}

// openDatabase opens a database and checks its schema and its keys.
func openDatabase(ctx context.Context, cfg config.Config) (*store.DB, error) {
	db, err := openStore(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err = checkIntact(ctx, cfg, db); err == nil {
		err = db.CheckSchema(ctx)
	}
	if err == nil {
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
		Use: "worker", Short: "Run the workflows and their activities", RunE: withServices("worker", runWorker),
		Long:    "Run the workflows and their activities, with a migrated database and a Temporal cluster that already run.",
		Example: "  DATABASE_URL=postgres://user:password@host/name TEMPORAL_ADDRESS=host:7233 customerzero worker",
	}
}

func runWorker(ctx context.Context, p *process) error {
	stop, err := p.startWorker(ctx)
	if err != nil {
		return err
	}
	defer stop()
	go settle(ctx, p.cfg, p.temporal)
	slog.Info("worker is running", "temporal", p.cfg.TemporalAddress)
	newDispatcher(p.cfg, p.db, newRuns(p.cfg, p.temporal)).Run(ctx)
	return nil
}

// startWorker runs the workflows until stop is called.
func (p *process) startWorker(ctx context.Context) (stop func(), err error) {
	if n := browser.Sweep(); n > 0 {
		slog.Info("removed directories of browsers whose process was killed", "directories", n)
	}
	deps, err := newVerificationDeps(p.cfg)
	if err != nil {
		return nil, err
	}
	flows, err := newWorker(p.cfg, p.temporal, p.db, deps, p.ops.timings)
	if err != nil {
		return nil, err
	}
	if err := flows.Start(); err != nil {
		return nil, fmt.Errorf("the worker cannot start: %w", err)
	}
	p.ops.watchWorker(ctx, p.db, newRuns(p.cfg, p.temporal))
	go deps.keep(ctx, p.db)
	return func() { flows.Stop(); deps.close() }, nil
}

// alone fills in the addresses of a running up, or the defaults, for a process that up did not start.
func alone(cfg config.Config) config.Config {
	found := findAddresses(cfg)
	cfg.TemporalAddress = cmp.Or(cfg.TemporalAddress, found.Temporal)
	cfg.TemporalUIURL = cmp.Or(cfg.TemporalUIURL, found.TemporalURL, "http://127.0.0.1:8233")
	if cfg.XBaseURL == "" {
		cfg = withSandbox(cfg, cmp.Or(found.X, "http://"+cfg.XSandboxAddr))
	}
	if cfg.StripeSecretKey == "" {
		cfg = withStripeSandbox(cfg, cmp.Or(found.Stripe, "http://"+cfg.XSandboxAddr))
	}
	cfg.TargetURL, cfg.TargetControlURL = cmp.Or(cfg.TargetURL, found.Target), cmp.Or(cfg.TargetControlURL, found.TargetControl)
	cfg.SMTPURL = cmp.Or(cfg.SMTPURL, found.SMTP, "smtp://"+cfg.SMTPSandboxAddr+"?tls=none")
	return cfg
}

// missingSecrets refuses to serve other machines with default secrets.
func missingSecrets(names []string) error {
	return fmt.Errorf("PUBLIC_URL or ADDR is reachable from other machines, so these settings have no default: set %s", strings.Join(names, ", "))
}

func migrateCommand() *cobra.Command {
	return printsJSON(&cobra.Command{
		Use: "migrate", Short: "Bring the database schema up to date",
		Long:    "Bring the database schema up to date. Running it again changes nothing; \"customerzero up\" does it at every start.",
		Example: "  customerzero migrate\n  DATABASE_URL=postgres://user:password@host/name customerzero migrate",
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
			if err := checkIntact(cmd.Context(), cfg, db); err != nil {
				return err
			}
			if err := db.Migrate(cmd.Context()); err != nil {
				return err
			}
			return printResult(cmd, map[string]any{"upToDate": true}, "the schema is up to date\n")
		}),
	}, "upToDate (always true: other outcomes are errors)")
}
