package posts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"customerzero/api"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
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
	unknown, err := w.listUnknown(ctx)
	if err != nil {
		return err
	}
	w.settled.unknown = len(unknown)
	for _, p := range unknown {
		if err := w.retryUnknown(ctx, p.ID); err != nil {
			return err
		}
	}
	return w.settle(ctx)
}

// listUnknown waits for the API: the last to be killed may have to be started first.
func (w *world) listUnknown(ctx context.Context) ([]api.Post, error) {
	var unknown []api.Post
	listed := cluster.Until(ctx, 5*time.Minute, func() bool {
		var a rig.Answer
		unknown, a = w.founder.stuck(ctx, "unknown")
		return a.Outcome == rig.Success
	})
	if !listed {
		return nil, errors.New("the unknown posts cannot be listed, and all is well")
	}
	return unknown, nil
}

// retryUnknown asks until it gets an answer: a refusal is one, when an earlier call did it.
func (w *world) retryUnknown(ctx context.Context, id string) error {
	post := w.ledger.of(id)
	if post == nil {
		post = w.acknowledge(id, "", "found unknown")
	}
	answered := cluster.Until(ctx, 5*time.Minute, func() bool {
		w.give(ctx, post, plannedOrder{kind: retry})
		return post.orders[len(post.orders)-1].answer.Outcome != rig.Unclear
	})
	if !answered {
		return fmt.Errorf("the unknown post %s cannot be retried, and all is well", id)
	}
	return nil
}

// settle waits until nothing is scheduled or being sent. Posts that never get there are
// a breach, and not a reason to stop looking. Temporal may still hold orders whose worker
// died over them, for as long as it believes in that worker.
func (w *world) settle(ctx context.Context) error {
	const longest, belief = 15 * time.Minute, 16 * time.Second
	var err error
	cluster.Until(ctx, longest, func() bool {
		w.settled.stuck, err = openPosts(ctx, w.DB.Books())
		return err == nil && len(w.settled.stuck) == 0 && w.Workers.Unharmed() > belief
	})
	w.Diary.Note("settled, but for %d", len(w.settled.stuck))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
