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

// Migrate brings the schema up to date. Several processes may call it at once: on
// Postgres one runs and the others wait. A database newer than this binary is refused.
func (s *DB) Migrate(ctx context.Context) error {
	provider, err := s.migrator()
	if err != nil {
		return err
	}
	if err := refuseNewer(ctx, provider); err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// CheckSchema says whether the schema is the one this binary was built for.
func (s *DB) CheckSchema(ctx context.Context) error {
	provider, err := s.migrator()
	if err != nil {
		return err
	}
	if err := refuseNewer(ctx, provider); err != nil {
		return err
	}
	pending, err := provider.HasPending(ctx)
	if err == nil && pending {
		return errors.New("the database schema is older than this program: run customerzero migrate")
	}
	return err
}

// schemaVersion is the version of the schema that this binary was built for.
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
	pool, err := s.gorm.DB()
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(migrations, "migrations/"+s.dialect)
	if err != nil {
		return nil, err
	}
	if s.dialect == "sqlite" {
		return goose.NewProvider(goose.DialectSQLite3, pool, files)
	}
	// Five minutes as by default, but tried every second instead of every five: replicas start together.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, pool, files, goose.WithSessionLocker(locker))
}

// refuseNewer refuses the schema of a later program, and one that this program's migrations cannot
// have made.
func refuseNewer(ctx context.Context, provider *goose.Provider) error {
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	known, err := provider.Status(ctx)
	if err != nil {
		return err
	}
	return checkVersions(have, known)
}

// checkVersions compares the schema's version with the migrations that this program knows, in
// their order.
func checkVersions(have int64, known []*goose.MigrationStatus) error {
	if want := known[len(known)-1].Source.Version; have > want {
		return fmt.Errorf("the database schema (%d) is newer than this program (%d): run the newer program", have, want)
	}
	for _, one := range known {
		if one.State == goose.StatePending && one.Source.Version < have {
			return fmt.Errorf("the database schema (%d) lacks version %d, so two programs have changed it: restore a backup from before", have, one.Source.Version)
		}
	}
	return nil
}
