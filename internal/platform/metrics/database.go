package metrics

import (
	"database/sql"

	"github.com/prometheus/client_golang/prometheus"
)

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
