package chaos

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	e := evidence{played: w.played, looks: w.eye.looks.All(), strange: w.strange, before: w.before, parts: map[string][]chaos.Part{}}
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

// row is a run's; nil: it is not there.
func (e evidence) row(id string) *chaos.Run {
	return rig.Find(e.runs, func(r chaos.Run) bool { return r.ID == id })
}

// figures tell what became of each fault, in calm and under kills.
func figures(e evidence, refused int) []rig.Figure {
	manners := map[manner]int{}
	longest, stray := time.Duration(0), 0
	for _, p := range e.played {
		manners[p.manner]++
		if r := e.row(p.id); r != nil {
			first, last := p.broken(e.looks)
			longest = max(longest, last.Sub(first)-time.Duration(r.LeaseMS)*time.Millisecond)
		}
	}
	for _, l := range e.looks {
		if len(l.failing) > 0 && !slices.ContainsFunc(e.played, func(p *played) bool { return during(p, l) }) {
			stray++
		}
	}
	lines := []rig.Figure{
		{Name: "chaos runs", Value: fmt.Sprintf("%d calm, %d with the worker killed, %d with it dead for longer than the lease", manners[calm], manners[killed], manners[expired])},
		{Name: "asked too early", Value: strconv.Itoa(refused)},
		{Name: "looks from outside", Value: fmt.Sprintf("%d, %d of them failed outside of a run", len(e.looks), stray)},
		{Name: "longest seen after a lease", Value: max(longest, 0).Round(time.Millisecond).String()},
	}
	for _, fault := range faultNames {
		for _, m := range []manner{calm, killed, expired} {
			if runs := e.of(fault, m); len(runs) > 0 {
				lines = append(lines, rig.Figure{Name: fault + ", " + string(m), Value: verdicts(runs)})
			}
		}
	}
	reasons := map[string]int{}
	for _, r := range e.runs {
		if r.Verdict == chaos.Aborted || r.Verdict == chaos.Failed {
			reasons[string(r.Verdict)+": "+r.Reason]++
		}
	}
	return append(lines, rig.Counts("", reasons)...)
}

func during(p *played, l look) bool { return !l.at.Before(p.asked) && !l.at.After(p.over) }

// of are the rows of a fault's runs, of one manner.
func (e evidence) of(fault string, m manner) (runs []chaos.Run) {
	for _, p := range e.played {
		if r := e.row(p.id); r != nil && p.fault == fault && p.manner == m {
			runs = append(runs, *r)
		}
	}
	return runs
}

func verdicts(runs []chaos.Run) string {
	counts := map[chaos.Verdict]int{}
	for _, r := range runs {
		counts[r.Verdict]++
	}
	return fmt.Sprintf("%2d runs: %d healed, %d late, %d failed, %d aborted",
		len(runs), counts[chaos.Healed], counts[chaos.HealedLate], counts[chaos.Failed], counts[chaos.Aborted])
}

// imprint is what must not change: the tables but for the exceptions, and which files there are
// beside the chaos target's.
type imprint struct {
	tables, files map[string]string // hash, or kind, by name
}

// exceptions may change, each for its reason.
var exceptions = map[string]string{
	"chaos_runs":        "chaos writes its runs there",
	"chaos_probes":      "and what was seen meanwhile",
	"incidents":         "the healer writes there",
	"chaos_targets":     "and how it saw the cell last",
	"history_checks":    "checks of histories are kept there",
	"rate_windows":      "calls of an hour are counted there",
	"x_read_months":     "every quarter of an hour a schedule reads how posts are received, and counts that",
	"engagement_reads":  "and what it read",
	"chaos_screenshots": "the cell is photographed meanwhile",
	"visitors":          "whoever watches the proxy is counted",
	"browsers":          "and it is noted whether there is a browser to do it",
}

func takeImprint(ctx context.Context, db *sql.DB, kind, dir string) (imprint, error) {
	i := imprint{tables: map[string]string{}}
	names, err := tableNames(ctx, db, kind)
	if err != nil {
		return i, err
	}
	for _, name := range names {
		if exceptions[name] != "" {
			continue
		}
		if i.tables[name], err = hashTable(ctx, db, name); err != nil {
			return i, fmt.Errorf("read the table %s: %w", name, err)
		}
	}
	i.files, err = filesBesideTarget(dir)
	return i, err
}

func tableNames(ctx context.Context, db *sql.DB, kind string) ([]string, error) {
	query := "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
	if kind != "sqlite" {
		query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
	}
	return rig.Rows(ctx, db, query, func(name *string) []any { return []any{name} })
}

// hashTable hashes all rows, whatever their order.
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

// filesBesideTarget leaves out what comes and goes with a database.
func filesBesideTarget(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case name == "target", name == "blobs": // the pictures of it
			return fs.SkipDir
		case strings.HasSuffix(name, "-wal"), strings.HasSuffix(name, "-shm"), strings.HasSuffix(name, "-journal"):
			return nil
		}
		files[name] = entry.Type().String()
		return nil
	})
	return files, err
}

// changed lists what is not as it was.
func changed(before, after map[string]string, b *rig.Breaches) {
	names := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		b.If(after[name] != before[name], "%s: %q, before %q", name, after[name], before[name])
	}
}
