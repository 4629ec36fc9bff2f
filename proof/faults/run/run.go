package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"customerzero/proof/faults"
)

// run runs the tests of the rows, tells what came of it, and says whether everything held.
func run(ctx context.Context, o options) (bool, error) {
	if err := faults.Check(o.root, o.rows); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "customerzero-faults.")
	if err != nil {
		return false, err
	}
	r := report{options: o, began: time.Now(), dir: dir}
	jobs := plan(o.rows, o.seeds)
	o.say("%d rows, %d test programs to run, seeds %s", len(o.rows), len(jobs), span(o.seeds))
	built, err := o.compile(ctx, dir, jobs)
	if err == nil {
		r.built = time.Since(r.began)
		o.say("compiled in %s", r.built.Round(time.Second))
		r.outcomes = o.runAll(ctx, jobs, built)
		err = ctx.Err()
	}
	if err != nil {
		return false, errors.Join(err, os.RemoveAll(dir))
	}
	return r.finish(ctx)
}

// calm is how many programs run at once of those that run once: some of them measure times. The
// others mostly wait.
const calm = 2

// runAll runs the jobs, some at once, and gives what came of each.
func (o options) runAll(ctx context.Context, jobs []job, built map[string]string) []outcome {
	outcomes := make([]outcome, len(jobs))
	began, done, mu := time.Now(), 0, sync.Mutex{}
	inLanes := func(n int, once bool) {
		var lanes errgroup.Group
		lanes.SetLimit(n)
		for i, j := range jobs {
			if j.once != once {
				continue
			}
			lanes.Go(func() error {
				outcomes[i] = o.runOne(ctx, j, built[j.folder])
				mu.Lock()
				defer mu.Unlock()
				done++
				o.say("%s  %d of %d: %s %s", clock(time.Since(began)), done, len(jobs), j, outcomes[i].summary())
				return nil
			})
		}
		_ = lanes.Wait() // none of them fails
	}
	inLanes(min(calm, o.lanes), true)
	inLanes(o.lanes, false)
	return outcomes
}

func (o options) say(format string, args ...any) {
	_, _ = fmt.Fprintf(o.progress, format+"\n", args...)
}

func clock(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}
