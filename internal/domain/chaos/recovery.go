package chaos

import (
	"time"

	"customerzero/internal/domain/target"
)

// StayWell is how many probes in a row must be well before a run believes it.
const StayWell = 4

// Unseen is how long a run waits for the first probe that fails.
const Unseen = 3 * time.Second

// Recovered says whether a watch is over: a probe failed and StayWell in a row are well since,
// or none has failed for the time Unseen.
func Recovered(injected time.Time, samples []target.Sample) bool {
	seen := since(injected, samples)
	detected, healed := turns(seen)
	if detected < 0 {
		return len(seen) > 0 && seen[len(seen)-1].At.Sub(injected) >= Unseen
	}
	return healed >= 0 && len(seen)-healed >= StayWell
}
