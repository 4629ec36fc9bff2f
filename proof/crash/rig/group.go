package rig

import (
	"time"

	"customerzero/proof/cluster"
)

// Group are the processes of a kind: one, or in a cluster several.
type Group []*cluster.Process

// Unharmed says for how long nobody has killed any of them.
func (g Group) Unharmed() time.Duration {
	least := g[0].Unharmed()
	for _, p := range g {
		least = min(least, p.Unharmed())
	}
	return least
}

func (g Group) deaths() (kills, falls int) {
	for _, p := range g {
		k, f := p.Deaths()
		kills, falls = kills+k, falls+f
	}
	return kills, falls
}
