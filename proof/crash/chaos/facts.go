package chaos

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// evidence is everything that is known when all runs have ended.
type evidence struct {
	runs         []chaos.Run // as the tables have them, oldest first
	parts        map[string][]chaos.Part
	incidents    int // that are open
	flows        []rig.Run
	executed     []*executed
	observations []observation
	unexpected   []string
	before       imprint
	after        imprint
}

// inspect gathers the evidence. Temporal's list is eventually consistent.
func (w *world) inspect(ctx context.Context) (evidence, error) {
	e := evidence{executed: w.executed, observations: w.observer.observations.All(), unexpected: w.unexpected, before: w.before, parts: map[string][]chaos.Part{}}
	var err error
	cluster.Until(ctx, 5*time.Minute, func() bool {
		e.flows, err = w.ListRuns(ctx, "WorkflowType IN ('ChaosRun', 'ChaosSweep')")
		return err == nil && !slices.ContainsFunc(e.flows, rig.Run.Open) && e.countIncidents(ctx, w.DB.SQL()) == nil && e.incidents == 0
	})
	if err = errors.Join(err, e.read(ctx, w.DB.SQL())); err != nil {
		return e, err
	}
	e.after, err = takeImprint(ctx, w.DB.SQL(), w.Kind)
	return e, err
}

func (e *evidence) countIncidents(ctx context.Context, db *sql.DB) error {
	return db.QueryRowContext(ctx, "SELECT count(*) FROM incidents WHERE ended_at IS NULL").Scan(&e.incidents)
}

func (e *evidence) read(ctx context.Context, db *sql.DB) error {
	const query = `SELECT id, fault, source, stage, verdict, reason, restored, promise_ms, lease_ms, detect_ms, heal_ms,
		requested_at, injected_at, lease_until, ended_at FROM chaos_runs ORDER BY requested_at`
	var errRuns error
	e.runs, errRuns = rig.Rows(ctx, db, query, func(r *chaos.Run) []any {
		return []any{
			&r.ID, &r.Fault, &r.Source, &r.Stage, &r.Verdict, &r.Reason, &r.Restored, &r.PromiseMS, &r.LeaseMS, &r.DetectMS, &r.HealMS,
			&r.RequestedAt, &r.InjectedAt, &r.LeaseUntil, &r.EndedAt,
		}
	})
	parts, errParts := rig.Rows(ctx, db, "SELECT run_id, part, data FROM chaos_probes ORDER BY run_id, part",
		func(p *chaos.Part) []any { return []any{&p.RunID, &p.Part, &p.Data} })
	for _, p := range parts {
		e.parts[p.RunID] = append(e.parts[p.RunID], p)
	}
	return errors.Join(errRuns, errParts, e.countIncidents(ctx, db))
}

func (e evidence) row(id string) *chaos.Run {
	return rig.Find(e.runs, func(r chaos.Run) bool { return r.ID == id })
}

func counts(e evidence, refused int) rig.Counts {
	counts := rig.Counts{"started too early": refused, "observations from outside": len(e.observations)}
	for _, r := range e.runs {
		counts[strings.TrimSpace("runs "+string(r.Verdict)+" "+r.Reason)]++
	}
	return counts
}

// imprint has a hash of every table that must not change, by name.
type imprint map[string]string

// exceptions are tables that may change, each with its reason.
var exceptions = map[string]string{
	"chaos_runs":        "has the runs",
	"chaos_probes":      "has the runs' probes",
	"incidents":         "written by the healer",
	"chaos_targets":     "has the healer's last observation",
	"history_checks":    "has the checks of histories",
	"rate_windows":      "counts calls per hour",
	"x_read_months":     "a schedule reads engagement every 15 minutes and counts its reads",
	"engagement_reads":  "has what that schedule read",
	"chaos_screenshots": "has the screenshots of the runs",
	"visitors":          "the watcher of the proxy is counted as a visitor",
	"browsers":          "records whether there is a browser",
}

func takeImprint(ctx context.Context, db *sql.DB, kind string) (imprint, error) {
	i := imprint{}
	query := "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
	if kind != "sqlite" {
		query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
	}
	names, err := rig.Rows(ctx, db, query, func(name *string) []any { return []any{name} })
	if err != nil {
		return i, err
	}
	for _, name := range names {
		if exceptions[name] != "" {
			continue
		}
		if i[name], err = hashTable(ctx, db, name); err != nil {
			return i, fmt.Errorf("read the table %s: %w", name, err)
		}
	}
	return i, nil
}

// hashTable hashes the sorted rows of a table.
func hashTable(ctx context.Context, db *sql.DB, name string) (string, error) {
	rows, err := db.QueryContext(ctx, `SELECT * FROM "`+name+`"`) //nolint:gosec // a name out of the database's own list
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var lines []string
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("%q", values))
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d rows, %x", len(lines), sha256.Sum256([]byte(strings.Join(lines, "\n")))), rows.Err()
}
