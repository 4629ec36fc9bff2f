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

// Target is an empty place, and nobody uses it.
type Target struct {
	DB       *store.DB
	Pictures *blob.Store
	Dir      string   // where files of the data directory go
	Files    []string // those to restore; others stay in the backup
	// AsItWas leaves the rows exactly as they are in the backup, to compare them. A product that
	// is started on such rows may send a post again that went out after the backup was taken.
	AsItWas  bool
	Progress *Progress
}

// unfinished marks files that are not in their place yet.
const unfinished = ".restoring"

// Check says whether the place is empty enough: pictures may lie there that the backup has too.
func (t Target) Check(ctx context.Context, c Contents) error {
	for _, name := range t.Files {
		if _, err := os.Lstat(filepath.Join(t.Dir, name)); err == nil && c.Has(name) {
			return fmt.Errorf("%s is there already: a restore goes into an empty place; move it away first", filepath.Join(t.Dir, name))
		}
	}
	kept, err := t.Pictures.Keys()
	if err != nil {
		return err
	}
	for _, key := range kept {
		if !c.Pictures[key] {
			return errors.New("the data directory holds pictures that the backup has not: a restore goes into an empty place; move its blobs away first")
		}
	}
	return t.DB.CheckLoad(ctx, c.Schema)
}

// Restore fills the place with a backup that was verified and whose place was checked. Rows
// come in one transaction; when anything fails, what was written beside them is taken away.
// Call Finish when the rows are where they belong.
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
		if err == nil && !found.TakenAt.Equal(c.TakenAt) {
			err = errors.New("the backup is another than the one that was checked")
		}
		return err
	}
	return to.DB.Load(ctx, load)
}

// Finish puts the files into their place. Logs of a database that was there before would be
// played into the one that is there now.
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
		err = fmt.Errorf("the picture %s is another", key)
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
