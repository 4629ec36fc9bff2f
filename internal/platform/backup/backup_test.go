package backup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/backup"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

// Proves: F35
func TestABackupComesBackWhole(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, kind)
			key := w.approve(t, "a look")
			_, err := w.pictures.Put(t.Context(), []byte("a picture that no row names"))
			require.NoError(t, err)
			from := w.source(t)
			from.Files = []backup.LiveFile{
				{Name: "world.jsonl", Path: write(t, w.dir, "world.jsonl", "one\ntwo\nhalf a li")},
				{Name: "other.db", Path: copied(t), SQLite: true},
			}
			var out bytes.Buffer
			written, err := backup.Write(t.Context(), from, &out)
			require.NoError(t, err)
			require.Equal(t, "other.db", written.Files[0].Name, "Temporal's before the rows")

			found, err := backup.Verify(bytes.NewReader(out.Bytes()), nil)
			require.NoError(t, err)
			require.Equal(t, written, found.Manifest)
			require.Equal(t, 1, found.Blobs.Count)

			to := place(t, kind, "world.jsonl")
			require.NoError(t, to.Check(t.Context(), found))
			require.NoError(t, backup.Restore(t.Context(), bytes.NewReader(out.Bytes()), found, to))
			require.NoFileExists(t, filepath.Join(to.Dir, "world.jsonl"))
			require.NoError(t, to.Finish())
			text, err := os.ReadFile(filepath.Join(to.Dir, "world.jsonl"))
			require.NoError(t, err)
			require.Equal(t, "one\ntwo\n", string(text), "up to the last whole line")
			require.NoFileExists(t, filepath.Join(to.Dir, "other.db"), "nobody asked for it")
			look, err := to.Pictures.Get(t.Context(), key)
			require.NoError(t, err)
			require.Equal(t, "a look", string(look))

			_, again := (&world{to.Dir, to.DB, to.Pictures}).write(t)
			require.Equal(t, written.Tables, again.Tables)
			require.Equal(t, written.Blobs, again.Blobs)
		})
	}
}

// copied is an SQLite file that somebody has open and writes to.
func copied(t *testing.T) string {
	t.Helper()
	address := testdb.Address(t, "sqlite")
	storetest.Open(t, address)
	return store.SQLitePath(address)
}

// The sweeper goes on while a backup is written. Here it comes at the worst moment: between the
// pictures that rows named at first, and the rows.
func TestPicturesThatGoOrComeMeanwhileAreNoTrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	went := w.approve(t, "the old look")
	from := w.source(t)
	came, asked := "", 0
	from.Now = func() time.Time {
		asked++
		if asked == 3 { // for the mark, the picture, and then the rows
			require.NoError(t, os.Remove(filepath.Join(w.dir, "blobs", went[:2], went)))
			came = w.approve(t, "the new look")
		}
		return time.Now()
	}
	var out bytes.Buffer
	written, err := backup.Write(t.Context(), from, &out)
	require.NoError(t, err)
	found, err := backup.Verify(bytes.NewReader(out.Bytes()), nil)
	require.NoError(t, err)
	require.Empty(t, written.Blobs.Missing)
	require.Equal(t, map[string]bool{went: true, came: true}, found.Pictures)
}

func TestALostPictureIsSaidAndTheRestIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	lost, kept := w.approve(t, "lost"), w.approve(t, "kept")
	require.NoError(t, os.Remove(filepath.Join(w.dir, "blobs", lost[:2], lost)))
	file, written := w.write(t)
	require.Equal(t, []string{lost}, written.Blobs.Missing)
	found, err := backup.Verify(bytes.NewReader(file), nil)
	require.NoError(t, err)
	require.Equal(t, map[string]bool{kept: true}, found.Pictures)
}

func TestABackupWhereNoPictureIsIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	w.approve(t, "elsewhere")
	from := w.source(t)
	from.Pictures = nil
	_, err := backup.Write(t.Context(), from, &bytes.Buffer{})
	require.ErrorContains(t, err, "run this where the worker keeps them")
}

// Proves: V13.3.1
func TestKeysAreNotInItAndHaveToFit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	require.NoError(t, w.db.Bot.SeedConnection(t.Context(), tokens(), "bot", november))
	file, written := w.write(t)
	require.Len(t, written.Keys, 1)
	require.Equal(t, w.db.Keys().Primary(), written.Keys[0].KeyID)
	for _, e := range unpack(t, file) {
		require.NotContains(t, string(e.data), tokens().AccessSecret, e.name)
	}
	require.NoError(t, written.CheckKeys(w.db.Keys()))
	require.ErrorContains(t, written.CheckKeys(storetest.Ring(t)), "put the right one back", "of the same name")
}

func TestLongWorkIsTold(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	p := &backup.Progress{Out: &said, What: "restoring"}
	tell := func() string { _, _ = p.Write([]byte("a row\n")); return said.String() }
	require.Empty(t, tell(), "not within the first second")
	require.Eventually(t, func() bool { return tell() != "" }, testwait.Limit, 50*time.Millisecond)
	require.Regexp(t, `^restoring: \d+ rows and 0 pictures so far, \d+ rows/s\n$`, said.String())
}
