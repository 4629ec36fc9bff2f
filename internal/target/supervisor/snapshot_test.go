package supervisor

import (
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// notebook is a database whose rows are only in its write-ahead log, as with a running replica.
func notebook(t *testing.T) (*database, *sql.DB) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, databaseFile)+"?_pragma=journal_mode(WAL)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.Exec("CREATE TABLE facts (fact text)")
	require.NoError(t, err)
	return &database{root: root, dir: dir, log: slog.New(slog.DiscardHandler)}, db
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	d, db := notebook(t)
	var kept [][]string
	for _, fact := range []string{"a", "b", "c"} {
		_, err := db.Exec("INSERT INTO facts VALUES (?)", fact)
		require.NoError(t, err)
		require.NoError(t, d.Snapshot(t.Context()))
		once := d.snapshots()
		require.NoError(t, d.Snapshot(t.Context()))
		require.Equal(t, once, d.snapshots(), "nothing has changed")
		kept = append(kept, once)
	}
	require.Len(t, kept[0], 1)
	require.Equal(t, kept[0][0], kept[1][1], "the newest is the first")
	require.Equal(t, []string{kept[2][0], kept[1][0]}, kept[2], "two are kept")

	copied, err := sql.Open("sqlite", filepath.Join(d.dir, kept[2][0]))
	require.NoError(t, err)
	defer func() { require.NoError(t, copied.Close()) }()
	var facts int
	require.NoError(t, copied.QueryRow("SELECT count(*) FROM facts").Scan(&facts))
	require.Equal(t, 3, facts)
}

func TestSnapshotFolderThatIsALink(t *testing.T) {
	t.Parallel()
	d, _ := notebook(t)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(d.dir, snapshotFolder)))
	require.NoError(t, d.Snapshot(t.Context()))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.Len(t, d.snapshots(), 1)
}

// FuzzReadLease checks that an unreadable lease is over, so that its fault is reverted, and that a readable
// one is kept.
func FuzzReadLease(f *testing.F) {
	for _, text := range []string{
		"", "{}", "null", "[]", `{"runId":"run_1","fault":"crash-api","since":"2026-11-20T12:00:00Z","until":"2026-11-20T12:00:30Z"}`, `{"until":"never"}`, `{"until":"9999-12-31T23:59:59Z"}`,
		`{"injectedAt":null}`, `{"runId":7}`, `{"runId":"a"`, "\x00", `{"until":"2026-11-20T12:00:30Z"}{}`,
	} {
		f.Add([]byte(text))
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := os.OpenRoot(t.TempDir())
		require.NoError(t, err)
		defer func() { require.NoError(t, root.Close()) }()
		require.NoError(t, root.WriteFile(leaseFile, text, 0o600))
		require.NoError(t, root.WriteFile(endedFile, text, 0o600))
		read := readLeases(root, slog.New(slog.DiscardHandler))
		open := read.current()
		require.NotNil(t, open, "the file exists, so there is a lease")
		if *open == (lease{}) {
			require.True(t, open.over(now))
			return
		}
		require.NoError(t, read.hold(open))
		again := readLeases(root, slog.New(slog.DiscardHandler)).current()
		require.Equal(t, open.RunID, again.RunID)
		require.True(t, open.Until.Equal(again.Until))
	})
}
