// Package chaos has the product break its cell again and again while it kills the worker, who
// heals, and while leases run out, and looks at the cell with eyes of its own meanwhile.
//
// It is a customer of the product, not a part of it: it speaks HTTP to the API and to the cell,
// and reads the tables and the cell's files. It writes nothing but one thing: it ends the hour
// in which runs are counted, as a clock would. The product may not import it.
package chaos

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"customerzero/api"
	"customerzero/internal/domain/problem"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// CrashTest breaks the cell.
var CrashTest = rig.CrashTest{Things: "chaos runs", On: crash}

// shortLease is that of the runs whose lease is to run out: nobody heals for so long.
const shortLease = 3 * time.Second

// world is everything that one run of the plan needs.
type world struct {
	*rig.Stage
	plan    []planned
	founder *rig.Caller
	hasty   *rig.Caller // asks for runs with the short lease
	eye     *eye
	played  []*played
	before  imprint
	strange []string // answers that no caller should get
	refused int      // calls that came too early
}

func crash(ctx context.Context, o rig.Options, s *rig.Stage) (rig.Report, error) {
	w := &world{Stage: s, plan: newPlan(o), founder: s.Founder()}
	if err := w.begin(ctx); err != nil {
		return rig.Report{}, err
	}
	looking, stop := context.WithCancel(ctx)
	defer stop()
	go w.eye.watch(looking)
	endUnrest := w.Unrest(ctx)
	for i, p := range w.plan {
		if err := w.play(ctx, i, p); err != nil {
			return rig.Report{}, err
		}
	}
	endUnrest()
	e, err := w.inspect(ctx)
	return w.report(e), err
}

// begin starts the product and its cell, and gives the members something to lose.
func (w *world) begin(ctx context.Context) error {
	if err := w.StartProduct(ctx, "GAME_DAY=off", "VERIFY_EVERY=off", "RECONCILE_EVERY=24h"); err != nil {
		return err
	}
	if err := w.StartCell(ctx); err != nil {
		return err
	}
	hasty, err := w.StartAPI(ctx, "api-hasty", "CHAOS_LEASE="+shortLease.String())
	if err != nil {
		return err
	}
	w.hasty = rig.NewCaller(hasty, w.founder.Header)
	if err := w.AwaitReady(ctx); err != nil {
		return err
	}
	w.eye = newEye(w.CellURL, w.cellDir())
	if !cluster.Until(ctx, 5*time.Minute, func() bool { return len(w.eye.look(ctx).failing) == 0 }) {
		return fmt.Errorf("the cell does not get well at the start: %v fail", w.eye.look(ctx).failing)
	}
	if err := w.populate(ctx); err != nil {
		return err
	}
	w.before, err = takeImprint(ctx, w.DB.Books(), w.Kind, w.Dir)
	return err
}

// populate enters members, with posts of a day that the crash test does not see.
func (w *world) populate(ctx context.Context) error {
	tomorrow := time.Now().Add(24 * time.Hour).Format(time.RFC3339)
	for _, name := range []string{"ada", "grace", "edsger"} {
		body := api.NewMember{Username: name, PaymentAmount: 9}
		joined := cluster.Until(ctx, 5*time.Minute, func() bool {
			a := w.founder.Call(ctx, http.MethodPost, "/api/members", body, &api.AddedMember{})
			return a.Outcome == rig.Success || a.Code == problem.MemberExists
		})
		post := api.NewPost{Content: "Tomorrow I will say something, " + name + ".", Member: name, ScheduledAt: tomorrow}
		if a := w.founder.Call(ctx, http.MethodPost, "/api/posts", post, &api.PostReply{}); !joined || a.Outcome != rig.Success {
			return fmt.Errorf("%s and her post could not be entered: %s", name, a)
		}
	}
	var waiting, carried int
	begun := cluster.Until(ctx, 5*time.Minute, func() bool {
		err := w.DB.Books().QueryRowContext(ctx, `SELECT (SELECT count(*) FROM posts WHERE status = 'scheduled' AND run_id <> ''),
			(SELECT count(*) FROM experiments WHERE status = 'active' AND run_id <> '')`).Scan(&waiting, &carried)
		return err == nil && waiting == 3 && carried == 1
	})
	if !begun {
		return fmt.Errorf("%d of 3 posts wait for their time, and %d of 1 experiments has a run", waiting, carried)
	}
	return nil
}
