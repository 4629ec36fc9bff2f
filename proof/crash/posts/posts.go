// Package posts is the crash test of posts: it writes and changes them while it kills processes, cuts the
// database and lets X lose responses, and then compares the database with the timeline.
//
// It uses the product as a client: HTTP to the API, and read access to the tables.
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
	stopRestarts := w.RollRestarts(ctx)
	w.chaos(ctx)
	stopRestarts()
	if err := w.calm(ctx); err != nil {
		return rig.Report{}, err
	}
	e, err := w.inspect(ctx)
	return rig.Report{Counts: w.counts(e), Verdicts: rig.Judge(invariants, e)}, err
}

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

// chaos carries out the plan, and returns when all of it is done.
func (w *world) chaos(ctx context.Context) {
	_ = w.x.SetFaults(w.plan.faults) // the rules are constants: a test sets them
	w.Events.Note("chaos for %s", w.plan.chaos)
	began := time.Now()
	var doing sync.WaitGroup
	for _, p := range w.plan.posts {
		doing.Go(func() { w.writeAndChange(ctx, began, p) })
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
	w.Events.Note("the chaos is over")
}

type settlement struct {
	unknown int // before they were retried
	stuck   []string
}

// calm removes the faults, waits until every post has settled, and retries the unknown ones.
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

// listUnknown retries until an API is up.
func (w *world) listUnknown(ctx context.Context) ([]posts.Post, error) {
	var unknown []posts.Post
	listed := cluster.Until(ctx, 5*time.Minute, func() bool {
		var a rig.Answer
		unknown, a = w.founder.stuck(ctx, "unknown")
		return a.Outcome == rig.Success
	})
	if !listed {
		return nil, errors.New("the unknown posts cannot be listed")
	}
	return unknown, nil
}

// retryUnknown repeats the retry until its outcome is clear. A refusal is clear: an earlier call may have succeeded.
func (w *world) retryUnknown(ctx context.Context, id string) error {
	post := w.ledger.of(id)
	if post == nil {
		post = w.acknowledge(id, "", "found unknown")
	}
	answered := cluster.Until(ctx, 5*time.Minute, func() bool {
		w.sendCommand(ctx, post, plannedCommand{kind: retry})
		return post.commands[len(post.commands)-1].answer.Outcome != rig.Unclear
	})
	if !answered {
		return fmt.Errorf("the unknown post %s cannot be retried", id)
	}
	return nil
}

func (w *world) settle(ctx context.Context) (err error) {
	const belief = 16 * time.Second // for which Temporal may hold tasks of a killed worker
	w.settled.stuck, err = w.Settle(ctx, func() ([]string, error) {
		open, err := openPosts(ctx, w.DB.SQL())
		if w.Workers.Unharmed() < belief {
			open = append(open, "a worker died just now")
		}
		return open, err
	})
	return err
}

func (w *world) inspect(ctx context.Context) (evidence, error) {
	found, err := readFacts(ctx, w.DB.SQL())
	e := evidence{
		facts: found, tweets: w.x.Tweets(), written: w.ledger.written.All(), unexpected: w.ledger.unexpected.All(), stuck: w.settled.stuck,
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
	counts := rig.Counts{"calls repeated": int(w.ledger.repeats.Load()), "posts unknown before they were retried": w.settled.unknown}
	for _, r := range e.posts {
		counts["posts "+r.status]++
	}
	for outcome, n := range e.attempts {
		counts["attempts "+outcome] = n
	}
	for _, p := range e.written {
		for _, o := range p.commands {
			counts["commands: "+string(o.kind)+" "+string(o.answer.Outcome)]++
		}
	}
	return counts
}
