package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
