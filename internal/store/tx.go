package store

import (
	"context"
	"time"

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
