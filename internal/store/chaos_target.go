package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	cells "customerzero/internal/domain/target"
)

// TargetState is the chaos target as it was last seen.
func (s *Chaos) TargetState(ctx context.Context) (heal.TargetState, error) {
	return readOne[heal.TargetState](s.db.on(ctx).Where("id = ?", chaos.TargetKey))
}

// SaveTargetState notes what was just seen of the chaos target. What is older than what is known stays unsaid.
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

// SaveManifest keeps the signed manifest of the chaos target.
func (s *Chaos) SaveManifest(ctx context.Context, signed cells.Signed) error {
	return s.changeTarget(ctx, func(c *heal.TargetState) {
		c.ManifestFiles, c.SignedNote, c.VerifierKey = signed.Files, signed.Note, signed.Verifier
	})
}

// SetChaosSwitch turns chaos on or off, and says how it was and is. Asking for a run locks the
// same row: once this has answered, none begins that it forbids.
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
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		c, err := lockTarget(tx)
		if err != nil {
			return err
		}
		alter(&c)
		return mustChange(tx.Select("*").Updates(&c))
	})
}

func lockTarget(tx *gorm.DB) (heal.TargetState, error) {
	return readOne[heal.TargetState](tx.Clauses(forUpdate).Where("id = ?", chaos.TargetKey))
}
