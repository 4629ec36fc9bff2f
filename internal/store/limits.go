package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
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

// ConsumeAll counts several uses, or none of them if one is refused.
func (s *Limits) ConsumeAll(ctx context.Context, uses []account.Use, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error { return consumeAll(tx, uses, at) })
}

func consumeAll(tx *gorm.DB, uses []account.Use, at time.Time) error {
	for _, use := range uses {
		if err := consume(tx, use.Limit, use.Subject, at); err != nil {
			return err
		}
	}
	return nil
}

// everything is the subject of limits that do not distinguish subjects.
const everything = "all"

// consumeShared counts one use of what callers share: everything, or one subject.
func consumeShared(tx *gorm.DB, limit account.Shared, subject string, a account.Asker, at time.Time) error {
	if a.Founder {
		return consume(tx, limit.Members(), subject, at)
	}
	if a.Member != "" {
		if limit.PerMember.Most > 0 {
			if err := consume(tx, limit.PerMember, a.Member, at); err != nil {
				return err
			}
		}
		return consume(tx, limit.Members(), subject, at)
	}
	if limit.PerVisitor.Most > 0 {
		if err := consume(tx, limit.PerVisitor, a.Visitor, at); err != nil {
			return err
		}
	}
	uses := a.By(limit.PerNetwork)
	for i := range uses {
		uses[i].Subject = subject + "/" + uses[i].Subject
	}
	if err := consumeAll(tx, uses, at); err != nil {
		return err
	}
	refused := consume(tx, limit.Common(), subject, at)
	if problem.CodeOf(refused) != problem.TooMany || len(uses) == 0 {
		return refused
	}
	widest := uses[len(uses)-1]
	counted, err := readOne[rateWindow](tx.Where("bucket = ?", widest.Name+":"+widest.Subject))
	if err == nil && counted.Used > 1 {
		err = refused
	}
	if err != nil {
		return err
	}
	return consume(tx, limit.Reserved(), subject, at)
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
