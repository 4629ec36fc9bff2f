package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/experiment"
)

// Notes are an experiment's, the newest day first.
func (s *Experiments) Notes(ctx context.Context, id string) ([]experiment.Note, error) {
	return readAll[experiment.Note](s.db.on(ctx).Where("experiment_id = ?", id).Order("date DESC"))
}

// WriteNote creates a day's note if version is 0, and otherwise replaces the note of that version.
func (s *Experiments) WriteNote(ctx context.Context, n experiment.Note, version int, at time.Time) (experiment.Note, error) {
	n, err := n.Clean(at)
	if err != nil {
		return n, err
	}
	n.Version, n.UpdatedAt = version+1, stamp(at)
	return n, s.changeNote(ctx, n.ExperimentID, n.Date, version, at, func(tx *gorm.DB) error {
		if version == 0 {
			return tx.Create(&n).Error
		}
		return mustChange(noteOf(tx, n.ExperimentID, n.Date).Select("*").UpdateColumns(&n))
	})
}

// DeleteNote deletes a day's note of that version.
func (s *Experiments) DeleteNote(ctx context.Context, id, date string, version int, at time.Time) error {
	return s.changeNote(ctx, id, date, version, at, func(tx *gorm.DB) error {
		return mustChange(noteOf(tx, id, date).Delete(&experiment.Note{}))
	})
}

func noteOf(tx *gorm.DB, id, date string) *gorm.DB {
	return tx.Model(&experiment.Note{}).Where("experiment_id = ? AND date = ?", id, date)
}

// changeNote changes a note that is as its changer has read it. The experiment's row is the lock
// of those who write at once, and says when something was written last.
func (s *Experiments) changeNote(ctx context.Context, id, date string, version int, at time.Time, change func(tx *gorm.DB) error) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		e, err := lockExperiment(tx, id)
		if err != nil {
			return err
		}
		note, err := readFirst[experiment.Note](noteOf(tx, id, date))
		if err != nil {
			return err
		}
		is := 0
		if note != nil {
			is = note.Version
		}
		if err := experiment.CheckVersion(version, is); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		e.UpdatedAt = stamp(at)
		return saveExperiment(tx, &e)
	})
}
