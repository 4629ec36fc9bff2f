package store

import (
	"context"
	"time"

	"customerzero/internal/domain/post"
)

// MonthUsage counts the slots of a month.
func (s *Posts) MonthUsage(ctx context.Context, month post.Month) (post.MonthUsage, error) {
	var usage post.MonthUsage
	err := s.db.on(ctx).Model(&quotaSlot{}).
		Select(`COUNT(CASE WHEN state = ? THEN 1 END) AS spent,
			COUNT(CASE WHEN state = ? THEN 1 END) AS reserved,
			COUNT(CASE WHEN state <> ? AND member_id IS NULL THEN 1 END) AS commons_held`,
			slotSpent, slotReserved, slotFree).
		Where("month = ?", month).Scan(&usage).Error
	if err != nil {
		return usage, err
	}
	usage.Members, err = countActive(s.db.on(ctx))
	return usage, err
}

// SuccessSince counts how posts ended since then.
func (s *Posts) SuccessSince(ctx context.Context, since time.Time) (published, failed int, err error) {
	tx := s.db.on(ctx)
	published, err = countOf[post.Post](tx.Where("published_at >= ?", stamp(since)))
	if err != nil {
		return 0, 0, err
	}
	failed, err = countOf[post.Post](tx.Where(isFailed+" AND updated_at >= ?", stamp(since)))
	return published, failed, err
}

// isFailed is said in the words of the index that has them alone: SQLite does not look for it
// otherwise.
const isFailed = "status = 'failed'"

// LastAttempt is the newest attempt that ended: it tells how the bot's account stands.
func (s *Posts) LastAttempt(ctx context.Context) (*post.Attempt, error) {
	attempts, err := readAll[post.Attempt](s.db.on(ctx).Where("ended_at IS NOT NULL").Order("ended_at DESC").Limit(1))
	if err != nil || len(attempts) == 0 {
		return nil, err
	}
	return &attempts[0], nil
}
