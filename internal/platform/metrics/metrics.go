// Package metrics exports Prometheus metrics: of the process, its database connections, Temporal's client,
// and the product's rows. Names start with customerzero_, except for those of libraries.
package metrics

import (
	"context"
	"database/sql"
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"customerzero/internal/domain/target"
)

const prefix = "customerzero_"

// NewRegistry returns a registry with the metrics that every process has.
func NewRegistry(build string) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: prefix + "build_info", Help: "1, with the build of this process as labels.",
		ConstLabels: prometheus.Labels{"revision": build, "go": runtime.Version()},
	})
	info.Set(1)
	registry.MustRegister(info, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// Ready exports the readiness of the process.
func Ready(now func(context.Context) bool) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: prefix + "ready", Help: "1 while this process is ready (see its /readyz), otherwise 0.",
	}, func() float64 { return boolean(now(context.Background())) })
}

// Handler serves a registry. Metrics that cannot be collected are left out. It does not compress, because the
// router does.
func Handler(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		DisableCompression: true, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: scrapersAtOnce,
	})
}

const scrapersAtOnce = 8

var (
	poolUsed    = described(prometheus.GaugeValue, "database_connections", "Connections by state.", "state")
	poolMax     = described(prometheus.GaugeValue, "database_connections_max", "Maximum number of connections.")
	poolWaits   = described(prometheus.CounterValue, "database_waits_total", "Waits for a free connection.")
	poolWaiting = described(prometheus.CounterValue, "database_wait_seconds_total", "Total time of these waits, in seconds.")
)

// Pool exports the database connections of this process.
func Pool(stats func() sql.DBStats) prometheus.Collector {
	return prometheus.CollectorFunc(func(out chan<- prometheus.Metric) {
		now := stats()
		sink{out}.add(poolUsed, float64(now.InUse), "in_use")
		sink{out}.add(poolUsed, float64(now.Idle), "idle")
		sink{out}.add(poolMax, float64(now.MaxOpenConnections))
		sink{out}.add(poolWaits, float64(now.WaitCount))
		sink{out}.add(poolWaiting, now.WaitDuration.Seconds())
	})
}

var (
	targetInstance = described(prometheus.GaugeValue, "chaos_target_instance_up", "1 while the process of the chaos target's instance runs, else 0.")
	targetStarts   = described(prometheus.CounterValue, "chaos_target_instance_starts_total", "Starts of the instance since its supervisor started.")
	targetFiles    = described(prometheus.GaugeValue, "chaos_target_files_differing", "Critical files whose hash differs from the manifest.")
	targetDatabase = described(prometheus.GaugeValue, "chaos_target_database_intact", "1 while the instance's database passes the integrity check, else 0.")
	targetFault    = described(prometheus.GaugeValue, "chaos_target_fault_held", "1 while a fault is injected under a lease, else 0.")
)

// ChaosTarget exports a supervisor's state of its chaos target.
func ChaosTarget(inspect func() target.Inspection) prometheus.Collector {
	return prometheus.CollectorFunc(func(out chan<- prometheus.Metric) {
		seen := inspect()
		sink{out}.add(targetInstance, boolean(seen.Process.ID != 0))
		sink{out}.add(targetStarts, float64(seen.Process.Starts))
		sink{out}.add(targetFiles, float64(len(seen.Files)))
		sink{out}.add(targetDatabase, boolean(seen.Database == ""))
		sink{out}.add(targetFault, boolean(seen.Lease != nil))
	})
}

func boolean(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
