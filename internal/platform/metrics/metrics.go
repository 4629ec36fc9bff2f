// Package metrics is what a process has counted and measured, as Prometheus reads it: its own
// doings, its database connections, what Temporal's client counts, and how the product stands by
// its rows. Names begin with customerzero_, but for those that libraries give.
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

// NewRegistry has what every process tells: of itself, and which build it is.
func NewRegistry(build string) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	which := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: prefix + "build_info", Help: "1, with the build of this process as labels.",
		ConstLabels: prometheus.Labels{"revision": build, "go": runtime.Version()},
	})
	which.Set(1)
	registry.MustRegister(which, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// Ready tells whether the process can do its work.
func Ready(now func(context.Context) bool) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: prefix + "ready", Help: "1 while this process can do its work, as its /readyz says.",
	}, func() float64 { return yes(now(context.Background())) })
}

// Handler lets Prometheus read. What cannot be collected is left out: the rest is worth more
// than an error. It does not compress, because a router around it does.
func Handler(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		DisableCompression: true, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: scrapersAtOnce,
	})
}

// scrapersAtOnce is more than there are, and fewer than do harm.
const scrapersAtOnce = 8

var (
	poolUsed    = described(prometheus.GaugeValue, "database_connections", "Connections by state.", "state")
	poolMax     = described(prometheus.GaugeValue, "database_connections_max", "Connections that there may be.")
	poolWaits   = described(prometheus.CounterValue, "database_waits_total", "How often somebody waited for a connection.")
	poolWaiting = described(prometheus.CounterValue, "database_wait_seconds_total", "How long all of them waited.")
)

// Pool tells how busy the database connections of this process are.
func Pool(stats func() sql.DBStats) prometheus.Collector {
	return prometheus.CollectorFunc(func(out chan<- prometheus.Metric) {
		now := stats()
		teller{out}.say(poolUsed, float64(now.InUse), "in_use")
		teller{out}.say(poolUsed, float64(now.Idle), "idle")
		teller{out}.say(poolMax, float64(now.MaxOpenConnections))
		teller{out}.say(poolWaits, float64(now.WaitCount))
		teller{out}.say(poolWaiting, now.WaitDuration.Seconds())
	})
}

var (
	targetInstance = described(prometheus.GaugeValue, "chaos_target_instance_up", "1 while the process of the chaos target's instance runs, else 0.")
	targetStarts   = described(prometheus.CounterValue, "chaos_target_instance_starts_total", "Starts of the instance since its supervisor started.")
	targetFiles    = described(prometheus.GaugeValue, "chaos_target_files_differing", "Critical files whose hash differs from the manifest.")
	targetDatabase = described(prometheus.GaugeValue, "chaos_target_database_intact", "1 while the instance's database passes the integrity check, else 0.")
	targetFault    = described(prometheus.GaugeValue, "chaos_target_fault_held", "1 while a fault is injected under a lease, else 0.")
)

// ChaosTarget reports what a supervisor sees of its chaos target.
func ChaosTarget(inspect func() target.Inspection) prometheus.Collector {
	return prometheus.CollectorFunc(func(out chan<- prometheus.Metric) {
		seen := inspect()
		teller{out}.say(targetInstance, yes(seen.Process.ID != 0))
		teller{out}.say(targetStarts, float64(seen.Process.Starts))
		teller{out}.say(targetFiles, float64(len(seen.Files)))
		teller{out}.say(targetDatabase, yes(seen.Database == ""))
		teller{out}.say(targetFault, yes(seen.Lease != nil))
	})
}

// yes is 1, no is 0.
func yes(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
