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
	"customerzero/internal/platform/config"
	"customerzero/internal/store"
)

func apiCommand() *cobra.Command {
	return &cobra.Command{
		Use: "api", Short: "Serve the API and the pages, beside a database and a Temporal cluster",
		Args: cobra.NoArgs, RunE: beside("api", runAPI),
	}
}

// process is what an api or a worker has beside a database and a Temporal cluster.
type process struct {
	cfg        config.Config
	emailPages string // of the sandbox; empty: e-mails go to a real server
	desk       *opsServer
	db         *store.DB
	temporal   client.Client
}

// beside opens all of that before work, and closes it afterwards.
func beside(name string, work func(context.Context, *process) error) func(*cobra.Command, []string) error {
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
		if p.desk, err = openDesk(p.cfg); err != nil {
			return err
		}
		defer p.desk.close()
		if p.db, err = openDatabase(ctx, p.cfg); err != nil {
			return err
		}
		defer func() { _ = p.db.Close() }()
		p.desk.reads(p.cfg, p.db)
		if p.temporal, err = dialTemporal(ctx, p.cfg, p.cfg.TemporalAddress, p.desk.counting); err != nil {
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
	return server.Health.Drain.Serve(ctx, httpServer(p.desk.watch(server)), listener)
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
		Args: cobra.NoArgs, RunE: beside("worker", runWorker),
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
	newStarter(p.cfg, p.db, newRuns(p.cfg, p.temporal)).Run(ctx)
	return nil
}

// startWorker runs the flows until stop is called.
func (p *process) startWorker(ctx context.Context) (stop func(), err error) {
	view, err := newViewer(p.cfg)
	if err != nil {
		return nil, err
	}
	flows, err := newWorker(p.cfg, p.temporal, p.db, view, p.desk.timings)
	if err != nil {
		return nil, err
	}
	if err := flows.Start(); err != nil {
		return nil, fmt.Errorf("the worker could not start: %w", err)
	}
	p.desk.works(ctx, p.db, newRuns(p.cfg, p.temporal))
	go view.keep(ctx, p.db)
	return func() { flows.Stop(); view.close() }, nil
}

// alone fills in, for a process that up did not start, where up or the defaults are.
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

// missingSecrets refuses to serve strangers with what everybody knows.
func missingSecrets(names []string) error {
	return fmt.Errorf("this is not a laptop, because PUBLIC_URL or ADDR is open to others, and no secret has a default there: set %s", strings.Join(names, ", "))
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
