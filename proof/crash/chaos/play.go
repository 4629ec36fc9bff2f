package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver of the cell's own database

	"customerzero/api"
	"customerzero/internal/domain/problem"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

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
	damaged string    // what is wrong with the cell's database
}

// play asks for a run, does to the worker what is planned, and waits until the run has ended
// and the cell is well.
func (w *world) play(ctx context.Context, i int, p planned) error {
	if err := w.endTheHour(ctx); err != nil {
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
	run.damaged = w.inspectCell(ctx)
	w.Diary.Note("%s: over after %s, sick: %v", run.id, run.over.Sub(run.asked).Round(time.Millisecond), run.sick)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// endTheHour lets the hour be over in which runs are counted: 60 runs are more than the
// product allows in one.
func (w *world) endTheHour(ctx context.Context) error {
	_, err := w.DB.Books().ExecContext(ctx, "DELETE FROM rate_windows WHERE bucket LIKE 'chaos:%'")
	return err
}

// ask asks until a run begins: the last one may be ending, or the healer still be looking.
func (w *world) ask(ctx context.Context, run *played, source string) error {
	caller := w.founder
	if run.manner == expired {
		caller = w.hasty
	}
	early := map[problem.Code]bool{problem.ChaosRunning: true, problem.IncidentOpen: true}
	begun := cluster.Until(ctx, beginsWithin, func() bool {
		var started api.ChaosStarted
		run.asked = time.Now()
		a := caller.Call(ctx, http.MethodPost, "/api/chaos", api.NewChaos{Type: run.fault, Source: source}, &started)
		if run.id = started.ID; a.Outcome != rig.Success {
			run.id = w.idOf(ctx, source)
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

// idOf finds a run whose answer was lost.
func (w *world) idOf(ctx context.Context, source string) (id string) {
	_ = rig.Each(ctx, w.DB.Books(), "SELECT id, source FROM chaos_runs", func(scan rig.Scanner) error {
		var candidate, theirs string
		err := scan(&candidate, &theirs)
		if theirs == source {
			id = candidate
		}
		return err
	})
	return id
}

func (w *world) cellDir() string { return filepath.Join(w.Dir, "target") }

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
	ended := false
	err := rig.Each(ctx, w.DB.Books(), "SELECT id, stage FROM chaos_runs WHERE ended_at IS NOT NULL", func(scan rig.Scanner) error {
		var one, stage string
		err := scan(&one, &stage)
		ended = ended || one == id && stage == "ended"
		return err
	})
	return err == nil && ended
}

// inspectCell reads all of the cell's database.
func (w *world) inspectCell(ctx context.Context) (wrong string) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.cellDir(), "cell.db")+"?mode=ro&_pragma=busy_timeout(2000)")
	if err != nil {
		return err.Error()
	}
	defer func() { _ = db.Close() }()
	var found []string
	err = rig.Each(ctx, db, "PRAGMA integrity_check", func(scan rig.Scanner) error {
		var line string
		err := scan(&line)
		found = append(found, line)
		return err
	})
	switch {
	case err != nil:
		return err.Error()
	case len(found) == 1 && found[0] == "ok":
		return ""
	}
	return strings.Join(found, "; ")
}
