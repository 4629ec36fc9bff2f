package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// migrationTable is goose's own: the schema's version, which every schema writes for itself.
const migrationTable = "goose_db_version"

// kind is what a column holds, whatever its database calls it.
type kind string

const (
	kindText    kind = "text"
	kindInteger kind = "integer"
	kindBoolean kind = "boolean"
	kindReal    kind = "real"
	kindTime    kind = "time"
	kindBytes   kind = "bytes"
)

var kinds = map[string]kind{
	"text": kindText, "integer": kindInteger, "bigint": kindInteger, "boolean": kindBoolean,
	"double precision": kindReal, "real": kindReal, "timestamp with time zone": kindTime, "datetime": kindTime,
	"bytea": kindBytes, "blob": kindBytes,
}

// Table is one of ours. Its columns are in the order of their names, so that both databases
// write the same lines.
type Table struct {
	Name    string
	columns []column
}

type column struct {
	name  string
	kind  kind
	place int // in the primary key; -1: not in it
}

const (
	postgresColumns = `SELECT c.relname, a.attname, format_type(a.atttypid, NULL), COALESCE(array_position(i.indkey::int2[], a.attnum), -1)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')`
	sqliteColumns = `SELECT m.name, p.name, lower(p.type), p.pk - 1
FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND substr(m.name, 1, 7) <> 'sqlite_'`
)

// reader is a database, or a transaction of it.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// tablesOf asks the database's own catalogue, so that no table can be forgotten.
func tablesOf(ctx context.Context, db reader, dialect string) ([]Table, error) {
	query := postgresColumns
	if dialect == "sqlite" {
		query = sqliteColumns
	}
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	found := map[string][]column{}
	for rows.Next() {
		var table, declared string
		var c column
		if err := rows.Scan(&table, &c.name, &declared, &c.place); err != nil {
			return nil, err
		}
		if table == migrationTable || table == countsTable {
			continue
		}
		known := false
		if c.kind, known = kinds[declared]; !known {
			return nil, fmt.Errorf("%s.%s is of the type %s, which a backup cannot hold", table, c.name, declared)
		}
		found[table] = append(found[table], c)
	}
	return sortedTables(found), rows.Err()
}

func sortedTables(found map[string][]column) []Table {
	tables := make([]Table, 0, len(found))
	for name, columns := range found {
		slices.SortFunc(columns, func(a, b column) int { return cmp.Compare(a.name, b.name) })
		tables = append(tables, Table{name, columns})
	}
	slices.SortFunc(tables, func(a, b Table) int { return cmp.Compare(a.Name, b.Name) })
	return tables
}

// versionOf is the schema's version; 0: there is none.
func versionOf(ctx context.Context, db reader, dialect string) (version int64, err error) {
	exists := "SELECT count(*) FROM pg_class WHERE relname = 'goose_db_version' AND relnamespace = current_schema()::regnamespace"
	if dialect == "sqlite" {
		exists = "SELECT count(*) FROM sqlite_schema WHERE name = 'goose_db_version'"
	}
	var n int
	if err := db.QueryRowContext(ctx, exists).Scan(&n); err != nil || n == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT COALESCE(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&version)
	return version, err
}

func (t Table) names() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = quoted(c.name)
	}
	return strings.Join(names, ", ")
}

// selected are the columns, to be read. SQLite's driver gives empty bytes as NULL.
func (t Table) selected(dialect string) string {
	if dialect != "sqlite" {
		return t.names()
	}
	columns := make([]string, len(t.columns))
	for i, c := range t.columns {
		columns[i] = quoted(c.name)
		if c.kind == kindBytes {
			columns[i] = fmt.Sprintf("CASE length(%[1]s) WHEN 0 THEN '' ELSE %[1]s END", columns[i])
		}
	}
	return strings.Join(columns, ", ")
}

// order is the primary key's, byte by byte: the same in both databases.
func (t Table) order(dialect string) (string, error) {
	key := slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool { return c.place < 0 })
	if len(key) == 0 {
		return "", fmt.Errorf("the table %s has no primary key, so its rows have no order", t.Name)
	}
	slices.SortFunc(key, func(a, b column) int { return cmp.Compare(a.place, b.place) })
	parts := make([]string, len(key))
	for i, c := range key {
		parts[i] = quoted(c.name)
		if c.kind == kindText && dialect == "postgres" {
			parts[i] += ` COLLATE "C"`
		}
	}
	return strings.Join(parts, ", "), nil
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// placed writes a statement's question marks as the database wants them.
func placed(dialect, query string) string {
	if dialect == "sqlite" {
		return query
	}
	var out strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			out.WriteRune(r)
			continue
		}
		n++
		out.WriteString("$" + strconv.Itoa(n))
	}
	return out.String()
}
