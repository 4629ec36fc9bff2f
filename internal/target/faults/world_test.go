package faults_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/target/faults"
	"customerzero/internal/target/golden"
)

// world is a chaos target without a supervisor: its files are there, the rest only remembers.
type world struct {
	*testing.T
	dir      string
	database *fakeDatabase
	process  *fakeProcess
	target   *faults.Target
	restored []string // files
	failing  error    // of every mending of files
}

func setup(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), process: &fakeProcess{alive: true}}
	w.database = &fakeDatabase{path: filepath.Join(t.TempDir(), "cell.db"), process: w.process}
	require.NoError(t, os.WriteFile(w.database.path, []byte(strings.Repeat("page ", 1000)), 0o600))
	live, err := os.OpenRoot(w.dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, live.Close()) })
	w.target = &faults.Target{Live: live, Files: w, Database: w.database, Process: w.process}
	require.NoError(t, w.Restore(t.Context(), target.Files()...))
	w.restored = nil
	return w
}

func (w *world) Differing(names ...string) []string {
	var different []string
	for _, name := range names {
		want, err := golden.FS.ReadFile(name)
		require.NoError(w, err)
		have, _ := os.ReadFile(filepath.Join(w.dir, name))
		if string(have) != string(want) {
			different = append(different, name)
		}
	}
	return different
}

func (w *world) Restore(_ context.Context, names ...string) error {
	if w.failing != nil {
		return w.failing
	}
	for _, name := range w.Differing(names...) {
		data, err := golden.FS.ReadFile(name)
		require.NoError(w, err)
		require.NoError(w, os.MkdirAll(filepath.Join(w.dir, filepath.Dir(name)), 0o700))
		require.NoError(w, os.WriteFile(filepath.Join(w.dir, name), data, 0o600))
		w.restored = append(w.restored, name)
	}
	return nil
}

type fakeDatabase struct {
	path     string
	process  *fakeProcess
	damaged  bool
	restores int
}

func (d *fakeDatabase) Sound(context.Context) error {
	if d.damaged {
		return problem.New(problem.CellRefused, "The database is damaged.")
	}
	return nil
}

func (d *fakeDatabase) Damage(_ context.Context, damage func(*os.File) error) error {
	file, err := os.OpenFile(d.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	d.damaged = true
	return errors.Join(damage(file), file.Close())
}

func (d *fakeDatabase) Restore(ctx context.Context) error {
	d.damaged = false
	d.restores++
	return d.process.Restart(ctx)
}

type fakeProcess struct {
	alive    bool
	restarts int
}

func (p *fakeProcess) Alive() bool { return p.alive }
func (p *fakeProcess) Kill() error { p.alive = false; return nil }
func (p *fakeProcess) Restart(context.Context) error {
	p.alive = true
	p.restarts++
	return nil
}
