package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"customerzero/internal/clients/blob"
	"customerzero/internal/store"
)

// Target is an empty, unused database and data directory.
type Target struct {
	DB       *store.DB
	Pictures *blob.Store
	Dir      string   // the data directory
	Files    []string // the files to restore
	// AsItWas restores the rows unchanged, to compare them. A product that runs on them may publish posts again
	// that were published after the backup.
	AsItWas  bool
	Progress *Progress
}

// unfinished is the suffix of files until Finish renames them.
const unfinished = ".restoring"

// Check checks that the target is empty, except for screenshots that are in the backup, too.
func (t Target) Check(ctx context.Context, c Contents) error {
	for _, name := range t.Files {
		if _, err := os.Lstat(filepath.Join(t.Dir, name)); err == nil && c.Has(name) {
			return fmt.Errorf("%s already exists; move it away, because a restore needs an empty data directory", filepath.Join(t.Dir, name))
		}
	}
	kept, err := t.Pictures.Keys()
	if err != nil {
		return err
	}
	for _, key := range kept {
		if !c.Pictures[key] {
			return errors.New("the data directory has screenshots that are not in the backup; move its blobs away, because a restore needs an empty data directory")
		}
	}
	return t.DB.CheckLoad(ctx, c.Schema)
}

// Restore restores a verified and authenticated backup into a checked target. Rows are written in one transaction; after an error
// everything else is removed. Call Finish after it.
func Restore(ctx context.Context, in io.Reader, c Contents, to Target) (err error) {
	there, err := to.Pictures.Keys()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, to.undo(there))
		}
	}()
	load := store.Load{Version: c.Schema, Tables: c.Tables}
	if !to.AsItWas {
		load.TakenAt = c.TakenAt
	}
	load.Fill = func(fill func(string, io.Reader) error) error {
		found, err := walk(in, visitor{
			blob: func(key string, data []byte) error { return to.putPicture(ctx, key, data) },
			file: to.putFile, table: fill,
		}, to.Progress)
		if err == nil && (found.sum != c.sum || found.mac != c.mac) {
			err = errors.New("the backup has changed since it was checked")
		}
		return err
	}
	return to.DB.Load(ctx, load)
}

// Finish renames the files, and removes the logs of an earlier SQLite database, which SQLite would replay.
func (t Target) Finish() error {
	for _, name := range t.Files {
		path := filepath.Join(t.Dir, name)
		for _, log := range []string{"-wal", "-shm", "-journal"} {
			if err := os.Remove(path + log); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		if err := os.Rename(path+unfinished, path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (t Target) undo(there []string) error {
	for _, name := range t.Files {
		if err := os.Remove(filepath.Join(t.Dir, name+unfinished)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	keep := make(map[string]bool, len(there))
	for _, key := range there {
		keep[key] = true
	}
	_, err := t.Pictures.Sweep(context.Background(), keep, time.Now().Add(time.Hour))
	return err
}

func (t Target) putPicture(ctx context.Context, key string, data []byte) error {
	got, err := t.Pictures.Put(ctx, data)
	if err == nil && got != key {
		err = fmt.Errorf("the screenshot %s does not match its name", key)
	}
	return err
}

func (t Target) putFile(name string, data io.Reader) (err error) {
	if !slices.Contains(t.Files, name) {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(t.Dir, name+unfinished), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := io.Copy(file, data); err != nil {
		return err
	}
	return file.Sync()
}
