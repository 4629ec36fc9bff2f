package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// Migrate brings the schema up to date. Several processes may call it at once: on Postgres one runs and
// the others wait. It refuses a schema newer than this binary.
func (s *DB) Migrate(ctx context.Context) error {
	provider, err := s.migratorOfOlder(ctx)
	if err == nil {
		_, err = provider.Up(ctx)
	}
	return err
}

// CheckSchema returns an error unless the schema is the one this binary was built for.
func (s *DB) CheckSchema(ctx context.Context) error {
	provider, err := s.migratorOfOlder(ctx)
	if err != nil {
		return err
	}
	pending, err := provider.HasPending(ctx)
	if err == nil && pending {
		return errors.New("the database schema is older than this program: run customerzero migrate")
	}
	return err
}

func (s *DB) schemaVersion() (int64, error) {
	provider, err := s.migrator()
	if err != nil {
		return 0, err
	}
	return newest(provider), nil
}

func newest(provider *goose.Provider) int64 {
	sources := provider.ListSources()
	return sources[len(sources)-1].Version
}

func (s *DB) migrator() (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations/"+s.gorm.Name())
	if err != nil {
		return nil, err
	}
	if s.gorm.Name() == "sqlite" {
		return goose.NewProvider(goose.DialectSQLite3, s.pool, files)
	}
	// The default 5 minutes, but polled every second instead of every 5: instances start together.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, s.pool, files, goose.WithSessionLocker(locker))
}

// migratorOfOlder returns the migrator, or an error if the schema is newer than this program. Goose
// itself refuses a schema with a gap.
func (s *DB) migratorOfOlder(ctx context.Context) (*goose.Provider, error) {
	provider, err := s.migrator()
	if err != nil {
		return nil, err
	}
	have, err := provider.GetDBVersion(ctx)
	if want := newest(provider); err == nil && have > want {
		err = fmt.Errorf("the database schema (%d) is newer than this program (%d): run the newer program", have, want)
	}
	return provider, err
}
