package store

import (
	"context"
	"errors"
)

// maxIdle is how many connections are kept for the next caller.
const maxIdle = 8

// Renew closes the connections that are idle, and opens one. A connection to an SQLite file
// remembers pages that may be damaged on disk by now; a new one reads them.
func (s *DB) Renew(ctx context.Context) error {
	pool, err := s.gorm.DB()
	if err != nil {
		return err
	}
	pool.SetMaxIdleConns(0)
	pool.SetMaxIdleConns(maxIdle)
	return s.Ping(ctx)
}

var errInUse = errors.New("the database is in use: what was written is not in its file yet")

// Settle moves what was written from SQLite's log into the file itself. It fails while somebody
// reads what is older.
func (s *DB) Settle(ctx context.Context) error {
	pool, err := s.gorm.DB()
	if err != nil {
		return err
	}
	var busy, pages, moved int
	if err := pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return err
	}
	if busy != 0 {
		return errInUse
	}
	return nil
}
