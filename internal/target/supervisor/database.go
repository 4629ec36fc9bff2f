package supervisor

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/platform/confined"
)

const databaseFile = "target.db"

// databaseParts are the pages, the log, and the index of the log.
func databaseParts() []string {
	return []string{databaseFile, databaseFile + "-wal", databaseFile + "-shm"}
}

// database is the replica's file. The supervisor opens it only to check it and to copy it.
type database struct {
	root    *os.Root
	dir     string // of root: SQLite wants paths
	process *process
	log     *slog.Logger
	// mu keeps our own uses of the files apart: closing a file gives up all locks that SQLite
	// holds on it in this process.
	mu       sync.Mutex
	restores int
	copied   fingerprint // of the database that the last snapshot shows
}

// Sound describes what is wrong with the database, as a sentence. It looks through a fresh connection
// and at all pages: some milliseconds for a chaos target's database.
func (d *database) Sound(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sound(ctx)
}

func (d *database) sound(ctx context.Context) error {
	for i, part := range databaseParts() {
		_, err := confined.Lstat(d.root, part)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i == 0:
			return problem.New(problem.TargetRefused, "The database file is missing.")
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, confined.ErrNotPlain):
			return problem.New(problem.TargetRefused, "The database file %s is not a plain file.", part)
		case err != nil:
			return problem.New(problem.TargetRefused, "The database file cannot be looked at.")
		}
	}
	return inspectDatabase(ctx, filepath.Join(d.dir, databaseFile))
}

// Damage hands over the files of the database that exist, after all of them proved to be plain.
func (d *database) Damage(_ context.Context, damage func(*os.File) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var open []*os.File
	defer func() {
		for _, file := range open {
			_ = file.Close()
		}
	}()
	for _, part := range databaseParts() {
		file, err := confined.Open(d.root, part, os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		open = append(open, file)
	}
	for _, file := range open {
		if err := damage(file); err != nil {
			return err
		}
	}
	return nil
}

// Restore puts the last good snapshot in the place of the database, and restarts the replica.
// Without a snapshot, the replica makes an empty database.
func (d *database) Restore(ctx context.Context) error {
	fresh, err := d.copySnapshot(ctx) // before the replica is killed: the disk may be full
	if err != nil {
		return err
	}
	if err := d.process.Kill(); err != nil {
		return err
	}
	if err := d.exchange(fresh); err != nil {
		return err
	}
	return d.process.Restart(ctx)
}

// exchange removes the log first: an old log would spoil the new pages, should we die between.
func (d *database) exchange(fresh string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	parts := databaseParts()
	for _, part := range parts[1:] {
		if err := confined.Remove(d.root, part); err != nil {
			return err
		}
	}
	if fresh == "" {
		d.log.Warn("supervisor: there is no snapshot, the replica creates an empty database")
		if err := confined.Remove(d.root, databaseFile); err != nil {
			return err
		}
	} else if err := d.root.Rename(fresh, databaseFile); err != nil {
		return err
	}
	d.restores++
	return confined.SyncDir(d.root, ".")
}

// round counts restores, like that of the process.
func (d *database) round() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.restores
}

// inspectTime bounds an inspection. It is longer than a snapshot takes, for which it may have to wait.
const inspectTime = 2 * time.Second

// Inspect checks the chaos target. Concurrent callers share one inspection.
func (k *Supervisor) Inspect() target.Inspection {
	seen, _, _ := k.inspections.Do("", func() (any, error) { return k.inspect(), nil })
	return seen.(target.Inspection)
}

func (k *Supervisor) inspect() target.Inspection {
	ctx, cancel := context.WithTimeout(context.Background(), inspectTime)
	defer cancel()
	seen := target.Inspection{At: time.Now().UTC()}
	if err := k.database.Sound(ctx); err != nil {
		seen.Database = err.Error()
	}
	seen.Files = k.files.Differing(k.files.names()...)
	seen.Process = k.process.State()
	if held := k.leases.current(); held != nil {
		seen.Lease = &held.Lease
	}
	return seen
}
