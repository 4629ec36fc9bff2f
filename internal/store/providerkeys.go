package store

import (
	"context"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/problem"
)

// ProviderKeys are the app's keys as they are used now; nil when there are none.
func (s *Bot) ProviderKeys(ctx context.Context) (*bot.ProviderKeys, error) {
	return s.oneKeys(s.db.on(ctx), "id = (SELECT provider_key_id FROM bot WHERE id = 1)")
}

// PreviousKeys are those that can be rolled back to; nil when there are none.
func (s *Bot) PreviousKeys(ctx context.Context) (*bot.ProviderKeys, error) {
	return s.oneKeys(s.db.on(ctx), "state = ?", bot.KeysPrevious)
}

func (s *Bot) oneKeys(tx *gorm.DB, where string, args ...any) (*bot.ProviderKeys, error) {
	return readFirst[bot.ProviderKeys](tx.Where(where, args...).Order("created_at DESC, id DESC"))
}

// KeysByID finds an app's keys.
func (s *Bot) KeysByID(ctx context.Context, id string) (bot.ProviderKeys, error) {
	k, err := readOne[bot.ProviderKeys](s.db.on(ctx).Where("id = ?", id))
	return k, asProblem(err, "key")
}

// KeysOf opens an app's keys.
func (s *Bot) KeysOf(ctx context.Context, id string) (bot.ProviderKeys, bot.Keys, error) {
	var keys bot.Keys
	var row bot.ProviderKeys
	tx := s.db.on(ctx)
	if err := tx.Where("id = ?", id).Take(&row).Error; err != nil {
		return row, keys, asProblem(err, "key")
	}
	err := s.db.readSecret(tx, row.SecretID, &keys)
	return row, keys, err
}

// ProposeKeys keeps an app's keys, sealed, until the diagnostic has tried them.
func (s *Bot) ProposeKeys(ctx context.Context, keys bot.Keys, accountID *string, at time.Time) (bot.ProviderKeys, error) {
	row := newKeys(keys, bot.KeysCandidate, accountID, at)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error { return s.keepKeys(tx, &row, keys) })
	return row, err
}

func newKeys(keys bot.Keys, state bot.KeyState, accountID *string, at time.Time) bot.ProviderKeys {
	return bot.ProviderKeys{
		ID: xid.New().String(), State: state, AccountID: accountID, CreatedAt: stamp(at),
		Fingerprint: bot.Fingerprint(keys.ConsumerKey, keys.ConsumerSecret),
	}
}

func (s *Bot) keepKeys(tx *gorm.DB, row *bot.ProviderKeys, keys bot.Keys) error {
	secretID, err := s.db.saveSecret(tx, keys)
	if err != nil {
		return err
	}
	row.SecretID = secretID
	return tx.Create(row).Error
}

// ReplaceKeys makes a candidate the keys in use. Those before it are kept for a day, in
// place of any that were kept already.
func (s *Bot) ReplaceKeys(ctx context.Context, id, runID string, at time.Time) (bot.ProviderKeys, error) {
	return s.changeKeys(ctx, id, func(tx *gorm.DB, k *bot.ProviderKeys) error {
		if k.State != bot.KeysCandidate {
			return nil
		}
		k.RunID = runID
		return s.swapKeys(tx, k, at)
	})
}

// RollBackKeys makes the previous keys the ones in use again, and the ones in use the
// previous ones.
func (s *Bot) RollBackKeys(ctx context.Context, at time.Time) (bot.ProviderKeys, error) {
	previous, err := s.PreviousKeys(ctx)
	if err != nil {
		return bot.ProviderKeys{}, err
	}
	if previous == nil || !previous.EndsAt.After(at) {
		return bot.ProviderKeys{}, problem.New(problem.Conflict, "No earlier keys are kept: they are dropped after a day.")
	}
	return s.changeKeys(ctx, previous.ID, func(tx *gorm.DB, k *bot.ProviderKeys) error {
		if k.State != bot.KeysPrevious {
			return problem.New(problem.Conflict, "Somebody else changed the keys meanwhile. Look again.")
		}
		return s.swapKeys(tx, k, at)
	})
}

