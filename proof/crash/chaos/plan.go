package chaos

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"customerzero/proof/crash/rig"
)

// faultNames are all that the chaos target can be broken by.
var faultNames = []string{"delete-og-image", "corrupt-worker", "break-database", "delete-templates", "crash-api", "nuclear-option"}

// manner is what is done to the workers during a run.
type manner string

const (
	calm    manner = "calm"
	killed  manner = "killed"  // at a moment that chance chose; of several, one
	expired manner = "expired" // as soon as the fault is there, for longer than its lease: all of them
)

// planned is a run that will be asked for.
type planned struct {
	fault  string
	manner manner
	// The worker dies so long after the fault is there, or after the run was asked for.
	after      time.Duration
	afterFault bool
	which      int           // of the workers
	pause      time.Duration // for which it stays dead
}

// newPlan makes the plan of a seed: every fault as often as the others, in each manner. Those in
// calm come first: for a while after a death, Temporal holds orders of the dead worker's.
func newPlan(o rig.Options) []planned {
	chance := rand.New(rand.NewPCG(o.Seed, 0))
	var plan []planned
	for i := range o.Count {
		p := planned{fault: faultNames[i%len(faultNames)], manner: calm}
		switch {
		case i < o.Kills/3:
			p.manner, p.afterFault = expired, true
			// If only the healer could end the fault, it would be there for too long.
			p.after, p.pause = rig.Between(chance, 0, 150*time.Millisecond), 2*shortLease
		case i < o.Kills:
			p.manner, p.afterFault, p.which = killed, chance.IntN(2) == 0, i
			p.after, p.pause = rig.Between(chance, 0, 3*time.Second), rig.Between(chance, 100*time.Millisecond, 3*time.Second)
			if p.afterFault {
				p.after /= 3
			}
		}
		plan = append(plan, p)
	}
	chance.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	slices.SortStableFunc(plan, func(a, b planned) int { return cmp.Compare(a.rank(), b.rank()) })
	return plan
}

func (p planned) rank() int {
	if p.manner == calm {
		return 0
	}
	return 1
}
