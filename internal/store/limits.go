package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// Limits counts rate limits.
type Limits struct{ db *DB }

// rateWindow counts how often something happened since the first time. The database
// refuses one too many.
type rateWindow struct {
	Bucket   string
	StartsAt time.Time
	EndsAt   time.Time
	Used     int
	Allowed  int
}

// countQuery is one statement, so that concurrent callers are all counted: an expired window restarts, and
// a full one changes no row.
const countQuery = `INSERT INTO rate_windows (bucket, starts_at, ends_at, used, allowed) VALUES (?, ?, ?, 1, ?)
ON CONFLICT (bucket) DO UPDATE SET
  used      = CASE WHEN rate_windows.ends_at <= excluded.starts_at THEN 1 ELSE rate_windows.used + 1 END,
  starts_at = CASE WHEN rate_windows.ends_at <= excluded.starts_at THEN excluded.starts_at ELSE rate_windows.starts_at END,
  ends_at   = CASE WHEN rate_windows.ends_at <= excluded.starts_at THEN excluded.ends_at ELSE rate_windows.ends_at END,
  allowed   = excluded.allowed
WHERE rate_windows.ends_at <= excluded.starts_at OR rate_windows.used < excluded.allowed`

// Consume uses up one of a limit's times for whom it is counted, or says when the next comes.
func (s *Limits) Consume(ctx context.Context, limit account.Limit, whom string, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error { return consume(tx, limit, whom, at) })
}

func consume(tx *gorm.DB, limit account.Limit, whom string, at time.Time) error {
	at, bucket := stamp(at), limit.Name+":"+whom
	counted := tx.Exec(countQuery, bucket, at, at.Add(limit.Per), limit.Most)
	if counted.Error != nil || counted.RowsAffected > 0 {
		return counted.Error
	}
	var full rateWindow
	if err := tx.Where("bucket = ?", bucket).Take(&full).Error; err != nil {
		return err
	}
	return &problem.Error{
		Code:       problem.TooMany,
		Message:    "Too many " + limit.Doing + ". Try again after " + full.EndsAt.UTC().Format("15:04:05") + " UTC.",
		RetryAfter: full.EndsAt,
	}
}
