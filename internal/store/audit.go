package store

import (
	"context"

	"github.com/rs/xid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/audit"
)

// Audit notes what a founder did. An entry with an ID is noted once.
func (s *Store) Audit(ctx context.Context, e audit.Entry) error {
	if e.ID == "" {
		e.ID = xid.New().String()
	}
	e.At = stamp(e.At)
	return s.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&e).Error
	})
}

// AuditEntries lists what founders did, the latest first, with the total.
func (s *Store) AuditEntries(ctx context.Context, limit, offset int) ([]audit.Entry, int, error) {
	total, err := countOf[audit.Entry](s.db.WithContext(ctx))
	if err != nil {
		return nil, 0, err
	}
	entries, err := readAll[audit.Entry](s.db.WithContext(ctx).Order("at DESC, id DESC").Limit(limit).Offset(offset))
	return entries, total, err
}
