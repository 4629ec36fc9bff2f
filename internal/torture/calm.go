package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	xsandbox "customerzero/internal/sandbox/x"
)

// settlement is what became of posts once the chaos was over.
type settlement struct {
	faults  map[string]int
	unknown int // before they were tried again
	stuck   []string
}

// calm makes X well, waits for every post to come to an end, and has the unknown ones
// looked at once more.
func (w *world) calm(ctx context.Context) error {
	var err error
	if w.settled.faults, err = w.x.fired(ctx); err != nil {
		return err
	}
	if err := w.x.SetFaults(xsandbox.Faults{}); err != nil {
		return err
	}
	if err := w.settle(ctx); err != nil {
		return err
	}
	unknown, a := w.founder.stuck(ctx, "unknown")
	if a.outcome != success {
		return errors.New("the unknown posts cannot be listed")
	}
	w.settled.unknown = len(unknown)
	for _, p := range unknown {
		if err := w.retryUnknown(ctx, p.ID); err != nil {
			return err
		}
	}
	return w.settle(ctx)
}

func (w *world) retryUnknown(ctx context.Context, id string) error {
	post := w.ledger.of(id)
	if post == nil {
		post = w.acknowledge(id, "", "found unknown")
	}
	w.give(ctx, post, plannedOrder{kind: retry})
	if !post.did(retry, success) {
		return fmt.Errorf("the unknown post %s cannot be retried, and all is well", id)
	}
	return nil
}

// settle waits until nothing is scheduled or being sent. Posts that never get there are
// a breach, and not a reason to stop looking.
func (w *world) settle(ctx context.Context) error {
	const longest = 4 * time.Minute
	var err error
	until(ctx, longest, func() bool {
		w.settled.stuck, err = openPosts(ctx, w.db.books())
		return err == nil && len(w.settled.stuck) == 0
	})
	w.diary.note("settled, but for %d", len(w.settled.stuck))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
