package store

import (
	"context"

	"gorm.io/gorm"
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
