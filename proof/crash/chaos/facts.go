package chaos

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// evidence is all that is known when everything is quiet.
type evidence struct {
	runs      []chaos.Run // as the tables have them, oldest first
	parts     map[string][]chaos.Part
	incidents int // that are open
	flows     []rig.Run
	played    []*played
	looks     []look
	strange   []string
	before    imprint
	after     imprint
}

// inspect gathers all evidence. Temporal's list lags a little behind.
func (w *world) inspect(ctx context.Context) (evidence, error) {
	e := evidence{played: w.played, looks: w.eye.seen(), strange: w.strange, before: w.before, parts: map[string][]chaos.Part{}}
	var err error
	cluster.Until(ctx, 5*time.Minute, func() bool {
		e.flows, err = w.ListRuns(ctx, "WorkflowType IN ('ChaosRun', 'ChaosSweep')")
		return err == nil && !slices.ContainsFunc(e.flows, rig.Run.Open) && e.countIncidents(ctx, w.DB.Books()) == nil && e.incidents == 0
	})
	if err = errors.Join(err, e.read(ctx, w.DB.Books())); err != nil {
		return e, err
	}
	e.after, err = takeImprint(ctx, w.DB.Books(), w.Kind, w.Dir)
	return e, err
}

func (e *evidence) countIncidents(ctx context.Context, db *sql.DB) error {
	return db.QueryRowContext(ctx, "SELECT count(*) FROM incidents WHERE ended_at IS NULL").Scan(&e.incidents)
}

func (e *evidence) read(ctx context.Context, db *sql.DB) error {
	const query = `SELECT id, fault, source, stage, verdict, reason, restored, promise_ms, lease_ms, detect_ms, heal_ms,
		requested_at, injected_at, lease_until, ended_at FROM chaos_runs ORDER BY requested_at`
	err := rig.Each(ctx, db, query, func(scan rig.Scanner) error {
		var r chaos.Run
		err := scan(&r.ID, &r.Fault, &r.Source, &r.Stage, &r.Verdict, &r.Reason, &r.Restored, &r.PromiseMS, &r.LeaseMS, &r.DetectMS, &r.HealMS,
			&r.RequestedAt, &r.InjectedAt, &r.LeaseUntil, &r.EndedAt)
		e.runs = append(e.runs, r)
		return err
	})
	return errors.Join(err, e.countIncidents(ctx, db),
		rig.Each(ctx, db, "SELECT run_id, part, data FROM chaos_probes ORDER BY run_id, part", func(scan rig.Scanner) error {
			var p chaos.Part
			err := scan(&p.RunID, &p.Part, &p.Data)
			e.parts[p.RunID] = append(e.parts[p.RunID], p)
			return err
		}))
}

// row is a run's; nil: it is not there.
func (e evidence) row(id string) *chaos.Run {
	for i := range e.runs {
		if e.runs[i].ID == id {
			return &e.runs[i]
		}
	}
	return nil
}
