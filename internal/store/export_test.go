package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/platform/testwait"
)

// Exec runs a statement for which the store has no method.
func (s *DB) Exec(statement string, args ...any) error {
	return s.gorm.Exec(statement, args...).Error
}

// SetMemberStatus sets a member's status directly.
func (s *DB) SetMemberStatus(ctx context.Context, id string, status member.Status) error {
	return s.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&member.Member{}).Where("id = ?", id).Update("status", status))
	})
}

// RefundCheckout records a read of the payment that shows these refunds.
func (s *Checkouts) RefundCheckout(ctx context.Context, id string, cents int, receiptURL string, at time.Time) (checkout.Checkout, error) {
	for {
		r, err := s.Receipt(ctx, id)
		if err != nil {
			return r.Checkout, err
		}
		c, err := s.ReconcilePayment(ctx, id, r.Version, checkout.Session{RefundedCents: cents}, receiptURL, at)
		if !errors.Is(err, ErrStaleRead) {
			return c, err
		}
	}
}

func (s *DB) Credits(ctx context.Context, memberID string) ([]member.CreditEntry, error) {
	return readAll[member.CreditEntry](s.on(ctx).Where("member_id = ?", memberID).Order("seq"))
}

// Hold runs a statement in a transaction that stays open, and keeps its locks, until letGo.
func (s *DB) Hold(t testing.TB, statement string) (letGo func()) {
	t.Helper()
	tx := s.gorm.Begin()
	require.NoError(t, tx.Exec(statement).Error)
	return func() { require.NoError(t, tx.Rollback().Error) }
}

// Dump returns a table as text, to search it.
func (s *DB) Dump(t testing.TB, table string) string {
	t.Helper()
	var rows []map[string]any
	require.NoError(t, s.gorm.Table(table).Find(&rows).Error)
	return fmt.Sprint(rows)
}

func (s *DB) Pool(t testing.TB) *sql.DB {
	t.Helper()
	return s.pool
}

// Busy is the number of connections in use.
func (s *DB) Busy(t testing.TB) int {
	t.Helper()
	return s.Pool(t).Stats().InUse
}

func (s *DB) Tables(t testing.TB) []string {
	t.Helper()
	tables, err := s.gorm.Migrator().GetTables()
	require.NoError(t, err)
	require.NotEmpty(t, tables)
	return tables
}

func (s *DB) Number(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, s.gorm.Raw(query, args...).Row().Scan(&n))
	return n
}

func (s *DB) Count(t testing.TB, table string) int {
	t.Helper()
	return s.Number(t, "SELECT count(*) FROM "+table)
}

// Hide encrypts values in one transaction.
func (s *DB) Hide(ctx context.Context, values ...string) (ids []string, err error) {
	err = s.inTx(ctx, func(tx *gorm.DB) error {
		for _, value := range values {
			id, err := s.saveSecret(tx, value)
			if err != nil {
				return err
			}
			ids = append(ids, *id)
		}
		return nil
	})
	return ids, err
}

// Reveal decrypts a value.
func (s *DB) Reveal(ctx context.Context, id string) (value string, err error) {
	err = s.readSecret(s.gorm.WithContext(ctx), &id, &value)
	return value, err
}

func (s *DB) WriteEmail(ctx context.Context, kind email.Kind, factKey string, c email.Content, at time.Time) (id string, err error) {
	err = s.inTx(ctx, func(tx *gorm.DB) error {
		id, err = s.Emails.write(tx, kind, factKey, nil, c, at)
		return err
	})
	return id, err
}

// Put stores a row directly.
func (s *DB) Put(t testing.TB, row any) error {
	t.Helper()
	return s.gorm.Create(row).Error
}

func (s *DB) Dialect() string { return s.gorm.Name() }

// AskInside runs a query in a transaction that has the last connection, while a caller outside of it
// waits for a connection to run the same query.
func (s *DB) AskInside(t testing.TB, query string) {
	t.Helper()
	pool := s.Pool(t)
	s.UseConnections(1)
	outside, inside := make(chan error, 1), make(chan error, 1)
	ask := func(db *gorm.DB) error { return db.Raw(query).Scan(new(int)).Error }
	tx := s.gorm.Begin()
	go func() { outside <- ask(s.gorm) }()
	require.Eventually(t, func() bool { return pool.Stats().WaitCount > 0 }, testwait.Limit, time.Millisecond)
	go func() { inside <- ask(tx) }()
	select {
	case err := <-inside:
		require.NoError(t, err)
	case <-time.After(testwait.Limit):
		require.Fail(t, "who had the connection waits for who waits for it")
	}
	require.NoError(t, tx.Rollback().Error)
	require.NoError(t, <-outside)
}

func (s *DB) ReadAll(ctx context.Context, tables ...string) error {
	return s.inTx(ctx, func(tx *gorm.DB) error {
		for _, table := range tables {
			if err := tx.Table(table).Limit(1).Find(&[]map[string]any{}).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

// LoseConnections makes transactions lose their connection at random statements until stop, which
// returns how often that happened.
func (s *DB) LoseConnections(t testing.TB, chance *rand.Rand) (stop func() (lost int)) {
	t.Helper()
	const lull = 40 // safe statements after a loss, because a change is retried a limited number of times
	var mu sync.Mutex
	safe, lost := 0, 0
	strike := func(db *gorm.DB) {
		mu.Lock()
		defer mu.Unlock()
		if _, inside := db.Statement.ConnPool.(gorm.TxCommitter); !inside {
			return
		}
		if safe--; safe < 0 && chance.IntN(6) == 0 {
			safe, lost = lull, lost+1
			_ = db.AddError(driver.ErrBadConn)
		}
	}
	require.NoError(t, aroundStatements(s.gorm, "lost", func(string) func(*gorm.DB) { return strike }, func(*gorm.DB) {}))
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		safe = math.MaxInt
		return lost
	}
}

// HideAnd encrypts a value, and calls change before the commit.
func (s *DB) HideAnd(ctx context.Context, value string, change func()) (id *string, err error) {
	err = s.inTx(ctx, func(tx *gorm.DB) error {
		id, err = s.saveSecret(tx, value)
		change()
		return err
	})
	return id, err
}

// Question is a statement that was sent, and its query plan.
type Question struct {
	SQL  string
	Plan string
	// Steps is SQLite's plan.
	Steps []Step
	Read  map[string]int // rows read by table, if the database reports it
	Vars  []any
	// Through lists the Postgres indexes that are scanned completely, because the condition is not on their
	// first column. Read counts only the rows found there.
	Through []string
}

// Step is one step of SQLite's plan.
type Step struct {
	Parent int
	What   string
}

// Watched collects the statements that a store sends.
type Watched struct {
	store *DB
	mu    sync.Mutex
	asked map[string]*Question
}

func (s *DB) Watch(t testing.TB) *Watched {
	t.Helper()
	w := &Watched{store: s, asked: map[string]*Question{}}
	require.NoError(t, aroundStatements(s.gorm, "watch", func(string) func(*gorm.DB) { return func(*gorm.DB) {} }, w.note))
	return w
}

var planned = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE)\b`)

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
}

// Questions explains each statement, without repeating changes.
func (w *Watched) Questions(t testing.TB) []*Question {
	t.Helper()
	explain := w.explainPostgres
	if w.store.gorm.Name() == "sqlite" {
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

// node is a part of a Postgres plan.
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
	// Sequential scans are disabled, because the plan for large tables counts.
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

// count adds up the rows read. Without running it, a sequential scan counts as unbounded.
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
