package journal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

type line struct{ Text string }

// read opens a journal and gives what it replays.
func read(t *testing.T, path string) (*Journal, []string, int) {
	t.Helper()
	var texts []string
	j, torn, err := Open(path, func(l line) error {
		texts = append(texts, l.Text)
		return nil
	})
	require.NoError(t, err)
	return j, texts, torn
}

func TestAJournalIsReadAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "made", "on the way.jsonl")
	j, _, _ := read(t, path)
	require.NoError(t, j.Append(line{"one\ntwo"}))
	again, texts, torn := read(t, path) // nobody closed the first
	require.Equal(t, []string{"one\ntwo"}, texts)
	require.Zero(t, torn)
	require.NoError(t, again.Close())
	require.NoError(t, j.Close())
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
	require.Error(t, j.Append(line{"lost too"}), "what cannot be cut off cannot be written after")
	require.NoError(t, readOnly.Close())
	require.NoError(t, writable.Close())
	_, texts, torn := read(t, path)
	require.Equal(t, []string{"kept"}, texts)
	require.Zero(t, torn)
}

func TestWithoutAPathNothingIsKept(t *testing.T) {
	t.Parallel()
	j, _, _ := read(t, "")
	require.NoError(t, j.Append(line{"gone"}))
	require.NoError(t, j.Close())
}
