package api_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// open reads the world's database beside the store, as somebody would who looks at the file.
func (w *world) open(t *testing.T) *sql.DB {
	t.Helper()
	driver, source := "sqlite", "file:"+(&url.URL{Path: w.file}).EscapedPath()+"?_pragma=busy_timeout(10000)"
	if strings.HasPrefix(w.file, "postgres://") {
		driver, source = "pgx", w.file
	}
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// rows is all that is written down, as text. Two that are equal: nothing has changed.
func (w *world) rows(t *testing.T) string {
	t.Helper()
	db := w.open(t)
	var tables []string
	each(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", func(row []any) {
		tables = append(tables, fmt.Sprint(row[0]))
	})
	var lines []string
	for _, table := range tables {
		each(t, db, `SELECT * FROM "`+table+`"`, func(row []any) {
			lines = append(lines, fmt.Sprintln(append([]any{table}, row...)...))
		})
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// count asks the database for a number.
func (w *world) count(t *testing.T, query string) int {
	t.Helper()
	var n int
	require.NoError(t, w.open(t).QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

func each(t *testing.T, db *sql.DB, query string, take func(row []any)) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer func() { require.NoError(t, found.Close()) }()
	columns, err := found.Columns()
	require.NoError(t, err)
	for found.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		require.NoError(t, found.Scan(into...))
		take(row)
	}
	require.NoError(t, found.Err())
}
