package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/pricing"
)

// Visitors stores what visitors did who let us count them.
type Visitors struct{ db *DB }

// NoteVisit counts an event of a visitor, and creates the visitor at the first one.
func (s *Visitors) NoteVisit(ctx context.Context, id string, e pricing.VisitEvent, at time.Time) (pricing.Visitor, error) {
	at = stamp(at)
	var v pricing.Visitor
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		fresh := pricing.FirstVisit(id, at)
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
			return err
		}
		if err := tx.Clauses(forUpdate).Where("id = ?", id).Take(&v).Error; err != nil {
			return err
		}
		v.Note(e, at)
		return mustChange(tx.Select("*").Updates(&v))
	})
	return v, err
}

// Visitor finds a visitor; nil: none.
func (s *Visitors) Visitor(ctx context.Context, id string) (*pricing.Visitor, error) {
	v, err := readOne[pricing.Visitor](s.db.on(ctx).Where("id = ?", id))
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil //nolint:nilnil // not being counted is an ordinary answer
	}
	return &v, err
}

// ForgetVisitor deletes a visitor, and removes them from their prices.
func (s *Visitors) ForgetVisitor(ctx context.Context, id string) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error { return forgetVisitor(tx, id) })
}

func forgetVisitor(tx *gorm.DB, id string) error {
	if err := tx.Model(&pricing.Decision{}).Where("visitor = ?", id).Updates(nobodys).Error; err != nil {
		return err
	}
	return tx.Where("id = ?", id).Delete(&pricing.Visitor{}).Error
}

// nobodys is a price that nobody can be found by.
var nobodys = map[string]any{"visitor": nil, "open_key": nil}
