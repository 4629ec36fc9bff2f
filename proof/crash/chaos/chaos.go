// Package chaos is the crash test of chaos runs: it starts them while it kills the workers, which run the
// healer, and while leases expire, and observes the chaos target from outside.
//
// It uses the product as a client: HTTP to the API and to the chaos target, and read access to the tables and
// the chaos target's files. Its only write resets the hourly limit of runs.
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

// CrashTest breaks the chaos target repeatedly.
var CrashTest = rig.CrashTest{Things: "chaos runs", On: crash}

// shortLease is the lease of the runs that must expire: all workers stay down for longer.
const shortLease = 3 * time.Second

type world struct {
	*rig.Stage
	plan       []planned
	founder    *rig.Caller
	expiring   *rig.Caller // of an API that starts runs with shortLease
	observer   *observer
	executed   []*executed
	before     imprint
	unexpected []string // unexpected responses
	refused    int      // calls that were too early
}

func crash(ctx context.Context, o rig.Options, s *rig.Stage) (rig.Report, error) {
	w := &world{Stage: s, plan: newPlan(o), founder: s.Founder()}
	if err := w.begin(ctx); err != nil {
		return rig.Report{}, err
	}
	watched, stop := context.WithCancel(ctx)
	defer stop()
	go w.observer.watch(watched)
	stopRestarts := w.RollRestarts(ctx)
	for i, p := range w.plan {
		if err := w.execute(ctx, i, p); err != nil {
			return rig.Report{}, err
		}
	}
	stopRestarts()
	e, err := w.inspect(ctx)
	return rig.Report{Counts: counts(e, w.refused), Verdicts: rig.Judge(invariants, e)}, err
}

// begin starts the product and its chaos target, and creates members and posts.
func (w *world) begin(ctx context.Context) error {
	if err := w.StartProduct(ctx, "GAME_DAY=off", "VERIFY_EVERY=off", "RECONCILE_EVERY=24h"); err != nil {
		return err
	}
	if err := w.StartTarget(ctx); err != nil {
		return err
	}
	expiring, err := w.StartAPI(ctx, "api-short-lease", "CHAOS_LEASE="+shortLease.String())
	if err != nil {
		return err
	}
	w.expiring = rig.NewCaller(expiring, w.founder.Header)
	if err := w.AwaitReady(ctx); err != nil {
		return err
	}
	w.observer = newObserver(w.TargetURL, w.targetDir())
	if !cluster.Until(ctx, 5*time.Minute, func() bool { return len(w.observer.observe(ctx).failing) == 0 }) {
		return fmt.Errorf("the chaos target is unhealthy at the start: %v fail", w.observer.observe(ctx).failing)
	}
	if err := w.populate(ctx); err != nil {
		return err
	}
	w.before, err = takeImprint(ctx, w.DB.SQL(), w.Kind)
	return err
}

// populate adds members, with posts that are due after the crash test.
func (w *world) populate(ctx context.Context) error {
	tomorrow := time.Now().Add(24 * time.Hour).Format(time.RFC3339)
	for _, name := range []string{"ada", "grace", "edsger"} {
		if err := w.AddMember(ctx, name); err != nil {
			return err
		}
		post := posts.NewPost{Content: "Tomorrow I will say something, " + name + ".", Member: name, ScheduledAt: tomorrow}
		if a := w.founder.Call(ctx, http.MethodPost, "/api/posts", post, &posts.PostReply{}); a.Outcome != rig.Success {
			return fmt.Errorf("the post of %s could not be written: %s", name, a)
		}
	}
	var waiting, carried int
	begun := cluster.Until(ctx, 5*time.Minute, func() bool {
		err := w.DB.SQL().QueryRowContext(ctx, `SELECT (SELECT count(*) FROM posts WHERE status = 'scheduled' AND run_id <> ''),
			(SELECT count(*) FROM experiments WHERE status = 'active' AND run_id <> '')`).Scan(&waiting, &carried)
		return err == nil && waiting == 3 && carried == 1
	})
	if !begun {
		return fmt.Errorf("%d of 3 posts wait for their time, and %d of 1 experiments has a run", waiting, carried)
	}
	return nil
}

// Timeouts for a run to start and to end, with a worker killed in between, and for the target to recover.
const (
	beginsWithin  = 10 * time.Minute
	endsWithin    = 10 * time.Minute
	healthyWithin = 5 * time.Minute
)

// executed is a chaos run that was started, with its observed end.
type executed struct {
	planned
	id        string
	asked     time.Time
	over      time.Time // when the chaos target was healthy from outside, too
	stuck     bool      // it did not end
	unhealthy []string  // checks that failed after its end
	damaged   string    // errors in the chaos target's database
}

