package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"customerzero/internal/platform/keyring"
)

// Snapshot is one moment of the database, for a backup. It excludes later writes, and blocks none of
// them.
type Snapshot struct {
	ctx     context.Context // it is the transaction's, and ends with it
	tx      *sql.Tx
	dialect string

	Version int64 // of the schema
	Tables  []Table
}

// Dialect is which database it is: postgres or sqlite.
func (s *Snapshot) Dialect() string { return s.dialect }

// Snapshot shows one moment of the database, in a transaction that only reads.
func (s *DB) Snapshot(ctx context.Context, use func(*Snapshot) error) error {
	pool, err := s.gorm.DB()
	if err != nil {
		return err
	}
	options := &sql.TxOptions{ReadOnly: true} // SQLite begins without the writers' lock then
	if s.dialect == "postgres" {
		options.Isolation = sql.LevelRepeatableRead
	}
	tx, err := pool.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	moment := &Snapshot{ctx: ctx, tx: tx, dialect: s.dialect}
	if moment.Version, err = versionOf(ctx, tx, s.dialect); err != nil {
		return err
	}
	own, err := s.schemaVersion()
	if err != nil {
		return err
	}
	switch moment.Version {
	case own:
	case 0:
		return errors.New("the database holds nothing of ours yet")
	default:
		return fmt.Errorf("the schema of the database is %d, and this program's is %d: back it up with the program that it belongs to", moment.Version, own)
	}
	if moment.Tables, err = tablesOf(ctx, tx, s.dialect); err != nil {
		return err
	}
	return use(moment)
}

// Images are those that the rows name, with those of the newest so many chaos runs. It is as
// PicturesInUse says.
func (s *Snapshot) Images(chaosRuns int) ([]string, error) {
	query := "SELECT image_hash FROM (" + imagesInUse + ") AS named WHERE image_hash <> '' ORDER BY image_hash"
	rows, err := s.tx.QueryContext(s.ctx, placed(s.dialect, query), chaosRuns)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var keys []string
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// EncryptedWith is a key that stored secrets need, with one of them to try it on.
type EncryptedWith struct {
	KeyID      string `json:"key"`
	Secrets    int    `json:"secrets"`
	ID         string `json:"id"`
	Ciphertext string `json:"ciphertext"`
}

// Keys lists the keys without which the snapshot's secrets stay closed.
func (s *Snapshot) Keys() ([]EncryptedWith, error) {
	rows, err := s.tx.QueryContext(s.ctx, `SELECT u.key_id, u.n, s.id, s.ciphertext FROM secrets s
JOIN (SELECT key_id, count(*) AS n, min(id) AS id FROM secrets GROUP BY key_id) u ON u.id = s.id ORDER BY u.key_id`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var keys []EncryptedWith
	for rows.Next() {
		var key EncryptedWith
		if err := rows.Scan(&key.KeyID, &key.Secrets, &key.ID, &key.Ciphertext); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// OpensWith says whether the ring opens what the key sealed.
func (k EncryptedWith) OpensWith(ring *keyring.Ring) error {
	_, err := ring.Open(k.Ciphertext, secretPlace(k.ID))
	return keyTrouble(err, k.KeyID, k.Secrets)
}
