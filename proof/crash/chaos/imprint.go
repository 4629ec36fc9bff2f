package chaos

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"customerzero/proof/crash/rig"
)

// imprint is what must not change: the tables but for the exceptions, and which files there are
// beside the chaos target's.
type imprint struct {
	tables map[string]string // hash by name
	files  []string
}

// exceptions may change, each for its reason.
var exceptions = map[string]string{
	"chaos_runs":       "chaos writes its runs there",
	"chaos_probes":     "and what was seen meanwhile",
	"incidents":        "the healer writes there",
	"cells":            "and how it saw the cell last",
	"history_checks":   "checks of histories are kept there",
	"rate_windows":     "calls of an hour are counted there",
	"read_months":      "every quarter of an hour a schedule reads how posts are received, and counts that",
	"engagement_reads": "and what it read",
	"chaos_shots":      "the cell is photographed meanwhile",
	"visitors":         "whoever watches the proxy is counted",
	"browsers":         "and it is noted whether there is a browser to do it",
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
	i.files, err = filesBesideTheCell(dir)
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

// filesBesideTheCell leaves out what comes and goes with a database.
func filesBesideTheCell(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case name == "target", name == "blobs": // the pictures of it
			return fs.SkipDir
		case strings.HasSuffix(name, "-wal"), strings.HasSuffix(name, "-shm"), strings.HasSuffix(name, "-journal"):
			return nil
		}
		files = append(files, name+" "+entry.Type().String())
		return nil
	})
	return files, err
}

// since lists what is not as it was.
func (i imprint) since(before imprint) (changes []string) {
	names := map[string]bool{}
	for _, tables := range []map[string]string{i.tables, before.tables} {
		for name := range tables {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if i.tables[name] != before.tables[name] {
			changes = append(changes, fmt.Sprintf("the table %s: %q, before %q", name, i.tables[name], before.tables[name]))
		}
	}
	return changes
}

// newFiles lists files that are new, and those that are gone.
func (i imprint) newFiles(before imprint) (changes []string) {
	for _, name := range i.files {
		if !slices.Contains(before.files, name) {
			changes = append(changes, name+" is new")
		}
	}
	for _, name := range before.files {
		if !slices.Contains(i.files, name) {
			changes = append(changes, name+" is gone")
		}
	}
	return changes
}