// execute starts a run, kills workers as planned, and waits until the run has ended and the chaos target is
// healthy.
func (w *world) execute(ctx context.Context, i int, p planned) error {
	// The hourly limit is lower than the number of runs.
	if _, err := w.DB.SQL().ExecContext(ctx, "DELETE FROM rate_windows WHERE bucket LIKE 'chaos%'"); err != nil {
		return err
	}
	run := &executed{planned: p}
	if err := w.ask(ctx, run, fmt.Sprintf("crash-%d", i)); err != nil {
		return err
	}
	w.executed = append(w.executed, run)
	w.Events.Note("%s: %s, %s", run.id, p.fault, p.manner)
	var doing sync.WaitGroup
	doing.Go(func() { w.harm(ctx, run) })
	run.stuck = !cluster.Until(ctx, endsWithin, func() bool { return w.hasEnded(ctx, run.id) })
	doing.Wait()
	if !w.observer.staysHealthy(ctx, healthyWithin) {
		run.unhealthy = []string{"it did not stay healthy"}
		run.unhealthy = append(run.unhealthy, w.observer.observe(ctx).failing...)
	}
	run.over = time.Now()
	run.damaged = w.inspectTarget(ctx)
	w.Events.Note("%s: over after %s, failing: %v", run.id, run.over.Sub(run.asked).Round(time.Millisecond), run.unhealthy)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// ask retries until a run starts: the previous one may still be ending, or an incident be open.
func (w *world) ask(ctx context.Context, run *executed, source string) error {
	caller := w.founder
	if run.manner == expired {
		caller = w.expiring
	}
	early := map[problem.Code]bool{problem.ChaosRunning: true, problem.IncidentOpen: true}
	begun := cluster.Until(ctx, beginsWithin, func() bool {
		var started chaosapi.ChaosStarted
		run.asked = time.Now()
		a := caller.Call(ctx, http.MethodPost, "/api/chaos", chaosapi.NewChaos{Type: run.fault, Source: source}, &started)
		if run.id = started.ID; a.Outcome != rig.Success { // the response may be lost
			ids, _ := rig.Pairs[string](ctx, w.DB.SQL(), "SELECT source, id FROM chaos_runs")
			run.id = ids[source]
		}
		switch {
		case run.id != "":
			return true
		case a.Outcome == rig.Refused && early[a.Code]:
			w.refused++
		default:
			w.unexpected = append(w.unexpected, source+" was answered: "+a.String())
		}
		cluster.Wait(ctx, 250*time.Millisecond)
		return false
	})
	if !begun {
		return fmt.Errorf("%s (%s) did not start", source, run.fault)
	}
	return nil
}

func (w *world) targetDir() string { return filepath.Join(w.Dir, "target") }

func (w *world) harm(ctx context.Context, run *executed) {
	if run.manner == calm {
		return
	}
	if run.afterFault {
		cluster.Often(ctx, beginsWithin, 5*time.Millisecond, func() bool {
			return w.observer.faultIsThere(run.id) || w.hasEnded(ctx, run.id)
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
	stages, err := rig.Pairs[string](ctx, w.DB.SQL(), "SELECT id, stage FROM chaos_runs WHERE ended_at IS NOT NULL")
	return err == nil && stages[id] == "ended"
}

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

// faultNames are all faults of the chaos page.
var faultNames = []string{"delete-og-image", "corrupt-worker", "break-database", "delete-templates", "crash-api", "nuclear-option"}

// manner is how workers are killed during a run.
type manner string

const (
	calm    manner = "calm"
	killed  manner = "killed"  // one worker, at a random moment
	expired manner = "expired" // all workers, as soon as the fault is injected, for longer than its lease
)

type planned struct {
	fault  string
	manner manner
	// The worker is killed this long after the injection if afterFault is set, else after the request.
	after      time.Duration
	afterFault bool
	which      int           // worker
	pause      time.Duration // until it is restarted
}

// newPlan makes the plan of a seed: every fault equally often in each manner. Calm runs come first, because
// Temporal holds tasks of a killed worker for a while.
func newPlan(o rig.Options) []planned {
	chance := rand.New(rand.NewPCG(o.Seed, 0))
	var plan []planned
	for i := range o.Count {
		p := planned{fault: faultNames[i%len(faultNames)], manner: calm}
		switch {
		case i < o.Kills/3:
			p.manner, p.afterFault = expired, true
			// Without the supervisor's lease the fault would stay for the whole pause.
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
