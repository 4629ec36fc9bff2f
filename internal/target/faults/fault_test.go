package faults_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/target/faults"
	"customerzero/internal/target/golden"
)

func TestDescriptions(t *testing.T) {
	t.Parallel()
	type description struct {
		name    string
		promise time.Duration
		weight  int
	}
	expected := []description{
		{"delete-og-image", 2 * time.Second, 1},
		{"corrupt-worker", 2 * time.Second, 2},
		{"break-database", 5 * time.Second, 3},
		{"delete-templates", 2 * time.Second, 2},
		{"crash-api", 5 * time.Second, 3},
		{"nuclear-option", 5 * time.Second, 5},
	}
	have := faults.Descriptions()
	require.Len(t, have, len(expected))
	for i, one := range have {
		actual := description{one.Name, one.Promise, one.Weight}
		require.Equal(t, expected[i], actual, "in the order of the buttons")
		require.NotEmpty(t, one.Title, one.Name)
		require.Regexp(t, `^[A-Z].*\.$`, one.About, "a sentence")
		named, ok := faults.Named(one.Name)
		require.True(t, ok)
		require.Equal(t, one, named.Describe())
	}
	for _, name := range []string{"", "Crash-API", "delete-everything"} {
		_, ok := faults.Named(name)
		require.False(t, ok, name)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	templates := []string{target.FileErrorPage, target.FileHome, target.FileLayout, target.FilePosts, target.FileStatus}
	tests := map[string]struct {
		files            []string // that differ after injection
		damaged, dead    bool
		restores, starts int
	}{
		"delete-og-image":  {files: []string{target.FileOGImage}},
		"corrupt-worker":   {files: []string{target.FileRules}},
		"break-database":   {damaged: true, restores: 1, starts: 1},
		"delete-templates": {files: templates},
		"crash-api":        {dead: true, starts: 1},
		"nuclear-option": {
			files:   append([]string{target.FileOGImage}, append(templates, target.FileRules)...),
			damaged: true, dead: true, restores: 1, starts: 1, // the database's restore restarts the process
		},
	}
	nuclear, _ := faults.Named("nuclear-option")
	for _, one := range faults.All() {
		name := one.Describe().Name
		tt, known := tests[name]
		require.True(t, known, "%s needs a case", name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			require.NoError(t, one.Check(t.Context(), w.target))
			require.NoError(t, one.Revert(t.Context(), w.target), "nothing was broken")
			w.reverted(0, 0)

			for range 2 { // repeated, as after an interrupted injection
				require.NoError(t, one.Inject(t.Context(), w.target))
				require.Equal(t, tt.files, w.Differing(target.Files()...))
				require.Equal(t, tt.damaged, w.database.damaged)
				require.Equal(t, tt.dead, !w.process.alive)
			}
			require.Error(t, one.Check(t.Context(), w.target), "it is already broken")
			require.Error(t, nuclear.Check(t.Context(), w.target), "it needs everything intact")

			for range 2 {
				require.NoError(t, one.Revert(t.Context(), w.target))
				w.reverted(tt.restores, tt.starts, tt.files...)
				require.NoError(t, one.Check(t.Context(), w.target))
			}
		})
	}
}

func (w *world) reverted(restores, starts int, files ...string) {
	w.Helper()
	require.ElementsMatch(w, files, w.restored)
	require.Equal(w, restores, w.database.restores)
	require.Equal(w, starts, w.process.restarts)
}

func TestTheNuclearOptionMendsWhatItCan(t *testing.T) {
	t.Parallel()
	w := setup(t)
	nuclear, _ := faults.Named("nuclear-option")
	require.NoError(t, nuclear.Inject(t.Context(), w.target))
	w.failing = errors.New("the disk is full")
	require.ErrorIs(t, nuclear.Revert(t.Context(), w.target), w.failing)
	w.reverted(1, 1)
	w.failing = nil
	require.NoError(t, nuclear.Revert(t.Context(), w.target))
	require.Empty(t, w.Differing(target.Files()...))
}

func TestTheDatabaseKeepsItsSizeAndNothingElse(t *testing.T) {
	t.Parallel()
	w := setup(t)
	before, err := os.ReadFile(w.database.path)
	require.NoError(t, err)
	breaks, _ := faults.Named("break-database")
	require.NoError(t, breaks.Inject(t.Context(), w.target))
	after, err := os.ReadFile(w.database.path)
	require.NoError(t, err)
	require.Len(t, after, len(before))
	require.NotContains(t, string(after), "page ")
}

func TestTheRulesOfTheCorruptWorkerCanBeRead(t *testing.T) {
	t.Parallel()
	w := setup(t)
	shape := func() (keys, rules []string) {
		data, err := os.ReadFile(filepath.Join(w.dir, target.FileRules))
		require.NoError(t, err)
		var bundle map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(data, &bundle))
		var limits map[string]int
		require.NoError(t, json.Unmarshal(bundle["rules"], &limits))
		return slices.Sorted(maps.Keys(bundle)), slices.Sorted(maps.Keys(limits))
	}
	goodKeys, goodRules := shape()
	breaks, _ := faults.Named("corrupt-worker")
	require.NoError(t, breaks.Inject(t.Context(), w.target))
	badKeys, badRules := shape()
	require.Equal(t, goodKeys, badKeys)
	require.Equal(t, goodRules, badRules)
}

// world is a chaos target with real files and a fake database and process.
type world struct {
	*testing.T
	dir      string
	database *fakeDatabase
	process  *fakeProcess
	target   *faults.Target
	restored []string // files
	failing  error    // of Restore
}

func setup(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), process: &fakeProcess{alive: true}}
	w.database = &fakeDatabase{path: filepath.Join(t.TempDir(), "target.db"), process: w.process}
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
		return problem.New(problem.TargetRefused, "The database is damaged.")
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
