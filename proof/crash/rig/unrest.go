package rig

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"customerzero/proof/cluster"
	"customerzero/proof/crash/watch"
)

// unharmedFor is how long nobody must have killed a process, or another of its kind, before it
// is restarted: longer than the dead stay dead. There is no replica to spare before.
const unharmedFor = 10 * time.Second

// unrest is the rolling restart of a cluster, and who looks on.
type unrest struct {
	watcher  *watch.Watcher
	restarts atomic.Int32
	failed   Notes[string] // restarts
}

// Unrest has every process of a cluster restarted gracefully, one after the other and again and
// again, while somebody asks the proxy for something all the time. It lasts until stop, which
// returns when everybody is back. Where there is one of everything, there is none.
func (s *Stage) Unrest(ctx context.Context) (stop func()) {
	if s.cluster == nil {
		return func() {}
	}
	looking, stopLooking := context.WithCancel(ctx)
	enough := make(chan struct{})
	s.unrest.watcher = watch.New(s.URL)
	var watching, rolling sync.WaitGroup
	watching.Go(func() { s.unrest.watcher.Run(looking) })
	rolling.Go(func() { s.rollUntil(ctx, enough) })
	return func() {
		close(enough)
		rolling.Wait()
		stopLooking()
		watching.Wait()
	}
}

func (s *Stage) rollUntil(ctx context.Context, enough chan struct{}) {
	for { // others than the product's own are not restarted
		for _, g := range []Group{s.APIs, s.Workers, {s.cluster.Target}, {s.cluster.Temporal}} {
			for _, p := range g {
				select {
				case <-enough:
					return
				case <-ctx.Done():
					return
				default:
					s.restart(ctx, g, p)
				}
			}
		}
	}
}

// restart restarts one, unless its kind was harmed a moment ago.
func (s *Stage) restart(ctx context.Context, g Group, p *cluster.Process) {
	if g.Unharmed() < unharmedFor {
		cluster.Wait(ctx, time.Second)
		return
	}
	began, name := time.Now(), p.Program().Name
	err := s.cluster.Restart(ctx, p)
	until := time.Now()
	ready := func() bool { return s.cluster.Ready(ctx, p) }
	if err != nil && cluster.Until(ctx, 5*time.Minute, ready) && s.harms.excuse(watch.Failure{From: began, Until: until}) {
		err = nil // without its database it ended a few times, and was started again; harms are noted when they are over
	}
	s.Diary.Note("restarted %s, after %s it was ready: %v", name, time.Since(began).Round(time.Millisecond), err)
	s.unrest.restarts.Add(1)
	if err != nil && ctx.Err() == nil {
		s.unrest.failed.Add(fmt.Sprintf("%s: %v", name, err))
	}
}

// report adds what was done to the processes and, where there was unrest, what came of it.
func (s *Stage) report(r *Report) {
	r.Counts["database cuts"] = int(s.cuts.Load())
	for name, g := range map[string]Group{"worker ": s.Workers, "api ": s.APIs} {
		r.Counts[name+"kills"], r.Counts[name+"other ends"] = g.deaths()
	}
	u := &s.unrest
	if u.watcher == nil {
		return
	}
	seen, breaches := u.watcher, Breaches{}
	for _, f := range seen.Failures {
		breaches.If(!s.harms.excuse(f), "%s", f)
	}
	r.Counts["restarts"], r.Counts["requests through the proxy"] = int(u.restarts.Load()), seen.Asked
	r.Counts["requests that failed, but while something was killed"] = len(seen.Failures) - len(breaches)
	r.Verdicts = append(r.Verdicts,
		Verdict{"no request through the proxy failed, but while an API was killed or the database cut", breaches},
		Verdict{"whoever was restarted was ready again", u.failed.All()})
}

// What a harm excuses beside what was under way: requests that began so soon after it. The
// death of a worker excuses nothing, and neither does a restart.
const (
	afterKill = 3 * time.Second // of an API: the others go on, and the proxy has to notice
	afterCut  = 5 * time.Second // of all replicas' database: each has to find it again
)

// harms are the times in which the crash test itself kept the product from answering.
type harms struct{ Notes[harm] }

type harm struct{ from, until time.Time }

// excuse says whether a request was under way while something was harmed.
func (h *harms) excuse(f watch.Failure) bool {
	return slices.ContainsFunc(h.All(), func(one harm) bool { return f.From.Before(one.until) && f.Until.After(one.from) })
}
