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

// Pool tells how busy the database connections of this process are.
type Pool struct {
	Stats func() sql.DBStats
}

var (
	poolUsed    = poolDesc("connections", "Connections by state.", "state")
	poolMax     = poolDesc("connections_max", "Connections that there may be.")
	poolWaits   = poolDesc("waits_total", "How often somebody waited for a connection.")
	poolWaiting = poolDesc("wait_seconds_total", "How long all of them waited.")
)

func poolDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+"database_"+name, help, labels, nil)
}

// Describe is for the registry.
func (Pool) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolUsed, poolMax, poolWaits, poolWaiting} {
		out <- d
	}
}

// Collect asks nobody but the pool.
func (p Pool) Collect(out chan<- prometheus.Metric) {
	stats := p.Stats()
	say := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	say(poolUsed, prometheus.GaugeValue, float64(stats.InUse), "in_use")
	say(poolUsed, prometheus.GaugeValue, float64(stats.Idle), "idle")
	say(poolMax, prometheus.GaugeValue, float64(stats.MaxOpenConnections))
	say(poolWaits, prometheus.CounterValue, float64(stats.WaitCount))
	say(poolWaiting, prometheus.CounterValue, stats.WaitDuration.Seconds())
}

// Cell tells what a supervisor sees of its chaos target.
type Cell struct {
	Inspect func() target.Inspection
}

var (
	targetInstance = cellDesc("instance_up", "1 while the process of the chaos target's instance runs, else 0.")
	targetStarts   = cellDesc("instance_starts_total", "Starts of the instance since its supervisor started.")
	targetFiles    = cellDesc("files_differing", "Critical files whose hash differs from the manifest.")
	targetDatabase = cellDesc("database_intact", "1 while the instance's database passes the integrity check, else 0.")
	targetFault    = cellDesc("fault_held", "1 while a fault is injected under a lease, else 0.")
)

func cellDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+"chaos_target_"+name, help, nil, nil)
}

// Describe is for the registry.
func (Cell) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{targetInstance, targetStarts, targetFiles, targetDatabase, targetFault} {
		out <- desc
	}
}

// Collect looks at the chaos target.
func (c Cell) Collect(out chan<- prometheus.Metric) {
	seen := c.Inspect()
	gauge := func(desc *prometheus.Desc, value float64) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
	gauge(targetInstance, yes(seen.Process.ID != 0))
	gauge(targetFiles, float64(len(seen.Files)))
	gauge(targetDatabase, yes(seen.Database == ""))
	gauge(targetFault, yes(seen.Lease != nil))
	out <- prometheus.MustNewConstMetric(targetStarts, prometheus.CounterValue, float64(seen.Process.Starts))
}

// yes is 1, no is 0.
func yes(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
