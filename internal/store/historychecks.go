package store

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/chaos"
)

// SaveHistoryCheck keeps the last check of a history.
func (s *Chaos) SaveHistoryCheck(ctx context.Context, c chaos.HistoryCheck) error {
	c.CheckedAt = stamp(c.CheckedAt)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&c).Error
	})
}

// HistoryCheck is the last check of a history; nil: it was never checked.
func (s *Chaos) HistoryCheck(ctx context.Context, workflowID, runID string) (*chaos.HistoryCheck, error) {
	return readFirst[chaos.HistoryCheck](s.db.on(ctx).Where("workflow_id = ? AND run_id = ?", workflowID, runID))
}
