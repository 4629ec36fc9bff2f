package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
)

// Chaos stores chaos runs and their probes, the chaos target as last seen, and its incidents.
type Chaos struct{ db *DB }

// RequestChaos stores a run if one may begin now. It counts against the visitor's limit unless visitor is
// empty. A refusal uses nothing up.
func (s *Chaos) RequestChaos(ctx context.Context, r chaos.Run, visitor string) error {
	open := chaos.TargetKey
	r.Stage, r.OpenKey, r.RequestedAt = chaos.Requested, &open, stamp(r.RequestedAt)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := checkQuiet(tx); err != nil {
			return err
		}
		if visitor != "" {
			if err := consume(tx, chaos.PerVisitor, visitor, r.RequestedAt); err != nil {
				return err
			}
		}
		if r.RequestedBy != chaos.Schedule {
			if err := consume(tx, chaos.Overall, "everybody", r.RequestedAt); err != nil {
				return err
			}
		}
		return tx.Create(&r).Error
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return errRunning()
	}
	return err
}

// checkQuiet says whether the chaos target may be broken. Those who ask at once wait here for one
// another.
func checkQuiet(tx *gorm.DB) error {
	c, err := lockTarget(tx)
	if err != nil {
		return err
	}
	if !c.ChaosOn {
		return problem.New(problem.ChaosOff, "The founders have switched chaos off.%s", sentence(" They say: ", c.SwitchReason))
	}
	incident, err := openIncident(tx)
	if err != nil {
		return err
	}
	if incident != nil {
		return problem.New(problem.IncidentOpen, "The cell is sick already, and being healed. Try again when it is well.")
	}
	running, err := openChaos(tx)
	if err == nil && running != nil {
		err = errRunning()
	}
	return err
}

func errRunning() error {
	return problem.New(problem.ChaosRunning, "A chaos run is under way. Look at it, and start yours when it has ended.")
}

func sentence(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// BeginChaos notes the workflow run that carries a run. Safe to repeat.
func (s *Chaos) BeginChaos(ctx context.Context, id, workflowID, runID string) (chaos.Run, error) {
	return s.changeChaos(ctx, id, func(r *chaos.Run) error {
		r.WorkflowID, r.RunID = workflowID, runID
		if r.Stage == chaos.Requested {
			r.Stage = chaos.Checking
		}
		return nil
	})
}

// LeaseChaos notes until when the fault may stay, before it is there. Safe to repeat.
func (s *Chaos) LeaseChaos(ctx context.Context, id string, until time.Time) error {
	_, err := s.changeChaos(ctx, id, func(r *chaos.Run) error {
		if r.Stage != chaos.Watching {
			until := stamp(until)
			r.Stage, r.LeaseUntil = chaos.Breaking, &until
		}
		return nil
	})
	return err
}

// InjectedChaos notes that the fault is there, in whole milliseconds, as probes are kept.
// Safe to repeat: the first time stays.
func (s *Chaos) InjectedChaos(ctx context.Context, id string, at, until time.Time) error {
	_, err := s.changeChaos(ctx, id, func(r *chaos.Run) error {
		if r.InjectedAt == nil {
			at, until := at.UTC().Truncate(time.Millisecond), stamp(until)
			r.Stage, r.InjectedAt, r.LeaseUntil = chaos.Watching, &at, &until
		}
		return nil
	})
	return err
}

// EndChaos ends a run; the first end stays. Founders are written to about one that failed.
func (s *Chaos) EndChaos(ctx context.Context, id string, o chaos.Outcome, at time.Time) (chaos.Run, error) {
	var r chaos.Run
	err := s.db.inTx(ctx, func(tx *gorm.DB) (err error) {
		if r, err = lockChaos(tx, id); err != nil || r.Stage == chaos.Ended {
			return err
		}
		at := stamp(at)
		r.Stage, r.OpenKey, r.EndedAt = chaos.Ended, nil, &at
		r.Verdict, r.Reason, r.Restored, r.DetectMS, r.HealMS = o.Verdict, o.Reason, o.Restored, o.DetectMS, o.HealMS
		if err := mustChange(tx.Select("*").Updates(&r)); err != nil || r.Verdict != chaos.Failed {
			return err
		}
		return s.notifyFailed(tx, r, at)
	})
	return r, err
}

// notifyFailed writes to the founders about a run that was not healed.
func (s *Chaos) notifyFailed(tx *gorm.DB, r chaos.Run, at time.Time) error {
	began := r.RequestedAt
	if r.InjectedAt != nil {
		began = *r.InjectedAt
	}
	incident, err := incidentDuring(tx, began, at)
	if err != nil {
		return err
	}
	about, tried := r.ID, heal.Summary(nil)
	if incident != nil {
		about, tried = incident.ID, heal.Summary(incident.Steps)
	}
	return s.notifyAlarm(tx, about, "The chaos run "+r.Fault+" was not healed. "+r.Reason+" "+tried, began, at)
}

// changeChaos locks a run that has not ended, alters it and saves it, in one transaction.
func (s *Chaos) changeChaos(ctx context.Context, id string, alter func(*chaos.Run) error) (chaos.Run, error) {
	var r chaos.Run
	err := s.db.inTx(ctx, func(tx *gorm.DB) (err error) {
		if r, err = lockChaos(tx, id); err != nil {
			return err
		}
		if r.Stage == chaos.Ended {
			return problem.New(problem.Conflict, "This chaos run has ended.")
		}
		if err := alter(&r); err != nil {
			return err
		}
		return mustChange(tx.Select("*").Updates(&r))
	})
	return r, err
}

func lockChaos(tx *gorm.DB, id string) (chaos.Run, error) {
	r, err := readOne[chaos.Run](tx.Clauses(forUpdate).Where("id = ?", id))
	return r, asProblem(err, "chaos run")
}

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
