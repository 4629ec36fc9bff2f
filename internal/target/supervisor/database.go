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

// databaseParts returns the files of the pages, the log, and the index of the log.
func databaseParts() []string {
	return []string{databaseFile, databaseFile + "-wal", databaseFile + "-shm"}
}

// database is the replica's database file. The supervisor opens it only to check and copy it.
type database struct {
	root    *os.Root
	dir     string // path of root, for SQLite
	process *process
	log     *slog.Logger
	// mu serializes our own use of the files: closing a file releases all locks that SQLite holds on it in this
	// process.
	mu       sync.Mutex
	restores int
	copied   fingerprint // of the last snapshot's database
}

// Sound returns what is wrong with the database, as a readable sentence. It reads all pages through a new
// connection, which takes some milliseconds.
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
			return problem.New(problem.TargetRefused, "The database file cannot be checked.")
		}
	}
	return inspectDatabase(ctx, filepath.Join(d.dir, databaseFile))
}

// Damage calls damage for each existing file of the database, after checking that all are plain files.
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

// Restore restores the last good snapshot and restarts the replica, which creates an empty database if there
// is none.
func (d *database) Restore(ctx context.Context) error {
	fresh, err := d.copySnapshot(ctx) // first, because the disk may be full
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

// exchange removes the log first: after a crash in between, an old log would corrupt the new pages.
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

// round returns the number of restores.
func (d *database) round() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.restores
}

// inspectTime limits an inspection. It exceeds the time of a snapshot, which an inspection may have to wait for.
const inspectTime = 2 * time.Second

// Inspect checks the chaos target. Concurrent callers share one inspection.
func (s *Supervisor) Inspect() target.Inspection {
	seen, _, _ := s.inspections.Do("", func() (any, error) { return s.inspect(), nil })
	return seen.(target.Inspection)
}

func (s *Supervisor) inspect() target.Inspection {
	ctx, cancel := context.WithTimeout(context.Background(), inspectTime)
	defer cancel()
	seen := target.Inspection{At: time.Now().UTC()}
	if err := s.database.Sound(ctx); err != nil {
		seen.Database = err.Error()
	}
	seen.Files = s.files.Differing(s.files.names()...)
	seen.Process = s.process.State()
	if held := s.leases.current(); held != nil {
		seen.Lease = &held.Lease
	}
	return seen
}
