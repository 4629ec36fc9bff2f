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

// unharmedFor is the minimum time between a kill and the restart of another process of the same group. It is
// longer than a killed process stays down, so that one instance is always up.
const unharmedFor = 10 * time.Second

// rolling holds the results of the rolling restarts of a cluster.
type rolling struct {
	watcher  *watch.Watcher
	restarts atomic.Int32
	failed   Notes[string] // restarts
}

// RollRestarts gracefully restarts the processes of a cluster one by one, in a loop, while a watcher sends
// requests to the proxy. stop returns when all processes are back. It does nothing without a cluster.
func (s *Stage) RollRestarts(ctx context.Context) (stop func()) {
	if s.cluster == nil {
		return func() {}
	}
	watched, stopWatching := context.WithCancel(ctx)
	enough := make(chan struct{})
	s.rolling.watcher = watch.New(s.URL)
	var watching, restarting sync.WaitGroup
	watching.Go(func() { s.rolling.watcher.Run(watched) })
	restarting.Go(func() { s.rollUntil(ctx, enough) })
	return func() {
		close(enough)
		restarting.Wait()
		stopWatching()
		watching.Wait()
	}
}

func (s *Stage) rollUntil(ctx context.Context, enough chan struct{}) {
	for {
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

// restart restarts a process unless one of its group was killed recently.
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
		err = nil // without its database it exited and was restarted; harms are recorded when they are over
	}
	s.Events.Note("restarted %s, after %s it was ready: %v", name, time.Since(began).Round(time.Millisecond), err)
	s.rolling.restarts.Add(1)
	if err != nil && ctx.Err() == nil {
		s.rolling.failed.Add(fmt.Sprintf("%s: %v", name, err))
	}
}

// report adds the kills and cuts and, for a cluster, the results of the rolling restarts.
func (s *Stage) report(r *Report) {
	r.Counts["database cuts"] = int(s.cuts.Load())
	for name, g := range map[string]Group{"worker ": s.Workers, "api ": s.APIs} {
		r.Counts[name+"kills"], r.Counts[name+"other ends"] = g.deaths()
	}
	u := &s.rolling
	if u.watcher == nil {
		return
	}
	seen, breaches := u.watcher, Breaches{}
	for _, f := range seen.Failures {
		breaches.If(!s.harms.excuse(f), "%s", f)
	}
	r.Counts["restarts"], r.Counts["requests through the proxy"] = int(u.restarts.Load()), seen.Asked
	r.Counts["requests that failed during a kill or cut"] = len(seen.Failures) - len(breaches)
	r.Verdicts = append(r.Verdicts,
		Verdict{"no request through the proxy failed, except during the kill of an API or a cut of the database", breaches},
		Verdict{"every restarted process became ready again", u.failed.All()})
}

// Requests that started this soon after a harm may fail as well. Killing a worker and graceful restarts
// excuse no failure.
const (
	afterKill = 3 * time.Second // of an API, until the proxy notices
	afterCut  = 5 * time.Second // of the database, until every instance has reconnected
)

// harms are the periods in which the crash test itself prevented responses.
type harms struct{ Notes[harm] }

type harm struct{ from, until time.Time }

// excuse reports whether a request overlaps with a harm.
func (h *harms) excuse(f watch.Failure) bool {
	return slices.ContainsFunc(h.All(), func(one harm) bool { return f.From.Before(one.until) && f.Until.After(one.from) })
}
