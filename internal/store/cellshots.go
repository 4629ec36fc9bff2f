package store

import (
	"cmp"
	"context"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/verification"
)

// SaveCellShot keeps a picture of the cell; the first of a moment stays.
func (s *Verifications) SaveCellShot(ctx context.Context, shot verification.CellShot) error {
	shot.TakenAt = stamp(shot.TakenAt)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&shot).Error
	})
}

var moments = []verification.Moment{verification.Before, verification.During, verification.Healed}

// CellShots are the pictures of a chaos run, in the order of their moments.
func (s *Verifications) CellShots(ctx context.Context, chaosID string) ([]verification.CellShot, error) {
	shots, err := readAll[verification.CellShot](s.db.on(ctx).Where("chaos_id = ?", chaosID))
	slices.SortFunc(shots, func(a, b verification.CellShot) int {
		return cmp.Compare(slices.Index(moments, a.Moment), slices.Index(moments, b.Moment))
	})
	return shots, err
}

const agreements = `SELECT said_by AS "by",
  count(*) FILTER (WHERE steady AND opinion <> 'unclear') AS compared,
  count(*) FILTER (WHERE steady AND opinion = CASE failing WHEN 0 THEN 'well' ELSE 'broken' END) AS agreed,
  count(*) FILTER (WHERE steady AND opinion = 'broken' AND failing = 0) AS false_alarms,
  count(*) FILTER (WHERE steady AND opinion = 'well' AND failing <> 0) AS overlooked,
  count(*) FILTER (WHERE opinion = 'unclear') AS unclear
FROM chaos_shots WHERE picture <> '' GROUP BY said_by ORDER BY said_by`

// Agreements counts how often comments were right, by who made them. Where there is no picture
// there was nothing to comment on.
func (s *Verifications) Agreements(ctx context.Context) (found []verification.Agreement, err error) {
	err = s.db.on(ctx).Raw(agreements).Scan(&found).Error
	return found, err
}
