package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// Limits counts the uses of rate limits.
type Limits struct{ db *DB }

// rateWindow counts the uses of a limit in the window that starts with the first. A CHECK refuses more
// than Allowed.
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

// Consume counts one use of a limit by a subject, or returns a problem with the time of the next allowed
// use.
func (s *Limits) Consume(ctx context.Context, limit account.Limit, subject string, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error { return consume(tx, limit, subject, at) })
}

func consume(tx *gorm.DB, limit account.Limit, subject string, at time.Time) error {
	at, bucket := stamp(at), limit.Name+":"+subject
	counted := tx.Exec(countQuery, bucket, at, at.Add(limit.Per), limit.Most)
	if counted.Error != nil || counted.RowsAffected > 0 {
		return counted.Error
	}
	full, err := readOne[rateWindow](tx.Where("bucket = ?", bucket))
	if err != nil {
		return err
	}
	return full.refusal(limit)
}

func (w rateWindow) refusal(limit account.Limit) error {
	return &problem.Error{
		Code:       problem.TooMany,
		Message:    "Too many " + limit.Doing + ". Try again after " + w.EndsAt.UTC().Format("15:04:05") + " UTC.",
		RetryAfter: w.EndsAt,
	}
}

// Check returns the error of Consume if the limit is used up, and counts nothing.
func (s *Limits) Check(ctx context.Context, limit account.Limit, subject string, at time.Time) error {
	full, err := readAll[rateWindow](s.db.on(ctx).Where("bucket = ? AND ends_at > ?", limit.Name+":"+subject, stamp(at)))
	if err != nil || len(full) == 0 || full[0].Used < limit.Most {
		return err
	}
	return full[0].refusal(limit)
}

const (
	keepTries  = 24 * time.Hour      // expired counters and codes
	keepLogins = 30 * 24 * time.Hour // expired logins and activation links, kept for support
)

// Tidy deletes expired rows: rate limits, codes, sessions, activation links, logins, visitors, and
// replaced keys after a day. It also anonymizes old prices, and ends the generations whose worker was
// lost. Safe to call at any time.
func (s *DB) Tidy(ctx context.Context, at time.Time) error {
	at = stamp(at)
	if err := s.Bot.DropKeys(ctx, at); err != nil {
		return err
	}
	for _, expired := range []struct {
		rows       any
		key, where string
		until      time.Time
	}{
		{&rateWindow{}, "bucket", "ends_at <= ?", at.Add(-keepTries)},
		{&account.Code{}, "id", "expires_at <= ?", at.Add(-keepTries)},
		{&account.Session{}, "id", "expires_at <= ?", at},
		{&account.ActivationLink{}, "id", "expires_at <= ?", at.Add(-keepLogins)},
		{&pricing.Visitor{}, "id", "last_seen_at <= ?", at.Add(-pricing.VisitorRetention)},
		{&account.XLogin{}, "id", "secret_id IS NULL AND expires_at <= ?", at.Add(-keepLogins)},
	} {
		err := s.inTx(ctx, func(tx *gorm.DB) error {
			rows := tx.Model(expired.rows).Select(expired.key).Where(expired.where, expired.until).Clauses(skipLocked)
			return tx.Where(expired.key+" IN (?)", rows).Delete(expired.rows).Error
		})
		if err != nil {
			return err
		}
	}
	if err := s.Generations.endLostGenerations(ctx, at); err != nil {
		return err
	}
	defer s.settleSoon(ctx)
	return s.inTx(ctx, func(tx *gorm.DB) error {
		old := tx.Model(&pricing.Decision{}).Select("id").Clauses(skipLocked).
			Where("visitor IS NOT NULL AND created_at <= ?", at.Add(-pricing.VisitorRetention))
		return tx.Model(&pricing.Decision{}).Where("id IN (?)", old).Updates(anonymous).Error
	})
}
