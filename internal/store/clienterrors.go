package store

import (
	"context"

	"gorm.io/gorm"

	"customerzero/internal/problem"
)

// SaveClientError keeps a report, so that the reference shown to the person finds it.
func (s *Store) SaveClientError(ctx context.Context, report problem.ClientError) error {
	return gorm.G[problem.ClientError](s.db).Create(ctx, &report)
}

// ClientError finds a report by its reference.
func (s *Store) ClientError(ctx context.Context, id string) (problem.ClientError, error) {
	report, err := gorm.G[problem.ClientError](s.db).Where("id = ?", id).First(ctx)
	return report, asProblem(err, "report")
}
