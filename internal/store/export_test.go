package store

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/platform/testwait"
)

// Exec runs a statement that no method of the store would.
func (s *DB) Exec(statement string, args ...any) error {
	return s.gorm.Exec(statement, args...).Error
}

// SetMemberStatus gives a member a status that no order of the product would.
func (s *DB) SetMemberStatus(ctx context.Context, id string, status member.Status) error {
	return s.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&member.Member{}).Where("id = ?", id).Update("status", status))
	})
}

// Credits are a member's entries, oldest first.
func (s *DB) Credits(ctx context.Context, memberID string) ([]member.CreditEntry, error) {
	return readAll[member.CreditEntry](s.on(ctx).Where("member_id = ?", memberID).Order("seq"))
}

// Hold runs a statement in a transaction that stays open: what it touched is locked until
// it is let go.
func (s *DB) Hold(t testing.TB, statement string) (letGo func()) {
	t.Helper()
	tx := s.gorm.Begin()
	require.NoError(t, tx.Exec(statement).Error)
	return func() { require.NoError(t, tx.Rollback().Error) }
}

// Dump is a table as text, to look for what must not stand in it.
func (s *DB) Dump(t testing.TB, table string) string {
	t.Helper()
	var rows []map[string]any
	require.NoError(t, s.gorm.Table(table).Find(&rows).Error)
	return fmt.Sprint(rows)
}

// Tables names every table.
func (s *DB) Tables(t testing.TB) []string {
	t.Helper()
	tables, err := s.gorm.Migrator().GetTables()
	require.NoError(t, err)
	require.NotEmpty(t, tables)
	return tables
}

// Number asks for one number.
func (s *DB) Number(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, s.gorm.Raw(query, args...).Row().Scan(&n))
	return n
}

// Count counts a table's rows.
func (s *DB) Count(t testing.TB, table string) int {
	t.Helper()
	return s.Number(t, "SELECT count(*) FROM "+table)
}

// Hide seals values, in one transaction.
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

// Reveal opens a sealed value.
func (s *DB) Reveal(ctx context.Context, id string) (value string, err error) {
	err = s.readSecret(s.gorm.WithContext(ctx), &id, &value)
	return value, err
}

// WriteLetter puts an e-mail into the outbox.
func (s *DB) WriteLetter(ctx context.Context, kind email.Kind, factKey string, c email.Content, at time.Time) (id string, err error) {
	err = s.inTx(ctx, func(tx *gorm.DB) error {
		id, err = s.Emails.write(tx, kind, factKey, nil, c, at)
		return err
	})
	return id, err
}

// Put stores a row that no method of the store would.
func (s *DB) Put(t testing.TB, row any) error {
	t.Helper()
	return s.gorm.Create(row).Error
}

// Plans says how Postgres answers every question that is asked meanwhile, if it has to avoid
// reading whole tables: a plan that still does so has no index.
func (s *DB) Plans(t testing.TB, meanwhile func()) map[string]string {
	t.Helper()
	plans := map[string]string{}
	note := func(db *gorm.DB) {
		question := db.Explain(db.Statement.SQL.String(), db.Statement.Vars...)
		plans[strings.ReplaceAll(question, "0000-00-00", "0001-01-01")] = "" // GORM's word for the first day
	}
	require.NoError(t, s.gorm.Callback().Query().After("gorm:query").Register("plans", note))
	require.NoError(t, s.gorm.Callback().Row().After("gorm:row").Register("plans", note))
	meanwhile()
	require.NoError(t, s.gorm.Callback().Query().Remove("plans"))
	require.NoError(t, s.gorm.Callback().Row().Remove("plans"))
	require.NoError(t, s.gorm.Transaction(func(tx *gorm.DB) error {
		require.NoError(t, tx.Exec("SET LOCAL enable_seqscan = off").Error)
		for question := range plans {
			var lines []string
			require.NoError(t, tx.Raw("EXPLAIN "+question).Scan(&lines).Error)
			plans[question] = strings.Join(lines, "\n")
		}
		return nil
	}))
	return plans
}

// Dialect is which database it is.
func (s *DB) Dialect() string { return s.dialect }

// AskInside asks for one number in a transaction that has the last connection, while somebody
// outside of it waits for one to ask the same.
func (s *DB) AskInside(t testing.TB, query string) {
	t.Helper()
	pool, err := s.gorm.DB()
	require.NoError(t, err)
	require.NoError(t, s.UseConnections(1))
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

// ReadAll reads tables in one transaction.
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
