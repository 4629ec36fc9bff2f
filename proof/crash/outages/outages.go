// Package outages is the crash test of dependencies: members vote and founders write posts while the database is
// killed, silent, slow or disconnected and Temporal is killed. Then it compares the responses with the rows.
//
// It uses the product as a client. It inserts only the members and their sessions, before it starts.
package outages

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// CrashTest breaks the database and Temporal. Its database has to be rig.Mortal.
var CrashTest = rig.CrashTest{Things: "outages", On: crash}

const callers = 8

type world struct {
	*rig.Stage
	plan    []outage
	voters  []*voter
	author  *author
	monitor *monitor
	before  resources // of the API
	seen    []observed
}

func crash(ctx context.Context, o rig.Options, s *rig.Stage) (rig.Report, error) {
	w := &world{Stage: s, plan: newPlan(o.Seed, o.Count), monitor: newMonitor(s.URL)}
	if err := w.begin(ctx); err != nil {
		return rig.Report{}, err
	}
	working, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	for _, v := range w.voters {
		work.Go(func() { v.vote(working) })
	}
	work.Go(func() { w.author.write(working) })
	work.Go(func() { w.monitor.poll(working) })
	err := w.breakAll(ctx)
	stop()
	work.Wait()
	if err != nil {
		return rig.Report{}, err
	}
	return w.report(ctx)
}

func (w *world) begin(ctx context.Context) error {
	if err := w.StartProduct(ctx); err != nil {
		return err
	}
	if err := w.AwaitReady(ctx); err != nil {
		return err
	}
	for i := range callers {
		v, err := w.newVoter(ctx, i)
		if err != nil {
			return err
		}
		w.voters = append(w.voters, v)
	}
	w.author = &author{Caller: w.Founder()}
	w.author.HTTP.Timeout = patience
	var err error
	w.before, err = w.resources(ctx)
	return err
}

// breakAll inflicts the outages one after the other, with a pause in between.
func (w *world) breakAll(ctx context.Context) error {
	const calm = 2 * time.Second
	cluster.Wait(ctx, calm)
	for _, o := range w.plan {
		w.Events.Note("the %s for %s", o.kind, o.length)
		seen := observed{outage: o, from: time.Now()}
		if err := w.inflict(ctx, o); err != nil {
			return err
		}
		seen.until = time.Now()
		w.seen = append(w.seen, seen)
		w.Events.Note("it is over")
		if !cluster.Until(ctx, recovery, func() bool { return w.monitor.readySince(seen.until) }) {
			return ctx.Err() // the report shows it
		}
		cluster.Wait(ctx, calm)
	}
	return ctx.Err()
}

type kind string

const (
	killed         kind = "database's main process is killed"
	silent         kind = "database does not respond"
	slow           kind = "database is slow"
	reset          kind = "database's connections are reset"
	temporalKilled kind = "Temporal server is killed"
)

type outage struct {
	kind   kind
	length time.Duration
}

// affectsReadiness reports whether readiness has to report the outage. A check waits 3 s for the database, so a shorter
// outage may stay unnoticed.
func (o outage) affectsReadiness() bool {
	return (o.kind == killed || o.kind == silent) && o.length > 4*time.Second
}

// newPlan makes the plan of a seed, in rounds that contain each kind once.
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

// lag is the delay of a slow database in each direction.
const lag = 150 * time.Millisecond

func (w *world) inflict(ctx context.Context, o outage) error {
	if w.Kind != rig.Mortal {
		return errors.New("this kind of database cannot be killed: use mortal")
	}
	var err error
	network := w.DB.Network
	switch o.kind {
	case killed:
		return w.DB.Cut(ctx, o.length)
	case temporalKilled:
		return syscall.Kill(w.Temporal.Pid(), syscall.SIGKILL)
	case silent:
		err = network.Silence()
	case slow:
		err = network.Slow(lag)
	case reset:
		err = network.Reset()
	}
	cluster.Wait(ctx, o.length)
	return errors.Join(err, network.Restore())
}
