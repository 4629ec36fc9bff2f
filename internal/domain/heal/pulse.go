package heal

import (
	"time"

	"customerzero/internal/domain/target"
)

// Beat remembers one more probe.
func (p Pulse) Beat(s target.Sample) Pulse {
	return Pulse{
		Last: [3]target.Failing{s.Failing, p.Last[0], p.Last[1]},
		At:   [3]time.Time{s.At, p.At[0], p.At[1]},
	}
}

// Sick says whether two of the last three probes failed.
func (p Pulse) Sick() bool {
	misses := 0
	for _, failing := range p.Last {
		if failing.Any() {
			misses++
		}
	}
	return misses >= 2
}

// Since is when the first of the probes that failed was made; zero: none failed.
func (p Pulse) Since() time.Time {
	var first time.Time
	for i, failing := range p.Last {
		if failing.Any() {
			first = p.At[i] // newest first, so the last one stays
		}
	}
	return first
}
