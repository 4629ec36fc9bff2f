package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

var errNotEmpty = errors.New("the database is not empty: a restore goes into an empty one; " +
	"make a new one and name it with DATABASE_URL, or move the old one away")

// CheckLoad says whether a dump of that schema can be loaded here.
func (s *DB) CheckLoad(ctx context.Context, version int64) error {
	provider, err := s.migrator()
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	if newest := sources[len(sources)-1].Version; version > newest {
		return fmt.Errorf("the backup is of the schema %d, which is newer than this program (%d): restore it with the newer program", version, newest)
	}
	if version < sources[0].Version {
		return fmt.Errorf("the backup is of the schema %d, which never was", version)
	}
	pool, err := s.gorm.DB()
	if err != nil {
		return err
	}
	fresh, err := isFresh(ctx, pool, s.dialect)
	if err == nil && !fresh {
		err = errNotEmpty
	}
	return err
}

// isFresh says whether the database holds nothing, or what its migrations wrote and no more.
func isFresh(ctx context.Context, db reader, dialect string) (bool, error) {
	version, err := versionOf(ctx, db, dialect)
	if err != nil {
		return false, err
	}
	tables, err := tablesOf(ctx, db, dialect)
	if err != nil {
		return false, err
	}
	if version == 0 {
		return len(tables) == 0, nil
	}
	empty, err := digestsOfNew(ctx, version)
	if err != nil {
		return false, err
	}
	have, err := digests(ctx, db, dialect, tables)
	return maps.Equal(have, empty), err
}

// newDatabases are what migrations alone write, by the schema's version: always the same.
var newDatabases sync.Map

func digestsOfNew(ctx context.Context, version int64) (map[string]Digest, error) {
	if known, there := newDatabases.Load(version); there {
		return known.(map[string]Digest), nil
	}
	made, err := makeNew(ctx, version)
	if err == nil {
		newDatabases.Store(version, made)
	}
	return made, err
}

// makeNew makes a new database of that schema, to see what is in it.
func makeNew(ctx context.Context, version int64) (map[string]Digest, error) {
	dir, err := os.MkdirTemp("", "customerzero-new-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := Open(sqliteScheme + filepath.Join(dir, "new.db"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	if err := s.makeSchema(ctx, version); err != nil {
		return nil, err
	}
	pool, err := s.gorm.DB()
	if err != nil {
		return nil, err
	}
	tables, err := tablesOf(ctx, pool, s.dialect)
	if err != nil {
		return nil, err
	}
	return digests(ctx, pool, s.dialect, tables)
}

func digests(ctx context.Context, db reader, dialect string, tables []Table) (map[string]Digest, error) {
	all := map[string]Digest{}
	for _, t := range tables {
		digest, err := writeRows(ctx, db, dialect, t, io.Discard)
		if err != nil {
			return nil, err
		}
		all[t.Name] = digest
	}
	return all, nil
}

// makeSchema gives an empty database the schema of a version. A newer one that is there, and
// as empty, is taken away first: there are no steps back.
func (s *DB) makeSchema(ctx context.Context, version int64) error {
	pool, err := s.gorm.DB()
	if err != nil {
		return err
	}
	have, err := versionOf(ctx, pool, s.dialect)
	if err != nil {
		return err
	}
	if have > version {
		if err := s.dropSchema(ctx, pool); err != nil {
			return err
		}
	}
	provider, err := s.migrator()
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	return err
}

func (s *DB) dropSchema(ctx context.Context, pool *sql.DB) error {
	if s.dialect == "sqlite" {
		return errors.New("the database file has a newer schema than the backup, and no rows; move it away, and restore again")
	}
	tables, err := tablesOf(ctx, pool, s.dialect)
	if err != nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, name := range slices.Concat(names(tables), []string{migrationTable, countsTable}) {
		if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS "+quoted(name)+" CASCADE"); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func names(tables []Table) []string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
	}
	return names
}
