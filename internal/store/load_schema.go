package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
)

var errNotEmpty = errors.New("the database is not empty: a restore goes into an empty one; " +
	"make a new one and name it with DATABASE_URL, or move the old one away")

// CheckLoad says whether a dump of that schema can be loaded here.
func (s *DB) CheckLoad(ctx context.Context, version int64) error {
	own, err := s.schemaVersion()
	if err != nil {
		return err
	}
	if version != own {
		return fmt.Errorf("the backup is of the schema %d, and this program's is %d: restore it with the program that wrote it, and upgrade then", version, own)
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
	empty, err := digestsOfNew(ctx)
	if err != nil {
		return false, err
	}
	have, err := digests(ctx, db, dialect, tables)
	return maps.Equal(have, empty), err
}

// newDatabase is what migrations alone write: always the same.
var newDatabase struct {
	sync.Mutex
	digests map[string]Digest
}

func digestsOfNew(ctx context.Context) (_ map[string]Digest, err error) {
	newDatabase.Lock()
	defer newDatabase.Unlock()
	if newDatabase.digests == nil {
		newDatabase.digests, err = makeNew(ctx)
	}
	return newDatabase.digests, err
}

// makeNew makes a new database, to see what is in it.
func makeNew(ctx context.Context) (map[string]Digest, error) {
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
	if err := s.Migrate(ctx); err != nil {
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
