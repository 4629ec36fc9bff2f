// Package posts sends posts through real processes while it kills them, cuts their database
// off, and lets X lose answers, and then holds the database against the timeline.
//
// It is a customer of the product, not a part of it: it speaks HTTP to the API, reads the
// tables, and may not write to them. The product may not import it.
package posts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"customerzero/api/posts"
	"customerzero/internal/domain/post"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// CrashTest sends posts.
var CrashTest = rig.CrashTest{Things: "posts", On: crash}

// world is everything that one run of the plan needs.
type world struct {
	*rig.Stage
	plan    plan
	ledger  *ledger
	x       *rig.X
	founder *founder
	settled settlement
}

func crash(ctx context.Context, o rig.Options, s *rig.Stage) (rig.Report, error) {
	w := &world{Stage: s, plan: newPlan(o), ledger: &ledger{}, founder: &founder{s.Founder()}}
	if err := w.begin(ctx); err != nil {
		return rig.Report{}, err
	}
	endUnrest := w.Unrest(ctx)
	w.chaos(ctx)
	endUnrest()
	if err := w.calm(ctx); err != nil {
		return rig.Report{}, err
	}
	e, err := w.inspect(ctx)
	return rig.Report{Counts: w.counts(e), Verdicts: rig.Judge(invariants, e)}, err
}

// begin starts X and the product, and enters the members.
func (w *world) begin(ctx context.Context) error {
	var err error
	if w.x, err = rig.StartX(func(x http.Handler) http.Handler { return watched(x, w.Trap) }); err != nil {
		return err
	}
	w.Later(w.x.Close)
	if err := w.StartProduct(ctx, append(w.x.Settings(), "POST_SEND_TIMEOUT="+sendTimeout.String())...); err != nil {
		return err
	}
	for _, name := range members {
		if err := w.AddMember(ctx, name); err != nil {
			return err
		}
	}
	return w.AwaitReady(ctx)
}

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

// settlement is what became of posts once the chaos was over.
type settlement struct {
	unknown int // before they were tried again
	stuck   []string
}

// calm makes X well, waits for every post to come to an end, and has the unknown ones looked at once more.
func (w *world) calm(ctx context.Context) error {
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
func (w *world) listUnknown(ctx context.Context) ([]posts.Post, error) {
	var unknown []posts.Post
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

// settle waits until nothing is scheduled or being sent.
func (w *world) settle(ctx context.Context) (err error) {
	const belief = 16 * time.Second // for which Temporal may hold tasks of a dead worker
	w.settled.stuck, err = w.Settle(ctx, func() ([]string, error) {
		open, err := openPosts(ctx, w.DB.Books())
		if w.Workers.Unharmed() < belief {
			open = append(open, "a worker died just now")
		}
		return open, err
	})
	return err
}

// inspect gathers all evidence, when everything is quiet.
func (w *world) inspect(ctx context.Context) (evidence, error) {
	found, err := readFacts(ctx, w.DB.Books())
	e := evidence{
		facts: found, tweets: w.x.Tweets(), written: w.ledger.written.All(), strange: w.ledger.strange.All(), stuck: w.settled.stuck,
	}
	if err != nil {
		return e, err
	}
	for _, p := range w.plan.posts {
		e.planned = append(e.planned, p.text)
	}
	waiting := len(e.in(post.StatusFailed)) + len(e.in(post.StatusUnknown))
	e.runs, err = w.readRuns(ctx, waiting)
	return e, err
}

func (w *world) counts(e evidence) rig.Counts {
	counts := rig.Counts{"calls repeated": int(w.ledger.repeats.Load()), "posts unknown before they were tried again": w.settled.unknown}
	for _, r := range e.posts {
		counts["posts "+r.status]++
	}
	for outcome, n := range e.attempts {
		counts["attempts "+outcome] = n
	}
	for _, p := range e.written {
		for _, o := range p.orders {
			counts["orders: "+string(o.kind)+" "+string(o.answer.Outcome)]++
		}
	}
	return counts
}
