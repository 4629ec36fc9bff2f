package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/pricing"
)

const (
	keepTries  = 24 * time.Hour      // counters and codes that are over
	keepLogins = 30 * 24 * time.Hour // logins and claim links that are over, for those who look into one
)

// Tidy deletes expired rows: rate limits, codes, sessions, activation links, logins, visitors, and
// replaced keys after their day. It also anonymizes old prices, and ends the generations whose worker was
// lost. Safe to call at any time.
func (s *DB) Tidy(ctx context.Context, at time.Time) error {
	at = stamp(at)
	if err := s.Bot.DropKeys(ctx, at); err != nil {
		return err
	}
	for _, over := range []struct {
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
			rows := tx.Model(over.rows).Select(over.key).Where(over.where, over.until).Clauses(skipLocked)
			return tx.Where(over.key+" IN (?)", rows).Delete(over.rows).Error
		})
		if err != nil {
			return err
		}
	}
	if err := s.Generations.endLostGenerations(ctx, at); err != nil {
		return err
	}
	return s.inTx(ctx, func(tx *gorm.DB) error {
		old := tx.Model(&pricing.Decision{}).Select("id").Clauses(skipLocked).
			Where("visitor IS NOT NULL AND created_at <= ?", at.Add(-pricing.VisitorRetention))
		return tx.Model(&pricing.Decision{}).Where("id IN (?)", old).Updates(nobodys).Error
	})
}
