package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/platform/telemetry"
	"customerzero/internal/store/pgretry"
)

type txKey struct{}

// txContext returns a context whose reads and changes all belong to one transaction.
func txContext(ctx context.Context, tx *gorm.DB) context.Context {
	return context.WithValue(ctx, txKey{}, tx)
}

// txFrom returns the context's transaction, or nil if it has none.
func txFrom(ctx context.Context) *gorm.DB {
	tx, _ := ctx.Value(txKey{}).(*gorm.DB)
	return tx
}

// on returns the context's transaction, or the database if it has none.
func (s *DB) on(ctx context.Context) *gorm.DB {
	if tx := txFrom(ctx); tx != nil {
		return tx.WithContext(ctx)
	}
	return s.gorm.WithContext(ctx)
}

// maxTries bounds how often a change is attempted. A restarted server closes all connections at once,
// and each of them is found closed only when it is used.
const maxTries = 4

// retryTx repeats a change whose connection was lost before its commit, which therefore did not happen.
// If the connection was lost during the commit, the caller has to check.
func retryTx(ctx context.Context, change func() (retry bool, err error)) error {
	for n := 1; ; n++ {
		retry, err := change()
		if !retry || n == maxTries || ctx.Err() != nil {
			return err
		}
	}
}

// inTx runs a change as one transaction, or as a part of the context's transaction.
func (s *DB) inTx(ctx context.Context, change func(tx *gorm.DB) error) (err error) {
	if tx := txFrom(ctx); tx != nil {
		return tx.WithContext(ctx).Transaction(change)
	}
	ctx, end := telemetry.Span(ctx, "transaction")
	defer func() { end(err) }()
	if s.gorm.Name() == "sqlite" {
		select {
		case s.writing <- struct{}{}:
			defer func() { <-s.writing }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return classified(retryTx(ctx, func() (retry bool, err error) {
		committing := false
		err = s.gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			err := change(tx)
			committing = err == nil
			return err
		})
		return pgretry.Refused(err) || pgretry.Unsent(err) || pgretry.Outdated(err) || !committing && pgretry.Lost(err), err
	}))
}

func (s *DB) insert(ctx context.Context, row any, on clause.OnConflict) error {
	return s.inTx(ctx, func(tx *gorm.DB) error { return tx.Clauses(on).Create(row).Error })
}

// resultOf runs a change that returns a value as one transaction.
func resultOf[T any](ctx context.Context, s *DB, change func(tx *gorm.DB) (T, error)) (result T, err error) {
	err = s.inTx(ctx, func(tx *gorm.DB) (err error) {
		result, err = change(tx)
		return err
	})
	return result, err
}

// forUpdate locks a row that is about to change. It is the weaker of Postgres' two write locks: rows
// that only refer to this one, such as a new post to its member, need not wait, so two changes cannot
// deadlock through them.
var forUpdate = clause.Locking{Strength: "NO KEY UPDATE"}

// forShare keeps a row unchanged until the transaction ends. Several transactions may do so at once.
var forShare = clause.Locking{Strength: "SHARE"}

// skipLocked locks rows that no other transaction has locked, and leaves out the others: two batch
// jobs that waited for each other's rows would deadlock.
var skipLocked = clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}

// onceOnly skips the insert if the row already exists.
var onceOnly = clause.OnConflict{DoNothing: true}

// upsert updates the named columns, or all if none are named, of the row that has the same key. The key
// is one column or several, separated by commas.
func upsert(key string, columns ...string) clause.OnConflict {
	return clause.OnConflict{
		Columns: []clause.Column{{Name: key, Raw: true}}, UpdateAll: len(columns) == 0, DoUpdates: clause.AssignmentColumns(columns),
	}
}

// now returns the time in UTC in whole microseconds, the precision that both databases store.
func now() time.Time { return stamp(time.Now()) }

func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// The functions below replace GORM's typed reads (gorm.G), whose 60 methods are compiled for each row type:
// 13 tables added 3 MB to the program.

// readOne returns the row that a query selects, or gorm.ErrRecordNotFound.
func readOne[T any](query *gorm.DB) (row T, err error) {
	err = query.Take(&row).Error
	return row, err
}

func readAll[T any](query *gorm.DB) (rows []T, err error) {
	err = query.Find(&rows).Error
	return rows, err
}

func countOf[T any](query *gorm.DB) (int, error) {
	var n int64
	err := query.Model(new(T)).Count(&n).Error
	return int(n), err
}

