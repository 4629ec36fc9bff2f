package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/platform/keyring"
)

// secret is an encrypted value. All values that may not be stored as plain text are in this table, so that
// one loop rotates every key.
type secret struct {
	ID         string
	KeyID      string
	Ciphertext string
	CreatedAt  time.Time
}

// UseKeys gives the store the ring that it seals with. Call it before the store is used.
func (s *DB) UseKeys(ring *keyring.Ring) { s.keys = ring }

// Keys is the ring, for digests made elsewhere.
func (s *DB) Keys() *keyring.Ring { return s.keys }

func secretPlace(id string) string { return "secrets/" + id }

// saveSecret encrypts a value as JSON into a row of its own, and returns the row's ID.
func (s *DB) saveSecret(tx *gorm.DB, value any) (id *string, err error) {
	if s.keys == nil {
		return nil, errNoKeys
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	row := secret{ID: xid.New().String(), CreatedAt: now()}
	row.Ciphertext = s.keys.Seal(string(text), secretPlace(row.ID))
	row.KeyID = keyring.IDOf(row.Ciphertext)
	return &row.ID, tx.Create(&row).Error
}

// readSecret decrypts a value. Without an ID it leaves the value unchanged.
func (s *DB) readSecret(tx *gorm.DB, id *string, value any) error {
	if id == nil {
		return nil
	}
	if s.keys == nil {
		return errNoKeys
	}
	var row secret
	if err := tx.Where("id = ?", *id).Take(&row).Error; err != nil {
		return asProblem(err, "secret")
	}
	text, err := s.keys.Open(row.Ciphertext, secretPlace(row.ID))
	if err != nil {
		return fmt.Errorf("secret %s, sealed with key %q: %w", row.ID, row.KeyID, err)
	}
	return json.Unmarshal([]byte(text), value)
}

// deleteSecret deletes a sealed value. What referred to it must have let go before.
func deleteSecret(tx *gorm.DB, id *string) error {
	if id == nil {
		return nil
	}
	return tx.Where("id = ?", *id).Delete(&secret{}).Error
}

// KeyUse says how many values a key seals.
type KeyUse struct {
	KeyID string
	N     int
}

// KeyUses lists the keys in use.
func (s *DB) KeyUses(ctx context.Context) ([]KeyUse, error) {
	var uses []KeyUse
	err := s.on(ctx).Model(&secret{}).Select("key_id, count(*) AS n").Group("key_id").Order("key_id").Scan(&uses).Error
	return uses, err
}

// CheckKeys says whether the ring opens what is stored: one value of each key is tried. A
// process that cannot read its secrets must not start.
func (s *DB) CheckKeys(ctx context.Context) error {
	if s.keys == nil {
		return errNoKeys
	}
	samples, err := s.sampleOfEachKey(ctx)
	if err != nil {
		return err
	}
	for _, sample := range samples {
		_, err := s.keys.Open(sample.Ciphertext, secretPlace(sample.ID))
		if err := keyTrouble(err, sample.KeyID, sample.N); err != nil {
			return err
		}
	}
	return nil
}

// sample is one of N values that a key seals.
type sample struct {
	ID, KeyID, Ciphertext string
	N                     int
}

// sampleOfEachKey uses one statement, because secrets are created and deleted concurrently.
func (s *DB) sampleOfEachKey(ctx context.Context) (samples []sample, err error) {
	err = s.on(ctx).Raw(`SELECT s.id, s.key_id, s.ciphertext, k.n FROM secrets s
		JOIN (SELECT min(id) AS id, count(*) AS n FROM secrets GROUP BY key_id) k ON k.id = s.id ORDER BY s.key_id`).Scan(&samples).Error
	return samples, err
}

// keyTrouble says which key is missing, or wrong, and what for.
func keyTrouble(err error, keyID string, secrets int) error {
	switch {
	case errors.Is(err, keyring.ErrUnknownKey):
		return fmt.Errorf("SECRET_KEYS lacks the key %q, which seals %d stored secrets; put it back", keyID, secrets)
	case err != nil:
		return fmt.Errorf("the key %q of SECRET_KEYS is not the one that sealed %d stored secrets; put the right one back", keyID, secrets)
	}
	return nil
}

const rotateAtOnce = 100

// RotateKeys seals everything anew that another key than the ring's first seals, a
// hundred values at a time, and says how many it was. Readers are not disturbed; it may be
// broken off and run again.
func (s *DB) RotateKeys(ctx context.Context) (int, error) {
	if s.keys == nil {
		return 0, errNoKeys
	}
	total := 0
	for {
		n, err := s.rotateSome(ctx)
		total += n
		if err != nil || n == 0 {
			return total, err
		}
	}
}

func (s *DB) rotateSome(ctx context.Context) (n int, err error) {
	err = s.inTx(ctx, func(tx *gorm.DB) error {
		var rows []secret
		old := tx.Clauses(forUpdate).Where("key_id <> ?", s.keys.Primary()).Order("id").Limit(rotateAtOnce)
		if err := old.Find(&rows).Error; err != nil {
			return err
		}
		for _, row := range rows {
			if err := s.reseal(tx, row); err != nil {
				return err
			}
		}
		n = len(rows)
		return nil
	})
	return n, err
}

func (s *DB) reseal(tx *gorm.DB, row secret) error {
	value, err := s.keys.Open(row.Ciphertext, secretPlace(row.ID))
	if err != nil {
		return fmt.Errorf("secret %s, sealed with key %q: %w", row.ID, row.KeyID, err)
	}
	row.Ciphertext = s.keys.Seal(value, secretPlace(row.ID))
	row.KeyID = keyring.IDOf(row.Ciphertext)
	return mustChange(tx.Model(&secret{}).Where("id = ?", row.ID).
		Updates(map[string]any{"key_id": row.KeyID, "ciphertext": row.Ciphertext}))
}
