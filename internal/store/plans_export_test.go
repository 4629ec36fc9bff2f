package store

import (
	"database/sql"
	"encoding/json"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
)

// Pool is what GORM talks through.
func (s *DB) Pool(t testing.TB) *sql.DB {
	t.Helper()
	pool, err := s.gorm.DB()
	require.NoError(t, err)
	return pool
}

// Question is a statement that was sent, and how the database answers it.
type Question struct {
	SQL  string
	Plan string
	// Steps are those of SQLite's plan.
	Steps []Step
	Read  map[string]int // how many rows of which table were looked at, where the database says so
	Vars  []any
	// Through are the indexes of Postgres that are gone through from end to end, to find what is
	// not told by their first column. It counts as read what it finds there, and no more.
	Through []string
}

// Step is something that is done for another step.
type Step struct {
	Parent int
	What   string
}

// Watched are the statements that a store has sent, and the methods that did.
type Watched struct {
	store   *DB
	mu      sync.Mutex
	asked   map[string]*Question
	Methods map[string]bool
}

// Watch notes every statement from now on.
func (s *DB) Watch(t testing.TB) *Watched {
	t.Helper()
	w := &Watched{store: s, asked: map[string]*Question{}, Methods: map[string]bool{}}
	steps := s.gorm.Callback()
	require.NoError(t, steps.Create().After("gorm:create").Register("watch", w.note))
	require.NoError(t, steps.Query().After("gorm:query").Register("watch", w.note))
	require.NoError(t, steps.Update().After("gorm:update").Register("watch", w.note))
	require.NoError(t, steps.Delete().After("gorm:delete").Register("watch", w.note))
	require.NoError(t, steps.Row().After("gorm:row").Register("watch", w.note))
	require.NoError(t, steps.Raw().After("gorm:raw").Register("watch", w.note))
	return w
}

var planned = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE)\b`)

var method = regexp.MustCompile(`internal/store\.\(\*[A-Z]\w*\)\.([A-Z]\w*)`)

func (w *Watched) note(db *gorm.DB) {
	text := db.Statement.SQL.String()
	if db.DryRun || !planned.MatchString(text) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked[text] == nil {
		w.asked[text] = &Question{SQL: text, Vars: slices.Clone(db.Statement.Vars)}
	}
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if name := method.FindStringSubmatch(frame.Function); name != nil {
			w.Methods[name[1]] = true
		}
	}
}

// Questions asks how the database answers each statement. What changes rows is not done again.
func (w *Watched) Questions(t testing.TB) []*Question {
	t.Helper()
	explain := w.explainPostgres
	if w.store.dialect == "sqlite" {
		explain = w.explainSQLite
	}
	asked := slices.SortedFunc(maps.Values(w.asked), func(a, b *Question) int { return strings.Compare(a.SQL, b.SQL) })
	for _, q := range asked {
		explain(t, q)
	}
	return asked
}

func (w *Watched) explainSQLite(t testing.TB, q *Question) {
	t.Helper()
	rows, err := w.store.Pool(t).QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+q.SQL, q.Vars...)
	require.NoError(t, err, q.SQL)
	defer func() { require.NoError(t, rows.Close()) }()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
		q.Plan += detail + "\n"
		q.Steps = append(q.Steps, Step{parent, detail})
	}
	require.NoError(t, rows.Err())
}

// node is a part of a plan of Postgres.
type node struct {
	Kind     string  `json:"Node Type"`
	Table    string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Sought   string  `json:"Index Cond"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Joined   float64 `json:"Rows Removed by Join Filter"`
	Checked  float64 `json:"Rows Removed by Index Recheck"`
	Parts    []node  `json:"Plans"`
}

func (w *Watched) explainPostgres(t testing.TB, q *Question) {
	t.Helper()
	how := "EXPLAIN (FORMAT JSON) "
	if strings.HasPrefix(strings.TrimSpace(q.SQL), "SELECT") {
		how = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "
	}
	tx, err := w.store.Pool(t).BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback()) }()
	// It may prefer to read a table whole that is small here; what it would do with a large one counts.
	_, err = tx.ExecContext(t.Context(), "SET LOCAL enable_seqscan = off")
	require.NoError(t, err)
	require.NoError(t, tx.QueryRowContext(t.Context(), how+q.SQL, q.Vars...).Scan(&q.Plan), q.SQL)
	var plans []struct{ Plan node }
	require.NoError(t, json.Unmarshal([]byte(q.Plan), &plans))
	q.Read = map[string]int{}
	for _, p := range plans {
		p.Plan.count(q.Read)
		q.Through = append(q.Through, p.Plan.through(t, tx)...)
	}
}

func (n node) through(t testing.TB, tx *sql.Tx) (indexes []string) {
	t.Helper()
	if n.Sought != "" {
		var first string
		require.NoError(t, tx.QueryRowContext(t.Context(), "SELECT pg_get_indexdef($1::regclass, 1, true)", n.Index).Scan(&first))
		if !strings.Contains(n.Sought, first) {
			indexes = append(indexes, n.Index)
		}
	}
	for _, part := range n.Parts {
		indexes = append(indexes, part.through(t, tx)...)
	}
	return indexes
}

// count adds up what was looked at. Without running it, a table that is read whole counts as endless.
func (n node) count(read map[string]int) {
	if n.Table != "" {
		read[n.Table] += int((n.Rows + n.Filtered + n.Joined + n.Checked) * max(n.Loops, 1))
		if n.Kind == "Seq Scan" && n.Loops == 0 {
			read[n.Table] += 1 << 30
		}
	}
	for _, part := range n.Parts {
		part.count(read)
	}
}
