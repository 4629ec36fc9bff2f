package main

import (
	"context"
	"sync"
	"time"
)

// patience is how long a killer waits for the moment it likes.
const patience = 6 * time.Second

// chaos carries out the plan. It returns when everything in it was done.
func (w *world) chaos(ctx context.Context) {
	_ = w.x.SetFaults(w.plan.faults) // the rules are constants: a test sets them
	w.diary.note("chaos for %s", w.plan.chaos)
	began := time.Now()
	var doing sync.WaitGroup
	for _, p := range w.plan.posts {
		doing.Go(func() { w.writeAndOrder(ctx, began, p) })
	}
	doing.Go(func() { w.killAll(ctx, began, w.worker, theWorker) })
	doing.Go(func() { w.killAll(ctx, began, w.api, theAPI) })
	doing.Go(func() { w.cutAll(ctx, began) })
	for i, d := range w.plan.decisions {
		doing.Go(func() {
			if wait(ctx, time.Until(began.Add(d.at))) {
				w.decide(ctx, i, d.kind)
			}
		})
	}
	doing.Wait()
	w.diary.note("the chaos is over")
}

func (w *world) killAll(ctx context.Context, began time.Time, p *process, who victim) {
	for _, k := range w.plan.kills {
		if k.who == who && wait(ctx, time.Until(began.Add(k.at))) {
			w.kill(ctx, p, k)
		}
	}
}

// kill waits for the moment, and kills; a victim that is dead just then has to live first.
func (w *world) kill(ctx context.Context, p *process, k plannedKill) {
	dead := false
	w.trap.do(ctx, k.when, patience, func() { dead = p.kill(k.pause) })
	if !dead {
		until(ctx, time.Minute, func() bool { return p.kill(k.pause) })
	}
	w.diary.note("killed the %s, for %s: %s", k.who, k.pause, k.when)
}

func (w *world) cutAll(ctx context.Context, began time.Time) {
	for _, c := range w.plan.cuts {
		if !wait(ctx, time.Until(began.Add(c.at))) {
			return
		}
		w.diary.note("the database is cut for %s", c.length)
		if err := w.db.cut(ctx, c.length); err != nil {
			w.diary.note("it was not: %v", err)
			continue
		}
		w.cuts++
	}
}