func (s *Bot) swapKeys(tx *gorm.DB, next *bot.ProviderKeys, at time.Time) error {
	kept, err := s.oneKeys(tx, "state = ? AND id <> ?", bot.KeysPrevious, next.ID)
	if err != nil {
		return err
	}
	if kept != nil {
		if err := s.dropKeys(tx, kept, bot.KeysDropped); err != nil {
			return err
		}
	}
	current, err := s.oneKeys(tx, "state = ?", bot.KeysCurrent)
	if err != nil {
		return err
	}
	if current != nil {
		until := stamp(at.Add(bot.KeepPrevious))
		current.State, current.EndsAt = bot.KeysPrevious, &until
		if err := mustChange(tx.Select("*").Updates(current)); err != nil {
			return err
		}
	}
	next.State, next.EndsAt = bot.KeysCurrent, nil
	return tx.Model(&botRow{}).Where("id = ?", theBot).Update("provider_key_id", next.ID).Error
}

// RefuseKeys ends a candidate that the diagnostic did not pass.
func (s *Bot) RefuseKeys(ctx context.Context, id, code, reason, runID string) (bot.ProviderKeys, error) {
	return s.changeKeys(ctx, id, func(tx *gorm.DB, k *bot.ProviderKeys) error {
		if k.State != bot.KeysCandidate {
			return nil
		}
		k.Code, k.Reason, k.RunID = code, reason, runID
		return s.dropKeys(tx, k, bot.KeysRefused)
	})
}

// DropKeys forgets previous keys whose day is over.
func (s *Bot) DropKeys(ctx context.Context, at time.Time) error {
	kept, err := s.PreviousKeys(ctx)
	if err != nil || kept == nil {
		return err
	}
	_, err = s.changeKeys(ctx, kept.ID, func(tx *gorm.DB, k *bot.ProviderKeys) error {
		if k.State != bot.KeysPrevious || k.EndsAt.After(at) {
			return nil
		}
		return s.dropKeys(tx, k, bot.KeysDropped)
	})
	return err
}

func (s *Bot) dropKeys(tx *gorm.DB, k *bot.ProviderKeys, state bot.KeyState) error {
	secretID := k.SecretID
	k.State, k.SecretID = state, nil
	if err := mustChange(tx.Select("*").Updates(k)); err != nil {
		return err
	}
	return deleteSecret(tx, secretID)
}

func (s *Bot) changeKeys(
	ctx context.Context, id string, alter func(*gorm.DB, *bot.ProviderKeys) error,
) (bot.ProviderKeys, error) {
	var row bot.ProviderKeys
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if _, err := lockBot(tx); err != nil {
			return err
		}
		if err := tx.Where("id = ?", id).Take(&row).Error; err != nil {
			return asProblem(err, "key")
		}
		if err := alter(tx, &row); err != nil {
			return err
		}
		return mustChange(tx.Select("*").Updates(&row))
	})
	return row, err
}

// SeedKeys takes the configuration's keys up, unless they were in use before, or a person
// has set others.
func (s *Bot) SeedKeys(ctx context.Context, keys bot.Keys, at time.Time) error {
	row := newKeys(keys, bot.KeysCandidate, nil, at)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if _, err := lockBot(tx); err != nil {
			return err
		}
		seen, err := s.everUsed(tx, &bot.ProviderKeys{}, row.Fingerprint)
		if err != nil || seen {
			return err
		}
		current, err := s.oneKeys(tx, "state = ?", bot.KeysCurrent)
		if err != nil || current != nil && current.AccountID != nil {
			return err
		}
		if err := s.keepKeys(tx, &row, keys); err != nil {
			return err
		}
		if err := s.swapKeys(tx, &row, at); err != nil {
			return err
		}
		return mustChange(tx.Select("*").Updates(&row))
	})
}
