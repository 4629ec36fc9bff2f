// Package metrics is what a process has counted and measured, as Prometheus reads it: its own
// doings, its database connections, what Temporal's client counts, and how the product stands by
// its rows. Names begin with customerzero_, but for those that libraries give.
package metrics

import (
	"context"
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
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
