package store

import (
	"context"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// ClientErrors stores errors that browsers report.
type ClientErrors struct{ db *DB }

// SaveClientError keeps a report, so that the reference shown to the person finds it. Strangers
// cannot fill the database with them.
func (s *ClientErrors) SaveClientError(ctx context.Context, report problem.ClientError) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := consume(tx, account.ReportsOverall, "all", report.CreatedAt); err != nil {
			return err
		}
		return tx.Create(&report).Error
	})
}

// ClientErrors lists reports, the newest first: the one of a reference, or all if it is empty.
func (s *ClientErrors) ClientErrors(ctx context.Context, reference string, limit int) ([]problem.ClientError, error) {
	query := s.db.on(ctx).Order("created_at DESC, id DESC").Limit(limit)
	if reference != "" {
		query = query.Where("id = ?", reference)
	}
	return readAll[problem.ClientError](query)
}
