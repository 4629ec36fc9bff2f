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

// desk is where operators read what this process counts, and whether it can work. Without
// OPS_ADDR nobody sits there, but counting goes on.
type opsServer struct {
	registry *prometheus.Registry
	timings  *worker.Timings // of the steps of a worker in this process
	ready    opsserver.Readiness
	server   *http.Server // nil: OPS_ADDR is empty
}

// openDesk answers before anything else begins: a wrong address is to be heard of at once, and
// a start that takes long is to be seen.
func openDesk(cfg config.Config) (*opsServer, error) {
	d := &opsServer{registry: metrics.NewRegistry(worker.Build()), timings: worker.NewTimings()}
	d.registry.MustRegister(metrics.Ready(d.ready.Now))
	if cfg.OpsAddr == "" {
		return d, nil
	}
	listener, err := listenFor("OPS_ADDR", cfg.OpsAddr)
	if err != nil {
		return nil, err
	}
	d.server = httpServer(opsserver.Handler(metrics.Handler(d.registry), &d.ready))
	go func() { _ = d.server.Serve(listener) }() // until it is closed
	slog.Info("operators are answered", "address", listener.Addr().String())
	return d, nil
}

// close comes last: operators want to see how a process stops.
func (d *opsServer) close() {
	if d.server != nil {
		_ = d.server.Close()
	}
}

// counting lets Temporal's client count, too.
func (d *opsServer) counting(options *client.Options) {
	handler, err := metrics.Temporal(d.registry)
	if err != nil {
		slog.Warn("Temporal's client does not count", "error", err)
		return
	}
	options.MetricsHandler = handler
}

// reads tells what stands in the database, and how busy it is.
func (d *opsServer) reads(cfg config.Config, db *store.DB) {
	front, _ := verification.ParseTarget("", origins(cfg))
	d.registry.MustRegister(metrics.Pool(db.PoolStats), &metrics.Product{
		Stats: db.Stats, Verifications: db.Verifications, Front: front.URL, Every: cfg.VerifyInterval(), Now: time.Now, Within: scrapeWithin,
	})
}

// scrapeWithin is shorter than what Prometheus waits.
const scrapeWithin = 3 * time.Second

// works says that the flows are run, until ctx ends.
func (d *opsServer) works(ctx context.Context, db *store.DB, runs *flows.Client) {
	d.registry.MustRegister(d.timings)
	checks := opsserver.Checks{
		{Name: "database", Remedy: "the database does not answer", Look: db.Ping},
		{Name: "temporal", Remedy: "Temporal does not answer", Look: runs.Ping},
	}
	d.ready.Ask(checks, checks.Ready)
	context.AfterFunc(ctx, d.ready.Stopping)
}

// keeps says that the supervisor takes orders, until ctx ends. That its chaos target is broken now and then
// is what it is for.
func (d *opsServer) keeps(ctx context.Context, kept *supervisor.Supervisor) {
	d.registry.MustRegister(metrics.ChaosTarget(kept.Inspect))
	d.ready.Ask(opsserver.Checks{}, opsserver.Checks{}.Ready)
	context.AfterFunc(ctx, d.ready.Stopping)
}

// watch lets the API be measured. Where there is no OPS_ADDR, it answers operators itself.
func (d *opsServer) watch(server *api.Server) http.Handler {
	server.Meters = httpapi.NewMeters()
	d.registry.MustRegister(server.Meters)
	if d.server == nil {
		server.Scrape = metrics.Handler(d.registry)
	}
	handler := server.Handler()
	d.ready.Ask(handler, server.Health.Ready)
	return handler
}

// healthCommand is for containers that hold nothing but this program.
func healthCommand() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use: "health", Short: "Ask an address whether it is well; the exit code tells", Args: cobra.NoArgs,
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			if address == "" {
				address = findAddresses(cfg).URL + "/readyz"
			}
			req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				return fmt.Errorf("--of is not a URL")
			}
			resp, err := (&http.Client{Timeout: 4 * time.Second, CheckRedirect: stay}).Do(req)
			if err != nil {
				return fmt.Errorf("nothing answers at %s", address)
			}
			defer func() { _ = resp.Body.Close() }()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answers %s", address, resp.Status)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "ok")
			return err
		}),
	}
	cmd.Flags().StringVar(&address, "of", "", "the address; empty: the readiness of a running up")
	return cmd
}
