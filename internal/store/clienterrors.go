package store

import (
	"context"

	"customerzero/internal/problem"
)

// SaveClientError keeps a report, so that the reference shown to the person finds it.
func (s *Store) SaveClientError(ctx context.Context, report problem.ClientError) error {
	return s.db.WithContext(ctx).Create(&report).Error
}

// ClientErrors lists reports, the newest first: the one of a reference, or all if it is empty.
func (s *Store) ClientErrors(ctx context.Context, reference string, limit int) ([]problem.ClientError, error) {
	query := s.db.WithContext(ctx).Order("created_at DESC, id DESC").Limit(limit)
	if reference != "" {
		query = query.Where("id = ?", reference)
	}
	return readAll[problem.ClientError](query)
}
