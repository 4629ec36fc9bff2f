package store

import (
	"context"
	"errors"
	"strings"
)

// CheckDurable says when a PostgreSQL forgets what it told of, should its machine stop: a post that
// it has forgotten would be sent again. SQLite is always opened so that it does not.
func (s *DB) CheckDurable(ctx context.Context) error {
	if s.dialect != "postgres" {
		return nil
	}
	const off = `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`
	var names []string
	if err := s.on(ctx).Raw(off).Scan(&names).Error; err != nil {
		return err
	}
	if len(names) > 0 {
		return errors.New("PostgreSQL forgets changes it has told of when its machine stops: turn on " + strings.Join(names, ", "))
	}
	return nil
}
