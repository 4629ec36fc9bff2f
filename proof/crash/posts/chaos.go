package posts

import (
	"context"
	"sync"
	"time"

	"customerzero/proof/cluster"
)

// chaos carries out the plan. It returns when everything in it was done.
func (w *world) chaos(ctx context.Context) {
	_ = w.x.SetFaults(w.plan.faults) // the rules are constants: a test sets them
	w.Diary.Note("chaos for %s", w.plan.chaos)
	began := time.Now()
	var doing sync.WaitGroup
	for _, p := range w.plan.posts {
		doing.Go(func() { w.writeAndOrder(ctx, began, p) })
	}
	doing.Go(func() { w.Inflict(ctx, began, w.plan.damage) })
	for i, d := range w.plan.decisions {
		doing.Go(func() {
			if cluster.Wait(ctx, time.Until(began.Add(d.at))) {
				w.decide(ctx, i, d.kind)
			}
		})
	}
	doing.Wait()
	w.Diary.Note("the chaos is over")
}
