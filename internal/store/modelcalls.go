package store

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/model"
)

// ModelCalls stores calls of models.
type ModelCalls struct{ db *DB }

// SaveCall keeps what a model was asked and answered.
func (s *ModelCalls) SaveCall(ctx context.Context, c model.Call) error {
	c.CreatedAt = stamp(c.CreatedAt)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&c).Error
	})
}

// Call finds a call of a model.
func (s *ModelCalls) Call(ctx context.Context, id string) (model.Call, error) {
	c, err := readOne[model.Call](s.db.on(ctx).Where("id = ?", id))
	return c, asProblem(err, "call")
}
