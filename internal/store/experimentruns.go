package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/experiment"
)

// BeginExperiment notes the run that carries an experiment. One that is not under way stays as
// it is. Safe to repeat.
func (s *Experiments) BeginExperiment(ctx context.Context, id, workflowID, runID string) (experiment.Experiment, error) {
	return s.whileRunning(ctx, id, func(e *experiment.Experiment) {
		e.WorkflowID, e.RunID = workflowID, runID
	})
}

// SettleExperiment sets the verdict of an experiment by what was read at its date, and completes
// it. The first end stays. Safe to repeat.
func (s *Experiments) SettleExperiment(ctx context.Context, id string, r experiment.Reading, at time.Time) (experiment.Experiment, error) {
	return s.whileRunning(ctx, id, func(e *experiment.Experiment) {
		*e = e.Settled(r, stamp(at))
	})
}

// whileRunning locks an experiment, and alters and saves it if it is under way.
func (s *Experiments) whileRunning(ctx context.Context, id string, alter func(*experiment.Experiment)) (e experiment.Experiment, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		if e, err = lockExperiment(tx, id); err != nil || !e.Status.Runs() {
			return err
		}
		alter(&e)
		return saveExperiment(tx, &e)
	})
	return e, err
}

// OpenExperiments are those that a run carries, or should: under way, or ended before their votes
// were counted. One that was declined before it began has none.
func (s *Experiments) OpenExperiments(ctx context.Context) ([]experiment.Experiment, error) {
	return readAll[experiment.Experiment](s.db.on(ctx).
		Where("started_at IS NOT NULL AND votes_closed_at IS NULL").Order("started_at, id"))
}
