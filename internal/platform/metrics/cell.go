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
	cellReplica  = cellDesc("replica_up", "1 while the replica's process lives.")
	cellStarts   = cellDesc("replica_starts_total", "How often the replica was started since its keeper was.")
	cellFiles    = cellDesc("files_differing", "Critical files that are not what the manifest says.")
	cellDatabase = cellDesc("database_sound", "1 while the replica's database passes the integrity check.")
	cellFault    = cellDesc("fault_held", "1 while a fault is in the cell under a lease.")
)

func cellDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+"cell_"+name, help, nil, nil)
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
