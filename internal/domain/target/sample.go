package target

import "time"

// How often a probe is made, how long it waits for an answer, and how old the worker's last
// beat may be.
const (
	ProbeEvery     = 250 * time.Millisecond
	ProbeTimeout   = time.Second
	HeartbeatFresh = time.Second
)

// Sample is what one probe saw.
type Sample struct {
	At      time.Time
	Took    time.Duration
	Failing Failing
	Process int // the replica's process ID; 0: there is none, or nobody could say
}

// Healthy says whether nothing failed.
func (s Sample) Healthy() bool { return s.Failing == 0 }
