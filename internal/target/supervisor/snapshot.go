package supervisor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/confined"
)

const (
	snapshotFolder = "snapshots"
	snapshotsKept  = 2
	unfinished     = snapshotFolder + "/unfinished" // a snapshot before its check
)

// fingerprint changes whenever the database does.
type fingerprint [2]struct {
	size int64
	at   time.Time
}

func (d *database) fingerprint() (f fingerprint) {
	for i, part := range databaseParts()[:2] {
		if info, err := d.root.Lstat(part); err == nil {
			f[i].size, f[i].at = info.Size(), info.ModTime()
		}
	}
	return f
}

// Snapshot copies the database if it is sound and has changed since the last snapshot, and checks the copy.
func (d *database) Snapshot(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.fingerprint()
	if now == d.copied {
		return nil
	}
	if err := d.sound(ctx); err != nil {
		return err
	}
	if err := ensureDir(d.root, snapshotFolder); err != nil {
		return err
	}
	if err := d.copyOut(ctx); err != nil {
		return errors.Join(fmt.Errorf("write a snapshot: %w", err), confined.Remove(d.root, unfinished))
	}
	d.copied = now
	return d.forget()
}

func (d *database) copyOut(ctx context.Context) error {
	if err := confined.Remove(d.root, unfinished); err != nil {
		return err
	}
	path := filepath.Join(d.dir, unfinished)
	if err := vacuumInto(ctx, filepath.Join(d.dir, databaseFile), path); err != nil {
		return err
	}
	if err := inspectDatabase(ctx, path); err != nil {
		return err
	}
	if err := syncFile(d.root, unfinished); err != nil {
		return err
	}
	name := snapshotFolder + "/" + time.Now().UTC().Format("20060102T150405.000000000") + ".db"
	if err := d.root.Rename(unfinished, name); err != nil {
		return err
	}
	return confined.SyncDir(d.root, snapshotFolder)
}

func syncFile(root *os.Root, name string) error {
	file, err := confined.Open(root, name, os.O_RDWR)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// snapshots returns the names of the snapshots, newest first.
func (d *database) snapshots() []string {
	entries, err := fs.ReadDir(d.root.FS(), snapshotFolder)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() && strings.HasSuffix(entry.Name(), ".db") {
			names = append(names, snapshotFolder+"/"+entry.Name())
		}
	}
	slices.Sort(names)
	slices.Reverse(names)
	return names
}

func (d *database) forget() error {
	var errs []error
	for i, name := range d.snapshots() {
		if i >= snapshotsKept {
			errs = append(errs, confined.Remove(d.root, name))
		}
	}
	return errors.Join(errs...)
}

// copySnapshot copies the newest good snapshot next to the database and returns the copy's name, or "" if
// there is none.
func (d *database) copySnapshot(ctx context.Context) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range d.snapshots() {
		if err := inspectDatabase(ctx, filepath.Join(d.dir, name)); err != nil {
			d.log.Warn("supervisor: a snapshot is damaged", "snapshot", name, "error", err)
			continue
		}
		fresh := databaseFile + ".new"
		if err := copyFile(d.root, name, fresh); err != nil {
			return "", errors.Join(err, confined.Remove(d.root, fresh))
		}
		return fresh, nil
	}
	return "", nil
}

func copyFile(root *os.Root, from, to string) error {
	source, err := confined.Open(root, from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	if err := confined.Remove(root, to); err != nil {
		return err
	}
	copied, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(copied, source)
	if err == nil {
		err = copied.Sync()
	}
	return errors.Join(err, copied.Close())
}

func readOnly(path string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&_pragma=busy_timeout(500)")
}

// inspectDatabase reads a whole database and returns what is wrong with it, as a readable sentence.
func inspectDatabase(ctx context.Context, path string) error {
	db, err := readOnly(path)
	if err != nil {
		return damaged(err)
	}
	defer func() { _ = db.Close() }()
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		if ctx.Err() != nil {
			return problem.New(problem.TargetRefused, "The database did not answer in time.")
		}
		return damaged(err)
	}
	if found != "ok" {
		return damaged(errors.New(found))
	}
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return damaged(err)
	}
	if tables == 0 {
		return problem.New(problem.TargetRefused, "The database is empty.")
	}
	return nil
}

// damaged converts an error of SQLite to a sentence. SQLite's messages contain a path only if it cannot open
// a file.
func damaged(err error) error {
	failure, ok := errors.AsType[*sqlite.Error](err)
	switch {
	case ok && failure.Code()&0xff == codes.SQLITE_CANTOPEN:
		return problem.New(problem.TargetRefused, "The database file cannot be opened.")
	case ok && failure.Code()&0xff == codes.SQLITE_BUSY:
		return problem.New(problem.TargetRefused, "The database is busy and cannot be checked.")
	}
	what := strings.Join(strings.Fields(err.Error()), " ")
	return problem.New(problem.TargetRefused, "The database is damaged: %s.", strings.TrimSuffix(what, "."))
}

// vacuumInto writes a clean copy of a database.
func vacuumInto(ctx context.Context, path, copied string) error {
	db, err := readOnly(path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", copied)
	return err
}
