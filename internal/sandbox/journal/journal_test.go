package journal

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

type line struct{ Text string }

// read opens a journal and returns its entries and log.
func read(t *testing.T, path string) (j *Journal, texts []string, logged string) {
	t.Helper()
	var log bytes.Buffer
	j, err := Open(path, slog.New(slog.NewTextHandler(&log, nil)), func(l line) error {
		texts = append(texts, l.Text)
		return nil
	})
	require.NoError(t, err)
	return j, texts, log.String()
}

func TestAJournalIsReplayed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "made", "on the way.jsonl")
	j, _, _ := read(t, path)
	require.NoError(t, j.Append(line{"one\ntwo"}))
	second, texts, logged := read(t, path) // the first one stays open, as after a kill
	require.Equal(t, []string{"one\ntwo"}, texts)
	require.Empty(t, logged)
	require.NoError(t, second.Close())
	require.NoError(t, j.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it may contain secrets")
}

func TestATornLastLineIsDroppedAndLogged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	whole := []byte(`{"Text":"whole"}` + "\n")
	for cut := range len(whole) { // every prefix of a second line
		require.NoError(t, os.WriteFile(path, append(bytes.Clone(whole), whole[:cut]...), 0o600))
		j, texts, logged := read(t, path)
		require.Equal(t, []string{"whole"}, texts)
		require.Equal(t, cut > 0, logged != "", logged)
		require.NoError(t, j.Append(line{"after"}))
		require.NoError(t, j.Close())
		j, texts, logged = read(t, path)
		require.Equal(t, []string{"whole", "after"}, texts)
		require.Empty(t, logged)
		require.NoError(t, j.Close())
	}
	require.NoError(t, os.WriteFile(path, append(whole, "nonsense\n{}\n"...), 0o600))
	_, err := Open(path, slog.Default(), func(line) error { return nil })
	require.ErrorContains(t, err, "line 2")
}

func TestAFailedWriteLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j, _, _ := read(t, path)
	require.NoError(t, j.Append(line{"kept"}))
	writable := j.file
	readOnly, err := os.Open(path)
	require.NoError(t, err)
	j.file = readOnly
	require.Error(t, j.Append(line{"lost"}))
	j.file = writable
	require.Error(t, j.Append(line{"lost too"}), "nothing is written after a partial line that cannot be truncated")
	require.NoError(t, readOnly.Close())
	require.NoError(t, writable.Close())
	_, texts, logged := read(t, path)
	require.Equal(t, []string{"kept"}, texts)
	require.Empty(t, logged)
}

func TestWithoutAPathNothingIsKept(t *testing.T) {
	t.Parallel()
	j, _, _ := read(t, "")
	require.NoError(t, j.Append(line{"gone"}))
	require.NoError(t, j.Close())
}
