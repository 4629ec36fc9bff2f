package supervisor

import (
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// notebook is a database with a table, as a living replica leaves it: in its log.
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
