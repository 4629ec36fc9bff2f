package outages

import (
	"context"
	"errors"
	"math/rand/v2"
	"syscall"
	"time"

	"customerzero/proof/cluster"
	"customerzero/proof/crash/network"
	"customerzero/proof/crash/rig"
)

// kind is what is done to what the product stands on.
type kind string

const (
	killed         kind = "database's first process is killed"
	silent         kind = "database says nothing"
	slow           kind = "database is slow"
	reset          kind = "database's connections are reset"
	temporalKilled kind = "Temporal server is killed"
)

// outage is one thing that is broken for a while.
type outage struct {
	kind   kind
	length time.Duration
}

// told says whether readiness has to tell of it. A read waits three seconds for a database, and
// a server that is back by then was not missed.
func (o outage) told() bool {
	return (o.kind == killed || o.kind == silent) && o.length > 4*time.Second
}

// newPlan makes the plan of a seed. Each kind comes before any comes again.
func newPlan(seed uint64, n int) []outage {
	chance := rand.New(rand.NewPCG(seed, 0))
	var plan []outage
	for len(plan) < n {
		round := []outage{
			{killed, rig.Between(chance, 4500*time.Millisecond, 5500*time.Millisecond)},
			{silent, rig.Between(chance, 4500*time.Millisecond, 6*time.Second)},
			{slow, rig.Between(chance, time.Second, 3*time.Second)},
			{reset, 0},
			{temporalKilled, 0},
		}
		chance.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		plan = append(plan, round...)
	}
	return plan[:n]
}

// mortal is a database that can be broken so.
type mortal interface {
	Kill(ctx context.Context, length time.Duration) error
	Network() *network.Proxy
}

// lag is how much later everything is with a slow database, in each direction.
const lag = 150 * time.Millisecond

func (w *world) inflict(ctx context.Context, o outage) error {
	db, ok := w.DB.(mortal)
	if !ok {
		return errors.New("this database cannot be broken: use mortal")
	}
	var err error
	switch o.kind {
	case killed:
		return db.Kill(ctx, o.length)
	case temporalKilled:
		return syscall.Kill(w.Temporal.Pid(), syscall.SIGKILL)
	case silent:
		err = db.Network().Silence()
	case slow:
		err = db.Network().Slow(lag)
	case reset:
		err = db.Network().Reset()
	}
	cluster.Wait(ctx, o.length)
	return errors.Join(err, db.Network().Mend())
}
