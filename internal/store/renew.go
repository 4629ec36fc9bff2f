package store

import "context"

// maxIdle is how many connections are kept for the next caller.
const maxIdle = 8

// Renew closes the connections that are idle, and opens one. A connection to an SQLite file
// remembers pages that may be damaged on disk by now; a new one reads them.
func (s *Store) Renew(ctx context.Context) error {
	pool, err := s.db.DB()
	if err != nil {
		return err
	}
	pool.SetMaxIdleConns(0)
	pool.SetMaxIdleConns(maxIdle)
	return s.Ping(ctx)
}
