package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/verification"
	"customerzero/internal/platform/config"
	"customerzero/internal/platform/metrics"
	"customerzero/internal/platform/opsserver"
	"customerzero/internal/store"
	"customerzero/internal/target/supervisor"
	"customerzero/worker"
	flows "customerzero/workflows/client"
)

// opsServer serves this process's metrics and health checks at OPS_ADDR. Without OPS_ADDR it only
// collects the metrics.
type opsServer struct {
	registry *prometheus.Registry
	timings  *worker.Timings // activity durations of a worker in this process
	ready    opsserver.Readiness
	server   *http.Server // nil without OPS_ADDR
}

// newOpsServer starts to serve before anything else starts, so that a wrong address fails immediately
// and a slow start is visible.
func newOpsServer(cfg config.Config) (*opsServer, error) {
	d := &opsServer{registry: metrics.NewRegistry(worker.Build()), timings: worker.NewTimings()}
	d.registry.MustRegister(metrics.Ready(d.ready.Now))
	if cfg.OpsAddr == "" {
		return d, nil
	}
	listener, err := listenFor("OPS_ADDR", cfg.OpsAddr)
	if err != nil {
		return nil, err
	}
	d.server = httpServer(opsserver.Handler(metrics.Handler(d.registry), &d.ready), listener.Addr())
	go func() { _ = d.server.Serve(listener) }() // until it is closed
	slog.Info("metrics and health checks are served", "address", listener.Addr().String())
	return d, nil
}

// close comes last, so that the shutdown of the process stays observable.
func (d *opsServer) close() {
	if d.server != nil {
		_ = d.server.Close()
	}
}

// instrument exports the metrics of Temporal's client.
func (d *opsServer) instrument(options *client.Options) {
	handler, err := metrics.Temporal(d.registry)
	if err != nil {
		slog.Warn("metrics of Temporal's client are off", "error", err)
		return
	}
	options.MetricsHandler = handler
}

// watchStore exports metrics of the database's rows and of its connection pool.
func (d *opsServer) watchStore(cfg config.Config, db *store.DB) {
	front, _ := verification.ParseTarget("", origins(cfg))
	d.registry.MustRegister(metrics.Pool(db.PoolStats), &metrics.Product{
		Stats: db.Stats, Verifications: db.Verifications, Front: front.URL, Every: cfg.VerifyInterval(), Now: time.Now, Within: scrapeWithin,
	})
}

// scrapeWithin is shorter than Prometheus's scrape timeout.
const scrapeWithin = 3 * time.Second

// watchWorker reports ready while the database and Temporal respond, until ctx ends.
func (d *opsServer) watchWorker(ctx context.Context, db *store.DB, runs *flows.Client) {
	d.registry.MustRegister(d.timings)
	checks := opsserver.Checks{
		{Name: "database", Remedy: "the database does not answer, or its file was removed or replaced", Look: db.CheckReachable},
		{Name: "temporal", Remedy: "Temporal does not answer", Look: runs.Ping},
	}
	d.ready.Use(checks, checks.Ready)
	context.AfterFunc(ctx, d.ready.Stopping)
}

// watchTarget reports ready while the supervisor accepts commands, until ctx ends. A broken chaos target
// does not count: it is broken on purpose.
func (d *opsServer) watchTarget(ctx context.Context, kept *supervisor.Supervisor) {
	d.registry.MustRegister(metrics.ChaosTarget(kept.Inspect))
	d.ready.Use(opsserver.Checks{}, opsserver.Checks{}.Ready)
	context.AfterFunc(ctx, d.ready.Stopping)
}

// watchAPI instruments the API, which serves the metrics itself if there is no OPS_ADDR.
func (d *opsServer) watchAPI(server *api.Server) http.Handler {
	server.Meters = httpapi.NewMeters()
	d.registry.MustRegister(server.Meters)
	if d.server == nil {
		server.Scrape = metrics.Handler(d.registry)
	}
	handler := server.Handler()
	d.ready.Use(handler, server.Health.Ready)
	return handler
}

func healthCommand() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use: "health", Short: "Check a health endpoint (exit code 0 if healthy)",
		Long: "Request a health endpoint and exit with 0 if it returns 200, else with 1.\n\n" +
			"It needs nothing but this program, so container health checks can use it.",
		Example: "  customerzero health\n  customerzero health --of http://127.0.0.1:9090/healthz",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			if address == "" {
				address = findAddresses(cfg).URL + "/readyz"
			}
			req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				return fmt.Errorf("--of %q is not a URL", address)
			}
			resp, err := (&http.Client{Timeout: 4 * time.Second, CheckRedirect: stay}).Do(req)
			if err != nil {
				return fmt.Errorf("no response from %s", address)
			}
			defer func() { _ = resp.Body.Close() }()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s returned %s", address, resp.Status)
			}
			return printResult(cmd, map[string]any{"url": address, "healthy": true}, "ok\n")
		}),
	}
	cmd.Flags().StringVar(&address, "of", "", "`URL` of the endpoint (default: /readyz of the running up)")
	return printsJSON(cmd, "url, healthy (always true: other outcomes are errors)")
}
