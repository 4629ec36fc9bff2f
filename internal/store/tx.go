package store

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/platform/telemetry"
	"customerzero/internal/store/pgretry"
)

type txKey struct{}

// txContext gives a context whose reads and changes all belong to one transaction.
func txContext(ctx context.Context, tx *gorm.DB) context.Context {
	return context.WithValue(ctx, txKey{}, tx)
}

// txFrom returns the transaction that a context belongs to; nil: none.
func txFrom(ctx context.Context) *gorm.DB {
	tx, _ := ctx.Value(txKey{}).(*gorm.DB)
	return tx
}

// on returns what a statement is sent to: the transaction of the context, or else the database.
func (s *DB) on(ctx context.Context) *gorm.DB {
	if tx := txFrom(ctx); tx != nil {
		return tx.WithContext(ctx)
	}
	return s.gorm.WithContext(ctx)
}

// maxTries bounds how often a change is attempted. A restarted server closes all connections at once,
// and each of them is found closed only when it is used.
const maxTries = 4

// retryTx repeats a change whose connection was lost before its commit, so that it certainly did not
// happen. If the connection was lost during the commit, the caller has to check.
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
	if s.dialect == "sqlite" {
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

// forUpdate locks a row that is about to change. It is the weaker of Postgres' two write
// locks: rows that only refer to this one (a new post to its member) need not wait, and
// two changes cannot wait for one another through them.
var forUpdate = clause.Locking{Strength: "NO KEY UPDATE"}

// forShare keeps a row unchanged until the transaction ends. Several transactions may do so at once.
var forShare = clause.Locking{Strength: "SHARE"}

// skipLocked locks rows that no other transaction has locked, and leaves out the others: two batch
// jobs that waited for each other's rows would deadlock.
var skipLocked = clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}

// now is the time in UTC, in the whole microseconds that both databases store.
func now() time.Time { return stamp(time.Now()) }

func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// These say what GORM's own typed reads say (gorm.G), whose sixty methods are linked anew
// for each type of row: for thirteen tables they were 3 MB of the program.

// readOne reads the row that a query finds, or fails with gorm.ErrRecordNotFound.
func readOne[T any](query *gorm.DB) (row T, err error) {
	err = query.Take(&row).Error
	return row, err
}

// readAll reads the rows that a query finds, which may be none.
func readAll[T any](query *gorm.DB) (rows []T, err error) {
	err = query.Find(&rows).Error
	return rows, err
}

// countOf counts the rows that a query finds.
func countOf[T any](query *gorm.DB) (int, error) {
	var n int64
	err := query.Model(new(T)).Count(&n).Error
	return int(n), err
}

// readFirst reads the first row that a query finds; nil: there is none.
func readFirst[T any](query *gorm.DB) (*T, error) {
	rows, err := readAll[T](query.Limit(1))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// GORM's own plugin for this links the drivers of databases that we do not have, and would tell
// whole statements.

// inSpans traces each statement as a child of the current span, with its operation and table but neither
// text nor values. A statement without a parent span, such as the starter's every second, is not traced.
func inSpans(db *gorm.DB) error {
	if !telemetry.On() {
		return nil
	}
	steps := db.Callback()
	return errors.Join(
		steps.Create().Before("gorm:create").Register("span:create", began("INSERT")),
		steps.Create().After("gorm:create").Register("spanned:create", ended),
		steps.Query().Before("gorm:query").Register("span:query", began("SELECT")),
		steps.Query().After("gorm:query").Register("spanned:query", ended),
		steps.Update().Before("gorm:update").Register("span:update", began("UPDATE")),
		steps.Update().After("gorm:update").Register("spanned:update", ended),
		steps.Delete().Before("gorm:delete").Register("span:delete", began("DELETE")),
		steps.Delete().After("gorm:delete").Register("spanned:delete", ended),
		steps.Row().Before("gorm:row").Register("span:row", began("SELECT")),
		steps.Row().After("gorm:row").Register("spanned:row", ended),
		steps.Raw().Before("gorm:raw").Register("span:raw", began("SQL")),
		steps.Raw().After("gorm:raw").Register("spanned:raw", ended),
	)
}

// noted is where a statement keeps its span.
type noted struct {
	context.Context
	before context.Context
	end    func(error)
}

func began(verb string) func(*gorm.DB) {
	return func(tx *gorm.DB) {
		name := verb
		if tx.Statement.Table != "" {
			name += " " + tx.Statement.Table
		}
		ctx, end := telemetry.Span(tx.Statement.Context, name, attribute.String("db.system.name", tx.Name()),
			attribute.String("db.operation.name", verb), attribute.String("db.collection.name", tx.Statement.Table))
		tx.Statement.Context = noted{ctx, tx.Statement.Context, end}
	}
}

func ended(tx *gorm.DB) {
	n, ok := tx.Statement.Context.(noted)
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
