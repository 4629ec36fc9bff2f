package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
)

type readMonth struct {
	Month               post.Month `gorm:"primaryKey"`
	Used                int
	Budget              int
	ReconciliationReads int
}

func (readMonth) TableName() string { return "x_read_months" }

type engagementRead struct {
	PostID     string          `gorm:"primaryKey"`
	Checkpoint post.Checkpoint `gorm:"primaryKey"`
	Month      post.Month
	ReservedAt time.Time
	MeasuredAt *time.Time
}

// ReadUsage counts the reads of a month.
func (s *Posts) ReadUsage(ctx context.Context, month post.Month) (post.ReadUsage, error) {
	usage := post.ReadUsage{Budget: post.MonthlyReads}
	err := s.db.on(ctx).Model(&readMonth{}).Where("month = ?", month).Limit(1).Scan(&usage).Error
	return usage, err
}

// CountReconciliationRead counts a read of the bot's own timeline.
func (s *Posts) CountReconciliationRead(ctx context.Context, now time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		month := post.MonthOf(now)
		if _, err := openReads(tx, month); err != nil {
			return err
		}
		return mustChange(tx.Model(&readMonth{}).Where("month = ?", month).Update("reconciliation_reads", gorm.Expr("reconciliation_reads + 1")))
	})
}

// ReserveReadings reserves reads of the month's budget for posts that have passed a checkpoint, newest
// first. Reserved readings that were never measured are returned again without being counted twice.
func (s *Posts) ReserveReadings(ctx context.Context, limit int, now time.Time) ([]post.Reading, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (readings []post.Reading, err error) {
		month := post.MonthOf(now)
		budget, err := openReads(tx, month)
		if err != nil {
			return nil, err
		}
		fresh, err := dueReadings(tx, min(limit, budget.Budget-budget.Used), now)
		if err != nil {
			return nil, err
		}
		if err := reserveReadings(tx, fresh, month, now); err != nil {
			return nil, err
		}
		err = tx.Table("engagement_reads").Joins("JOIN posts ON posts.id = engagement_reads.post_id").
			Select("engagement_reads.post_id, posts.tweet_id, engagement_reads.checkpoint").
			Where("engagement_reads.measured_at IS NULL").
			Order("posts.published_at DESC").Limit(limit).Scan(&readings).Error
		return readings, err
	})
}

// dueReadings lists the posts past a checkpoint without a reading, newest first.
func dueReadings(tx *gorm.DB, limit int, now time.Time) ([]post.Reading, error) {
	var due []post.Reading
	for i, checkpoint := range post.Checkpoints {
		published := tx.Table("posts").Select("id AS post_id, tweet_id, ? AS checkpoint, published_at", checkpoint.Name).
			Where("published_at <= ?", stamp(now.Add(-checkpoint.Age))).
			Where("NOT EXISTS (SELECT 1 FROM engagement_reads r WHERE r.post_id = posts.id AND r.checkpoint = ?)", checkpoint.Name)
		if i+1 < len(post.Checkpoints) { // a post past the next checkpoint is read for that one instead
			published = published.Where("published_at > ?", stamp(now.Add(-post.Checkpoints[i+1].Age)))
		}
		var found []post.Reading
		if err := published.Order("published_at DESC").Limit(max(0, limit-len(due))).Scan(&found).Error; err != nil {
			return nil, err
		}
		due = append(due, found...)
	}
	return due, nil
}

func reserveReadings(tx *gorm.DB, fresh []post.Reading, month post.Month, now time.Time) error {
	if len(fresh) == 0 {
		return nil
	}
	rows := make([]engagementRead, len(fresh))
	for i, r := range fresh {
		rows[i] = engagementRead{PostID: r.PostID, Checkpoint: r.Checkpoint, Month: month, ReservedAt: stamp(now)}
	}
	if err := tx.Create(&rows).Error; err != nil {
		return err
	}
	return mustChange(tx.Model(&readMonth{}).Where("month = ?", month).Update("used", gorm.Expr("used + ?", len(fresh))))
}

// SaveMetrics stores a reading. A tweet that was deleted from X keeps its last counts.
func (s *Posts) SaveMetrics(ctx context.Context, r post.Reading, m *post.Metrics, now time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		err := tx.Model(&engagementRead{}).Where("post_id = ? AND checkpoint = ?", r.PostID, r.Checkpoint).
			Update("measured_at", stamp(now)).Error
		if err != nil || m == nil {
			return err
		}
		return mustChange(tx.Model(&post.Post{}).Where("id = ?", r.PostID).UpdateColumns(map[string]any{
			"likes": m.Likes, "reposts": m.Reposts, "replies": m.Replies, "quotes": m.Quotes, "measured_at": stamp(now),
		}))
	})
}

// openReads locks a month's row, creating it if needed.
func openReads(tx *gorm.DB, month post.Month) (readMonth, error) {
	return ensureRow(tx, &readMonth{Month: month, Budget: post.MonthlyReads}, "month = ?", month)
}
