// Package chaos has the product break its chaos target again and again while it kills the worker, who
// heals, and while leases run out, and looks at the chaos target with eyes of its own meanwhile.
//
// It is a customer of the product, not a part of it: it speaks HTTP to the API and to the chaos target,
// and reads the tables and the chaos target's files. It writes nothing but one thing: it ends the hour
// in which runs are counted, as a clock would. The product may not import it.
package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver of the chaos target's own database

	chaosapi "customerzero/api/chaos"
	"customerzero/api/posts"
	"customerzero/internal/domain/problem"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// CrashTest breaks the chaos target.
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
	return rig.Report{Counts: counts(e, w.refused), Verdicts: rig.Judge(invariants, e)}, err
}

// begin starts the product and its chaos target, and gives the members something to lose.
func (w *world) begin(ctx context.Context) error {
	if err := w.StartProduct(ctx, "GAME_DAY=off", "VERIFY_EVERY=off", "RECONCILE_EVERY=24h"); err != nil {
		return err
	}
	if err := w.StartTarget(ctx); err != nil {
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
	w.eye = newEye(w.TargetURL, w.targetDir())
	if !cluster.Until(ctx, 5*time.Minute, func() bool { return len(w.eye.look(ctx).failing) == 0 }) {
		return fmt.Errorf("the chaos target does not get well at the start: %v fail", w.eye.look(ctx).failing)
	}
	if err := w.populate(ctx); err != nil {
		return err
	}
	w.before, err = takeImprint(ctx, w.DB.Books(), w.Kind)
	return err
}

// populate enters members, with posts of a day that the crash test does not see.
func (w *world) populate(ctx context.Context) error {
	tomorrow := time.Now().Add(24 * time.Hour).Format(time.RFC3339)
	for _, name := range []string{"ada", "grace", "edsger"} {
		if err := w.AddMember(ctx, name); err != nil {
			return err
		}
		post := posts.NewPost{Content: "Tomorrow I will say something, " + name + ".", Member: name, ScheduledAt: tomorrow}
		if a := w.founder.Call(ctx, http.MethodPost, "/api/posts", post, &posts.PostReply{}); a.Outcome != rig.Success {
			return fmt.Errorf("the post of %s could not be entered: %s", name, a)
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

// How long a run gets to begin, and then to end, with a dead worker in between.
const (
	beginsWithin = 10 * time.Minute
	endsWithin   = 10 * time.Minute
	wellWithin   = 5 * time.Minute
)

// played is a run that was asked for, with what was seen of its end.
type played struct {
	planned
	id      string
	asked   time.Time
	over    time.Time // when the eye had it well, too
	stuck   bool      // it did not end
	sick    []string  // what failed when it had ended, and did not get well
	damaged string    // what is wrong with the chaos target's database
}

// play asks for a run, does to the worker what is planned, and waits until the run has ended
// and the chaos target is well.
func (w *world) play(ctx context.Context, i int, p planned) error {
	// An hour allows fewer runs than are played.
	if _, err := w.DB.Books().ExecContext(ctx, "DELETE FROM rate_windows WHERE bucket LIKE 'chaos:%'"); err != nil {
		return err
	}
	run := &played{planned: p}
	if err := w.ask(ctx, run, fmt.Sprintf("crash-%d", i)); err != nil {
		return err
	}
	w.played = append(w.played, run)
	w.Diary.Note("%s: %s, %s", run.id, p.fault, p.manner)
	var doing sync.WaitGroup
	doing.Go(func() { w.harm(ctx, run) })
	run.stuck = !cluster.Until(ctx, endsWithin, func() bool { return w.hasEnded(ctx, run.id) })
	doing.Wait()
	if !w.eye.staysWell(ctx, wellWithin) {
		run.sick = []string{"it did not stay well"}
		run.sick = append(run.sick, w.eye.look(ctx).failing...)
	}
	run.over = time.Now()
	run.damaged = w.inspectTarget(ctx)
	w.Diary.Note("%s: over after %s, sick: %v", run.id, run.over.Sub(run.asked).Round(time.Millisecond), run.sick)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// ask asks until a run begins: the last one may be ending, or the healer still be looking.
func (w *world) ask(ctx context.Context, run *played, source string) error {
	caller := w.founder
	if run.manner == expired {
		caller = w.hasty
	}
	early := map[problem.Code]bool{problem.ChaosRunning: true, problem.IncidentOpen: true}
	begun := cluster.Until(ctx, beginsWithin, func() bool {
		var started chaosapi.ChaosStarted
		run.asked = time.Now()
		a := caller.Call(ctx, http.MethodPost, "/api/chaos", chaosapi.NewChaos{Type: run.fault, Source: source}, &started)
		if run.id = started.ID; a.Outcome != rig.Success { // its answer may be lost
			ids, _ := rig.Pairs[string](ctx, w.DB.Books(), "SELECT source, id FROM chaos_runs")
			run.id = ids[source]
		}
		switch {
		case run.id != "":
			return true
		case a.Outcome == rig.Refused && early[a.Code]:
			w.refused++
		default:
			w.strange = append(w.strange, source+" was answered: "+a.String())
		}
		cluster.Wait(ctx, 250*time.Millisecond)
		return false
	})
	if !begun {
		return fmt.Errorf("%s (%s) does not begin, and all is well", source, run.fault)
	}
	return nil
}

func (w *world) targetDir() string { return filepath.Join(w.Dir, "target") }

// harm does to the workers what is planned.
func (w *world) harm(ctx context.Context, run *played) {
	if run.manner == calm {
		return
	}
	if run.afterFault {
		cluster.Often(ctx, beginsWithin, 5*time.Millisecond, func() bool {
			return w.eye.faultIsThere(run.id) || w.hasEnded(ctx, run.id)
		})
	}
	switch {
	case !cluster.Wait(ctx, run.after):
	case run.manner == expired:
		w.KillWorkers(ctx, run.pause)
	default:
		w.KillWorker(ctx, run.which, run.pause)
	}
}

func (w *world) hasEnded(ctx context.Context, id string) bool {
	stages, err := rig.Pairs[string](ctx, w.DB.Books(), "SELECT id, stage FROM chaos_runs WHERE ended_at IS NOT NULL")
	return err == nil && stages[id] == "ended"
}

// inspectTarget reads all of the chaos target's database.
func (w *world) inspectTarget(ctx context.Context) (wrong string) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.targetDir(), "target.db")+"?mode=ro&_pragma=busy_timeout(2000)")
	if err != nil {
		return err.Error()
	}
	defer func() { _ = db.Close() }()
	found, err := rig.Rows(ctx, db, "PRAGMA integrity_check", func(line *string) []any { return []any{line} })
	switch {
	case err != nil:
		return err.Error()
	case len(found) == 1 && found[0] == "ok":
		return ""
	}
	return strings.Join(found, "; ")
}

// faultNames are all that the chaos target can be broken by.
var faultNames = []string{"delete-og-image", "corrupt-worker", "break-database", "delete-templates", "crash-api", "nuclear-option"}

// manner is what is done to the workers during a run.
type manner string

const (
	calm    manner = "calm"
	killed  manner = "killed"  // at a moment that chance chose; of several, one
	expired manner = "expired" // as soon as the fault is there, for longer than its lease: all of them
)

// planned is a run that will be asked for.
type planned struct {
	fault  string
	manner manner
	// The worker dies so long after the fault is there, or after the run was asked for.
	after      time.Duration
	afterFault bool
	which      int           // of the workers
	pause      time.Duration // for which it stays dead
}

// newPlan makes the plan of a seed: every fault as often as the others, in each manner. Those in
// calm come first: for a while after a death, Temporal holds orders of the dead worker's.
func newPlan(o rig.Options) []planned {
	chance := rand.New(rand.NewPCG(o.Seed, 0))
	var plan []planned
	for i := range o.Count {
		p := planned{fault: faultNames[i%len(faultNames)], manner: calm}
		switch {
		case i < o.Kills/3:
			p.manner, p.afterFault = expired, true
			// If only the healer could end the fault, it would be there for too long.
			p.after, p.pause = rig.Between(chance, 0, 150*time.Millisecond), 2*shortLease
		case i < o.Kills:
			p.manner, p.afterFault, p.which = killed, chance.IntN(2) == 0, i
			p.after, p.pause = rig.Between(chance, 0, 3*time.Second), rig.Between(chance, 100*time.Millisecond, 3*time.Second)
			if p.afterFault {
				p.after /= 3
			}
		}
		plan = append(plan, p)
	}
	chance.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	isCalm := func(p planned) bool { return p.manner == calm }
	harmed := slices.DeleteFunc(slices.Clone(plan), isCalm)
	return append(slices.DeleteFunc(plan, func(p planned) bool { return !isCalm(p) }), harmed...)
}