// readFirst returns the first row that a query selects, or nil if there is none.
func readFirst[T any](query *gorm.DB) (*T, error) {
	rows, err := readAll[T](query.Limit(1))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// readPage returns a page of the rows that a query selects, and their total.
func readPage[T any](query *gorm.DB, order string, limit, offset int) (rows []T, total int, err error) {
	query = query.Session(&gorm.Session{})
	if total, err = countOf[T](query); err != nil {
		return nil, 0, err
	}
	rows, err = readAll[T](query.Order(order).Limit(limit).Offset(offset))
	return rows, total, err
}

// byID returns the row with an ID, or a not-found problem that names the kind of row.
func byID[T any](query *gorm.DB, what, id string) (T, error) {
	row, err := readOne[T](query.Where("id = ?", id))
	return row, asProblem(err, what)
}

func lockByID[T any](tx *gorm.DB, what, id string) (T, error) {
	return byID[T](tx.Clauses(forUpdate), what, id)
}

// ensureRow creates a row unless it exists, and locks the row that the condition selects.
func ensureRow[T any](tx *gorm.DB, fresh *T, where string, args ...any) (T, error) {
	if err := tx.Clauses(onceOnly).Create(fresh).Error; err != nil {
		return *fresh, err
	}
	return readOne[T](tx.Clauses(forUpdate).Where(where, args...))
}

func save(tx *gorm.DB, row any) error { return mustChange(tx.Select("*").Updates(row)) }

// mustChange returns an error unless an update changed exactly one row: inside a lock anything else is a
// bug.
func mustChange(result *gorm.DB) error {
	if result.Error == nil && result.RowsAffected != 1 {
		return fmt.Errorf("%s: %d rows changed, 1 expected", result.Statement.Table, result.RowsAffected)
	}
	return result.Error
}

// changeRow locks the row with an ID, changes and saves it, in one transaction.
func changeRow[T any](ctx context.Context, s *DB, what, id string, alter func(tx *gorm.DB, row *T) error) (row T, err error) {
	err = s.inTx(ctx, func(tx *gorm.DB) (err error) {
		if row, err = lockByID[T](tx, what, id); err != nil {
			return err
		}
		if err := alter(tx, &row); err != nil {
			return err
		}
		return save(tx, &row)
	})
	return row, err
}

// inSpans traces each statement as a child of the current span, with its operation and table but neither
// text nor values. A statement without a parent span, such as the dispatcher's every second, is not traced.
// GORM's plugin would link drivers of unused databases and record whole statements.
func inSpans(db *gorm.DB) error {
	if !telemetry.On() {
		return nil
	}
	return aroundStatements(db, "span", startSpan, endSpan)
}

// aroundStatements registers callbacks before and after each statement; before gets its verb.
func aroundStatements(db *gorm.DB, name string, before func(verb string) func(*gorm.DB), after func(*gorm.DB)) error {
	steps := db.Callback()
	return errors.Join(
		steps.Create().Before("gorm:create").Register(name+":create", before("INSERT")),
		steps.Create().After("gorm:create").Register(name+":created", after),
		steps.Query().Before("gorm:query").Register(name+":query", before("SELECT")),
		steps.Query().After("gorm:query").Register(name+":queried", after),
		steps.Update().Before("gorm:update").Register(name+":update", before("UPDATE")),
		steps.Update().After("gorm:update").Register(name+":updated", after),
		steps.Delete().Before("gorm:delete").Register(name+":delete", before("DELETE")),
		steps.Delete().After("gorm:delete").Register(name+":deleted", after),
		steps.Row().Before("gorm:row").Register(name+":row", before("SELECT")),
		steps.Row().After("gorm:row").Register(name+":rows", after),
		steps.Raw().Before("gorm:raw").Register(name+":raw", before("SQL")),
		steps.Raw().After("gorm:raw").Register(name+":ran", after),
	)
}

// spanContext keeps a statement's span and the context it had before.
type spanContext struct {
	context.Context
	before context.Context
	end    func(error)
}

func startSpan(verb string) func(*gorm.DB) {
	return func(tx *gorm.DB) {
		name := verb
		if tx.Statement.Table != "" {
			name += " " + tx.Statement.Table
		}
		ctx, end := telemetry.Span(tx.Statement.Context, name, attribute.String("db.system.name", tx.Name()),
			attribute.String("db.operation.name", verb), attribute.String("db.collection.name", tx.Statement.Table))
		tx.Statement.Context = spanContext{ctx, tx.Statement.Context, end}
	}
}

func endSpan(tx *gorm.DB) {
	n, ok := tx.Statement.Context.(spanContext)
	if !ok {
		return
	}
	err := tx.Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = nil
	}
	n.end(err)
	tx.Statement.Context = n.before
}
