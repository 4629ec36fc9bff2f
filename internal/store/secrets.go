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

// UseKeys sets the key ring that encrypts secrets. Call it before the store is used.
func (s *DB) UseKeys(ring *keyring.Ring) { s.keys = ring }

// Keys returns the key ring, for digests made elsewhere.
func (s *DB) Keys() *keyring.Ring { return s.keys }

func secretPlace(id string) string { return "secrets/" + id }

// saveSecret encrypts a value as JSON into a new row, and returns the row's ID.
func (s *DB) saveSecret(tx *gorm.DB, value any) (id *string, err error) {
	if s.keys == nil {
		return nil, errNoKeys
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	row := secret{ID: xid.New().String(), CreatedAt: now()}
	s.encrypt(&row, string(text))
	return &row.ID, tx.Create(&row).Error
}

// readSecret decrypts a value. If id is nil, it leaves the value unchanged.
func (s *DB) readSecret(tx *gorm.DB, id *string, value any) error {
	if id == nil {
		return nil
	}
	if s.keys == nil {
		return errNoKeys
	}
	row, err := byID[secret](tx, "secret", *id)
	if err != nil {
		return err
	}
	text, err := s.decrypt(row)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), value)
}

func (s *DB) decrypt(row secret) (string, error) {
	text, err := s.keys.Decrypt(row.Ciphertext, secretPlace(row.ID))
	if err != nil {
		return "", fmt.Errorf("decrypt secret %s with key %q: %w", row.ID, row.KeyID, err)
	}
	return text, nil
}

func (s *DB) encrypt(row *secret, text string) {
	row.Ciphertext = s.keys.Encrypt(text, secretPlace(row.ID))
	row.KeyID = keyring.IDOf(row.Ciphertext)
}

// createWithSecret encrypts a value and creates the row that refers to it.
func (s *DB) createWithSecret(tx *gorm.DB, row any, secretID **string, value any) (err error) {
	if *secretID, err = s.saveSecret(tx, value); err != nil {
		return err
	}
	return tx.Create(row).Error
}

// saveWithoutSecret saves a row that no longer refers to a secret, and deletes the secret.
func saveWithoutSecret(tx *gorm.DB, row any, secretID *string) error {
	if err := save(tx, row); err != nil || secretID == nil {
		return err
	}
	return tx.Where("id = ?", *secretID).Delete(&secret{}).Error
}

// EncryptedWith is a key that stored secrets need, with one of the secrets to test it.
type EncryptedWith struct {
	KeyID      string `json:"key"`
	Secrets    int    `json:"secrets"`
	ID         string `json:"id"`
	Ciphertext string `json:"ciphertext"`
}

// OpensWith returns an error if the ring lacks the key or has a different one with that ID.
func (k EncryptedWith) OpensWith(ring *keyring.Ring) error {
	_, err := ring.Decrypt(k.Ciphertext, secretPlace(k.ID))
	switch {
	case errors.Is(err, keyring.ErrUnknownKey):
		return fmt.Errorf("SECRET_KEYS is missing key %q, which encrypts %d stored secrets: add it back", k.KeyID, k.Secrets)
	case err != nil:
		return fmt.Errorf("key %q in SECRET_KEYS is not the one that encrypted %d stored secrets: restore the original key", k.KeyID, k.Secrets)
	}
	return nil
}

// KeyUses lists the keys that encrypt stored secrets.
func (s *DB) KeyUses(ctx context.Context) ([]EncryptedWith, error) { return keysInUse(s.on(ctx)) }

// keysInUse is one statement, because secrets are created and deleted concurrently.
func keysInUse(tx *gorm.DB) (keys []EncryptedWith, err error) {
	err = tx.Raw(`SELECT s.id, s.key_id, s.ciphertext, k.secrets FROM secrets s
		JOIN (SELECT min(id) AS id, count(*) AS secrets FROM secrets GROUP BY key_id) k ON k.id = s.id ORDER BY s.key_id`).Scan(&keys).Error
	return keys, err
}

// CheckKeys returns an error unless the ring can decrypt the stored secrets; it tries one per key. A
// process that cannot read its secrets must not start.
func (s *DB) CheckKeys(ctx context.Context) error {
	if s.keys == nil {
		return errNoKeys
	}
	keys, err := s.KeyUses(ctx)
	for _, key := range keys {
		if err == nil {
			err = key.OpensWith(s.keys)
		}
	}
	return err
}

const rotateAtOnce = 100

// RotateKeys re-encrypts the secrets that do not use the ring's first key, 100 at a time, and returns
// how many it changed. Reads continue; it can be interrupted and run again.
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
		rows, err := readAll[secret](tx.Clauses(forUpdate).Where("key_id <> ?", s.keys.Primary()).Order("id").Limit(rotateAtOnce))
		for _, row := range rows {
			text, err := s.decrypt(row)
			if err != nil {
				return err
			}
			s.encrypt(&row, text)
			if err := save(tx, &row); err != nil {
				return err
			}
		}
		n = len(rows)
		return err
	})
	return n, err
}
