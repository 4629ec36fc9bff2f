package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"customerzero/internal/domain/target"
)

// Cell tells what a keeper sees of its cell.
type Cell struct {
	Inspect func() target.Inspection
}

var (
	cellReplica  = cellDesc("instance_up", "1 while the process of the chaos target's instance runs, else 0.")
	cellStarts   = cellDesc("instance_starts_total", "Starts of the instance since its supervisor started.")
	cellFiles    = cellDesc("files_differing", "Critical files whose hash differs from the manifest.")
	cellDatabase = cellDesc("database_intact", "1 while the instance's database passes the integrity check, else 0.")
	cellFault    = cellDesc("fault_held", "1 while a fault is injected under a lease, else 0.")
)

func cellDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+"chaos_target_"+name, help, nil, nil)
}

// Describe is for the registry.
func (Cell) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{cellReplica, cellStarts, cellFiles, cellDatabase, cellFault} {
		out <- desc
	}
}

// Collect looks at the cell.
func (c Cell) Collect(out chan<- prometheus.Metric) {
	seen := c.Inspect()
	gauge := func(desc *prometheus.Desc, value float64) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
	gauge(cellReplica, yes(seen.Process.ID != 0))
	gauge(cellFiles, float64(len(seen.Files)))
	gauge(cellDatabase, yes(seen.Database == ""))
	gauge(cellFault, yes(seen.Lease != nil))
	out <- prometheus.MustNewConstMetric(cellStarts, prometheus.CounterValue, float64(seen.Process.Starts))
}

// yes is 1, no is 0.
func yes(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
