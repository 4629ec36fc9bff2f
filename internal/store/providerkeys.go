package store

import (
	"context"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/problem"
)

// ProviderKeys returns the app's current keys, or nil.
func (s *Bot) ProviderKeys(ctx context.Context) (*bot.ProviderKeys, error) {
	return s.oneKeys(s.db.on(ctx), "id = (SELECT provider_key_id FROM bot WHERE id = 1)")
}

// PreviousKeys returns the keys that can be rolled back to, or nil.
func (s *Bot) PreviousKeys(ctx context.Context) (*bot.ProviderKeys, error) {
	return s.oneKeys(s.db.on(ctx), "state = ?", bot.KeysPrevious)
}

func (s *Bot) oneKeys(tx *gorm.DB, where string, args ...any) (*bot.ProviderKeys, error) {
	return readFirst[bot.ProviderKeys](tx.Where(where, args...).Order("created_at DESC, id DESC"))
}

// OpenKeys lists the keys from before a time that are still being tested.
func (s *Bot) OpenKeys(ctx context.Context, before time.Time) ([]bot.ProviderKeys, error) {
	return readAll[bot.ProviderKeys](s.db.on(ctx).Where("state = ? AND created_at <= ?", bot.KeysCandidate, stamp(before)).Order("created_at, id"))
}

// KeysByID returns a row of keys without the keys themselves.
func (s *Bot) KeysByID(ctx context.Context, id string) (bot.ProviderKeys, error) {
	return byID[bot.ProviderKeys](s.db.on(ctx), "key", id)
}

// KeysOf returns and decrypts an app's keys.
func (s *Bot) KeysOf(ctx context.Context, id string) (bot.ProviderKeys, bot.Keys, error) {
	var keys bot.Keys
	row, err := s.KeysByID(ctx, id)
	if err == nil {
		err = s.db.readSecret(s.db.on(ctx), row.SecretID, &keys)
	}
	return row, keys, err
}

// ProposeKeys stores an app's keys, encrypted, until the diagnostic has tried them.
func (s *Bot) ProposeKeys(ctx context.Context, keys bot.Keys, accountID *string, at time.Time) (bot.ProviderKeys, error) {
	row := newKeys(keys, accountID, at)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error { return s.db.createWithSecret(tx, &row, &row.SecretID, keys) })
	return row, err
}

func newKeys(keys bot.Keys, accountID *string, at time.Time) bot.ProviderKeys {
	return bot.ProviderKeys{
		ID: xid.New().String(), State: bot.KeysCandidate, AccountID: accountID, CreatedAt: stamp(at),
		Fingerprint: bot.Fingerprint(keys.ConsumerKey, keys.ConsumerSecret),
	}
}

// ReplaceKeys makes a candidate the current keys. The replaced ones are kept for a day, in place of any
// kept before.
func (s *Bot) ReplaceKeys(ctx context.Context, id, runID string, at time.Time) (bot.ProviderKeys, error) {
	return changeWithBot(ctx, s.db, "key", id, func(tx *gorm.DB, k *bot.ProviderKeys) error {
		if k.State != bot.KeysCandidate {
			return nil
		}
		k.RunID = runID
		return s.swapKeys(tx, k, at)
	})
}

// RollBackKeys swaps the previous and the current keys.
func (s *Bot) RollBackKeys(ctx context.Context, at time.Time) (bot.ProviderKeys, error) {
	previous, err := s.PreviousKeys(ctx)
	if err != nil {
		return bot.ProviderKeys{}, err
	}
	if previous == nil || !previous.EndsAt.After(at) {
		return bot.ProviderKeys{}, problem.New(problem.Conflict, "There are no previous keys to roll back to. They are deleted after a day; set new keys instead.")
	}
	return changeWithBot(ctx, s.db, "key", previous.ID, func(tx *gorm.DB, k *bot.ProviderKeys) error {
		if k.State != bot.KeysPrevious {
			return problem.New(problem.Conflict, "Someone else has changed the keys. Reload the page and try again.")
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
		if err := dropKeys(tx, kept, bot.KeysDiscarded); err != nil {
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
		if err := save(tx, current); err != nil {
			return err
		}
	}
	next.State, next.EndsAt = bot.KeysCurrent, nil
	return tx.Model(&botRow{ID: theBot}).Update("provider_key_id", next.ID).Error
}

// RefuseKeys ends a candidate that failed the diagnostic.
func (s *Bot) RefuseKeys(ctx context.Context, id, code, reason, runID string) (bot.ProviderKeys, error) {
	return changeWithBot(ctx, s.db, "key", id, func(tx *gorm.DB, k *bot.ProviderKeys) error {
		if k.State != bot.KeysCandidate {
			return nil
		}
		k.Code, k.Reason, k.RunID = code, reason, runID
		return dropKeys(tx, k, bot.KeysRefused)
	})
}

// DropKeys deletes previous keys after a day.
func (s *Bot) DropKeys(ctx context.Context, at time.Time) error {
	kept, err := s.PreviousKeys(ctx)
	if err != nil || kept == nil {
		return err
	}
	_, err = changeWithBot(ctx, s.db, "key", kept.ID, func(tx *gorm.DB, k *bot.ProviderKeys) error {
		if k.State != bot.KeysPrevious || k.EndsAt.After(at) {
			return nil
		}
		return dropKeys(tx, k, bot.KeysDiscarded)
	})
	return err
}

func dropKeys(tx *gorm.DB, k *bot.ProviderKeys, state bot.KeyState) error {
	secretID := k.SecretID
	k.State, k.SecretID = state, nil
	return saveWithoutSecret(tx, k, secretID)
}

// SeedKeys stores the configuration's keys, unless they were used before or a founder has set others.
func (s *Bot) SeedKeys(ctx context.Context, keys bot.Keys, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		row := newKeys(keys, nil, at) // created inside, because a retry needs a fresh candidate
		if _, err := lockBot(tx); err != nil {
			return err
		}
		seen, err := everUsed[bot.ProviderKeys](tx, row.Fingerprint)
		if err != nil || seen {
			return err
		}
		current, err := s.oneKeys(tx, "state = ?", bot.KeysCurrent)
		if err != nil || current != nil && current.AccountID != nil {
			return err
		}
		if err := s.db.createWithSecret(tx, &row, &row.SecretID, keys); err != nil {
			return err
		}
		if err := s.swapKeys(tx, &row, at); err != nil {
			return err
		}
		return save(tx, &row)
	})
}
