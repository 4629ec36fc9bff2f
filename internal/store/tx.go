package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/platform/telemetry"
	"customerzero/internal/store/pgretry"
)

type wholeKey struct{}

// within is a context whose reads and changes are all of one transaction.
func within(ctx context.Context, tx *gorm.DB) context.Context {
	return context.WithValue(ctx, wholeKey{}, tx)
}

// wholeOf is the transaction that a context is of; nil: none.
func wholeOf(ctx context.Context) *gorm.DB {
	whole, _ := ctx.Value(wholeKey{}).(*gorm.DB)
	return whole
}

// on is where a statement is sent: to the transaction that the context is of, or to the database.
func (s *DB) on(ctx context.Context) *gorm.DB {
	if whole := wholeOf(ctx); whole != nil {
		return whole.WithContext(ctx)
	}
	return s.gorm.WithContext(ctx)
}

// tries are how often a change is begun whose connection was lost: a server that is restarted
// takes all connections at once, and they are found dead one after the other.
const tries = 4

// again has a change done anew that certainly was not done, because its connection was lost. Of one
// that was lost while it was committed nobody knows: that is for the caller to look at.
func again(ctx context.Context, change func() (anew bool, err error)) error {
	for n := 1; ; n++ {
		anew, err := change()
		if !anew || n == tries || ctx.Err() != nil {
			return err
		}
	}
}

// inTx runs a change as one transaction, or as a part of the one that the context is of.
func (s *DB) inTx(ctx context.Context, change func(tx *gorm.DB) error) (err error) {
	if whole := wholeOf(ctx); whole != nil {
		return whole.WithContext(ctx).Transaction(change)
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
	return marked(again(ctx, func() (anew bool, err error) {
		committing := false
		err = s.gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			err := change(tx)
			committing = err == nil
			return err
		})
		return pgretry.Refused(err) || pgretry.Unsent(err) || pgretry.Outdated(err) || !committing && pgretry.Lost(err), err
	}))
}

// forChange locks a row that is about to change. It is the weaker of Postgres' two write
// locks: rows that only refer to this one (a new post to its member) need not wait, and
// two changes cannot wait for one another through them.
var forChange = clause.Locking{Strength: "NO KEY UPDATE"}

// forShare keeps a row as it is: many may do so at once, and whoever changes it waits for them.
var forShare = clause.Locking{Strength: "SHARE"}

// free rows are those that nobody is changing. The others are left to the next time: two
// who wait for one another's would wait in a circle.
var free = clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}

// now is UTC in whole microseconds: what both databases keep.
func now() time.Time { return stamp(time.Now()) }

func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
