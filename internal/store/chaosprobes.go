package store

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/chaos"
)

// SaveProbes keeps a stretch of a run's probes. Saved again, the later one stays.
func (s *Chaos) SaveProbes(ctx context.Context, p chaos.Part) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "run_id"}, {Name: "part"}},
			DoUpdates: clause.AssignmentColumns([]string{"data"}),
		}).Create(&p).Error
	})
}

// ChaosParts lists the stretches of a run's probes, in order.
func (s *Chaos) ChaosParts(ctx context.Context, id string) ([]chaos.Part, error) {
	return readAll[chaos.Part](s.db.on(ctx).Where("run_id = ?", id).Order("part"))
}
