package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/heal"
	cells "customerzero/internal/domain/target"
)

// TargetState returns the last known state of the chaos target.
func (s *Chaos) TargetState(ctx context.Context) (heal.TargetState, error) {
	return readOne[heal.TargetState](s.db.on(ctx).Where("id = ?", chaos.TargetKey))
}

// SaveTargetState stores an observation of the chaos target, unless a newer one is stored.
func (s *Chaos) SaveTargetState(ctx context.Context, seen heal.Observation) error {
	return s.changeTarget(ctx, func(c *heal.TargetState) {
		at := stamp(seen.At)
		if c.SeenAt != nil && c.SeenAt.After(at) {
			return
		}
		c.SeenAt, c.Failing, c.ProcessID, c.StartedAt = &at, seen.Failing, seen.Process, nil
		if seen.StartedAt != nil {
			started := stamp(*seen.StartedAt)
			c.StartedAt = &started
		}
	})
}

// SaveManifest stores the signed manifest of the chaos target.
func (s *Chaos) SaveManifest(ctx context.Context, signed cells.Signed) error {
	return s.changeTarget(ctx, func(c *heal.TargetState) {
		c.ManifestFiles, c.SignedNote, c.VerifierKey = signed.Files, signed.Note, signed.Verifier
	})
}

// SetChaosSwitch turns chaos testing on or off, and returns the switch before and after. A run request
// locks the same row, so no run starts once this has returned off.
func (s *Chaos) SetChaosSwitch(ctx context.Context, on bool, by, reason string, at time.Time) (was, is chaos.KillSwitch, err error) {
	err = s.changeTarget(ctx, func(c *heal.TargetState) {
		at := stamp(at)
		was = switchOf(*c)
		c.ChaosOn, c.SwitchedBy, c.SwitchReason, c.SwitchedAt = on, by, reason, &at
		is = switchOf(*c)
	})
	return was, is, err
}

func switchOf(c heal.TargetState) chaos.KillSwitch {
	return chaos.KillSwitch{On: c.ChaosOn, By: c.SwitchedBy, Reason: c.SwitchReason, At: c.SwitchedAt}
}

func (s *Chaos) changeTarget(ctx context.Context, alter func(*heal.TargetState)) error {
	_, err := changeRow(ctx, s.db, "chaos target", chaos.TargetKey, func(_ *gorm.DB, c *heal.TargetState) error {
		alter(c)
		return nil
	})
	return err
}

// BeginIncident opens an incident, or returns the open one. Safe to repeat.
func (s *Chaos) BeginIncident(ctx context.Context, i heal.Incident) (heal.Incident, error) {
	open := chaos.TargetKey
	i.OpenKey, i.Steps = &open, stamped(i.Steps)
	i.OpenedAt, i.UnhealthyAt = stamp(i.OpenedAt), stamp(i.UnhealthyAt)
	return resultOf(ctx, s.db, func(tx *gorm.DB) (heal.Incident, error) {
		begun := tx.Clauses(onceOnly).Create(&i)
		if begun.Error != nil || begun.RowsAffected > 0 {
			return i, begun.Error
		}
		known, err := readOne[heal.Incident](tx.Where("id = ? OR open_key = ?", i.ID, open).
			Order(clause.Expr{SQL: "id = ? DESC", Vars: []any{i.ID}}))
		return known, asProblem(err, "incident") // it may just have ended
	})
}

// NoteIncident adds failing checks and repair steps. Known steps are skipped.
func (s *Chaos) NoteIncident(ctx context.Context, id string, failing cells.Failing, steps []heal.Repair) error {
	return s.changeIncident(ctx, id, func(_ *gorm.DB, i *heal.Incident) error {
		i.Failing |= failing
		for _, step := range stamped(steps) {
			if !slices.ContainsFunc(i.Steps, func(m heal.Repair) bool { return m.Kind == step.Kind && m.At.Equal(step.At) }) {
				i.Steps = append(i.Steps, step)
			}
		}
		return nil
	})
}

// RaiseAlarm stores why the healer needs help, once, and notifies the founders.
func (s *Chaos) RaiseAlarm(ctx context.Context, id, alarm string, at time.Time) error {
	return s.changeIncident(ctx, id, func(tx *gorm.DB, i *heal.Incident) error {
		if i.Alarm != "" {
			return nil
		}
		at := stamp(at)
		i.Alarm, i.AlarmAt = alarm, &at
		return s.notifyAlarm(tx, i.ID, alarm, i.OpenedAt, at)
	})
}

// EndIncident ends an incident; the first end is kept.
func (s *Chaos) EndIncident(ctx context.Context, id string, at time.Time) error {
	return s.changeIncident(ctx, id, func(_ *gorm.DB, i *heal.Incident) error {
		if i.EndedAt == nil {
			at := stamp(at)
			i.OpenKey, i.EndedAt = nil, &at
		}
		return nil
	})
}

func (s *Chaos) changeIncident(ctx context.Context, id string, alter func(*gorm.DB, *heal.Incident) error) error {
	_, err := changeRow(ctx, s.db, "incident", id, alter)
	return err
}

// stamped returns the steps, never nil, with times as the database stores them.
func stamped(steps []heal.Repair) []heal.Repair {
	steps = append([]heal.Repair{}, steps...)
	for i := range steps {
		steps[i].At = stamp(steps[i].At)
	}
	return steps
}

// Incidents lists incidents, the newest first, with their total.
func (s *Chaos) Incidents(ctx context.Context, limit, offset int) ([]heal.Incident, int, error) {
	return readPage[heal.Incident](s.db.on(ctx), "opened_at DESC, id DESC", limit, offset)
}

// OpenIncident returns the open incident, or nil.
func (s *Chaos) OpenIncident(ctx context.Context) (*heal.Incident, error) {
	return openIncident(s.db.on(ctx))
}

func openIncident(tx *gorm.DB) (*heal.Incident, error) {
	return readFirst[heal.Incident](tx.Where("open_key = ?", chaos.TargetKey))
}

// IncidentDuring returns the first incident that was open between two times, or nil.
func (s *Chaos) IncidentDuring(ctx context.Context, from, to time.Time) (*heal.Incident, error) {
	return incidentDuring(s.db.on(ctx), from, to)
}

func incidentDuring(tx *gorm.DB, from, to time.Time) (*heal.Incident, error) {
	return firstDuring[heal.Incident](tx, "incidents", "opened_at", from, to)
}

// notifyAlarm notifies the founders, once per incident or run, that the chaos target needs help.
func (s *Chaos) notifyAlarm(tx *gorm.DB, about, alarm string, since, at time.Time) error {
	founders, err := s.db.Emails.founders(tx)
	if err != nil {
		return err
	}
	return s.db.Emails.notify(tx, founders, email.TargetAlarm, "alarm:"+about, map[string]string{
		"Alarm": alarm, "Since": since.UTC().Format("2 January 2006 15:04:05 UTC"),
	}, at)
}
