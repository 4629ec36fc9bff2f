package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Unfinished is a database that is being restored. An SQLite file has another name until it is complete,
// so that half of it is never opened.
type Unfinished struct {
	*DB
	path string // where it belongs; empty: it is there
}

const unfinished = ".restoring"

// OpenUnfinished opens the place for a restored database. What is there already has to be empty.
func OpenUnfinished(ctx context.Context, address string, version int64) (*Unfinished, error) {
	path := SQLitePath(address)
	if path == "" {
		s, err := Open(address)
		return &Unfinished{s, ""}, err
	}
	if err := checkPlace(ctx, address, path, version); err != nil {
		return nil, err
	}
	if err := remove(path + unfinished); err != nil {
		return nil, err
	}
	s, err := Open(strings.Replace(address, path, path+unfinished, 1))
	return &Unfinished{s, path}, err
}

func checkPlace(ctx context.Context, address, path string, version int64) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s, err := Open(address)
	if err != nil {
		return err
	}
	return errors.Join(s.CheckLoad(ctx, version), s.Close())
}

// Finish closes the database and puts it where it belongs.
func (u *Unfinished) Finish() error {
	if err := u.Close(); err != nil || u.path == "" {
		return err
	}
	if err := errors.Join(synced(u.path+unfinished), remove(u.path)); err != nil {
		return err
	}
	if err := os.Rename(u.path+unfinished, u.path); err != nil {
		return err
	}
	return synced(filepath.Dir(u.path))
}

// Drop closes the database, and leaves nothing of a file.
func (u *Unfinished) Drop() error {
	err := u.Close()
	if u.path == "" {
		return err
	}
	return errors.Join(err, remove(u.path+unfinished))
}

// remove takes a database file away, with its logs.
func remove(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func synced(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

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
