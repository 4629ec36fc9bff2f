package store

import (
	"context"

	"customerzero/internal/problem"
)

// SaveClientError keeps a report, so that the reference shown to the person finds it.
func (s *Store) SaveClientError(ctx context.Context, report problem.ClientError) error {
	return s.db.WithContext(ctx).Create(&report).Error
}

// ClientError finds a report by its reference.
func (s *Store) ClientError(ctx context.Context, id string) (problem.ClientError, error) {
	report, err := readOne[problem.ClientError](s.db.WithContext(ctx).Where("id = ?", id))
	return report, asProblem(err, "report")
}
