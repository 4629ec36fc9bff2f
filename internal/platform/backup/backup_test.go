package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/blob"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/verification"
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
			from, other := w.source(t), testdb.Address(t, "sqlite")
			storetest.Open(t, other)
			from.Files = []backup.LiveFile{
				{Name: "world.jsonl", Path: write(t, w.dir, "world.jsonl", "one\ntwo\nhalf a li")},
				{Name: "other.db", Path: store.SQLitePath(other), SQLite: true},
			}
			var out bytes.Buffer
			written, err := backup.Write(t.Context(), from, &out)
			require.NoError(t, err)
			require.Equal(t, "other.db", written.Files[0].Name, "Temporal's database comes before the rows")

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
			require.Equal(t, "one\ntwo\n", string(text), "up to the last complete line")
			require.NoFileExists(t, filepath.Join(to.Dir, "other.db"), "it is not in Files")
			look, err := to.Pictures.Get(t.Context(), key)
			require.NoError(t, err)
			require.Equal(t, "a look", string(look))

			_, again := (&world{to.Dir, to.DB, to.Pictures}).write(t)
			require.Equal(t, written.Tables, again.Tables)
			require.Equal(t, written.Blobs, again.Blobs)
		})
	}
}

// TestPicturesThatGoOrComeMeanwhileAreNoTrouble: the sweeper runs at the worst moment, between the copy of the
// screenshots and the snapshot of the rows.
func TestPicturesThatGoOrComeMeanwhileAreNoTrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	went := w.approve(t, "the old look")
	from := w.source(t)
	came, asked := "", 0
	from.Now = func() time.Time {
		asked++
		if asked == 3 { // calls: the mark, the screenshot, the rows
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
	require.ErrorContains(t, err, "run this with the DATA_DIR of the worker")
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
	require.ErrorContains(t, written.CheckKeys(storetest.Ring(t)), "restore the original key", "the same ID")
}

func TestLongWorkIsTold(t *testing.T) {
	t.Parallel()
	var output bytes.Buffer
	p := &backup.Progress{Out: &output, What: "restoring"}
	count := func() string { _, _ = p.Write([]byte("a row\n")); return output.String() }
	require.Empty(t, count(), "not within the first second")
	require.Eventually(t, func() bool { return count() != "" }, testwait.Limit, 50*time.Millisecond)
	require.Regexp(t, `^restoring: \d+ rows and 0 screenshots so far, \d+ rows/s\n$`, output.String())
}

var november = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

type world struct {
	dir      string
	db       *store.DB
	pictures *blob.Store
}

func newWorld(t *testing.T, kind string) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), db: storetest.New(t, kind)}
	var err error
	w.pictures, err = blob.Open(filepath.Join(w.dir, "blobs"))
	require.NoError(t, err)
	return w
}

// approve stores a screenshot and a baseline row with it.
func (w *world) approve(t *testing.T, text string) (key string) {
	t.Helper()
	key, err := w.pictures.Put(t.Context(), []byte(text))
	require.NoError(t, err)
	w.name(t, key)
	return key
}

func (w *world) name(t *testing.T, key string) {
	t.Helper()
	run := verification.Run{ID: xid.New().String(), URL: "http://x/", Path: "/", RequestedBy: verification.Founders, OpenKey: new(key), RequestedAt: november}
	require.NoError(t, w.db.Verifications.RequestVerification(t.Context(), run, account.Asker{Founder: true}))
	require.NoError(t, w.db.Verifications.ApproveBaselines(t.Context(), []verification.Baseline{{
		ID: xid.New().String(), Path: "/", Theme: verification.Light, Viewport: "wide", ImageHash: key, Width: 1, Height: 1,
		Masks: []verification.Rect{}, RunID: run.ID, Reason: "new", ApprovedBy: "@ada", ApprovedAt: november,
	}}))
}

func (w *world) source(t *testing.T) backup.Source {
	t.Helper()
	return backup.Source{DB: w.db, Pictures: w.pictures, ChaosRuns: 50, Program: "test", Keys: w.db.Keys(), Spool: t.TempDir(), Now: time.Now}
}

func (w *world) write(t *testing.T) ([]byte, backup.Manifest) {
	t.Helper()
	var out bytes.Buffer
	written, err := backup.Write(t.Context(), w.source(t), &out)
	require.NoError(t, err)
	return out.Bytes(), written
}

type entry struct {
	name string
	data []byte
}

func unpack(t *testing.T, file []byte) (entries []entry) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	for in := tar.NewReader(packed); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		require.NoError(t, err)
		data, err := io.ReadAll(in)
		require.NoError(t, err)
		entries = append(entries, entry{header.Name, data})
	}
}

func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	in := tar.NewWriter(packed)
	for _, e := range entries {
		kind := byte(tar.TypeReg)
		if strings.HasSuffix(e.name, "/") {
			kind = tar.TypeDir
		}
		require.NoError(t, in.WriteHeader(&tar.Header{Typeflag: kind, Name: e.name, Size: int64(len(e.data)), Mode: 0o600}))
		_, err := in.Write(e.data)
		require.NoError(t, err)
	}
	require.NoError(t, in.Close())
	require.NoError(t, packed.Close())
	return out.Bytes()
}

// place returns an empty target.
func place(t *testing.T, kind string, files ...string) backup.Target {
	t.Helper()
	w := newWorld(t, kind)
	return backup.Target{DB: w.db, Pictures: w.pictures, Dir: w.dir, Files: files}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func tokens() bot.Tokens {
	return bot.Tokens{AccessToken: "1-token", AccessSecret: "a-very-secret-token"}
}

// Proves: F35
func TestABadFileIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	w.approve(t, "a look")
	file, _ := w.write(t)
	entries := unpack(t, file)
	last := len(entries) - 2 // the manifest
	at := func(prefix string) int {
		return slices.IndexFunc(entries, func(e entry) bool { return strings.HasPrefix(e.name, prefix) })
	}
	// with packs the backup again after a change.
	with := func(change func(entries []entry) []entry) []byte {
		return pack(t, change(slices.Clone(entries))...)
	}
	replaced := func(prefix, old, now string) []byte {
		return with(func(e []entry) []entry {
			i := at(prefix)
			require.Contains(t, string(e[i].data), old)
			e[i].data = bytes.Replace(e[i].data, []byte(old), []byte(now), 1)
			return e
		})
	}
	flipped := slices.Clone(file)
	flipped[len(flipped)/2] ^= 1

	for name, tt := range map[string]struct {
		file []byte
		says string
	}{
		"nothing":               {nil, "not a backup that customerzero wrote"},
		"a text":                {[]byte("hello, I am no backup"), "not a backup that customerzero wrote"},
		"another archive":       {pack(t, entry{"notes.txt", []byte("hello")}), "not a backup that customerzero wrote"},
		"an invalid mark":       {pack(t, entry{"customerzero-backup.json", []byte("[]")}), "not a backup that customerzero wrote"},
		"another format":        {replaced("customerzero", "2", "3"), "format 3, but this program reads format 2"},
		"cut in the middle":     {file[:len(file)/2], "damaged"},
		"cut by a byte":         {file[:len(file)-1], "it ends too early"},
		"data after its end":    {append(slices.Clone(file), "more"...), "damaged"},
		"one bit":               {flipped, "damaged"},
		"no manifest":           {with(func(e []entry) []entry { return e[:last] }), "it has no manifest"},
		"something follows":     {with(func(e []entry) []entry { return append(e, entry{"tables/late.jsonl", nil}) }), "an entry follows its end"},
		"no authentication":     {with(func(e []entry) []entry { return e[:last+1] }), "its manifest is not authenticated"},
		"another entry as MAC":  {with(func(e []entry) []entry { e[last+1].name = "tables/x.jsonl"; return e }), "its manifest is not authenticated"},
		"an altered row":        {replaced("tables/experiments", "public", "secret"), "its rows do not match"},
		"an altered picture":    {replaced("blobs/", "look", "lock"), "does not match its name"},
		"a missing picture":     {with(func(e []entry) []entry { return slices.Delete(e, at("blobs/"), at("blobs/")+1) }), "its screenshots do not match"},
		"a missing table":       {with(func(e []entry) []entry { return slices.Delete(e, at("tables/"), at("tables/")+1) }), "its rows do not match"},
		"a table twice":         {with(func(e []entry) []entry { return slices.Insert(e, last, e[at("tables/")]) }), "occurs twice"},
		"a path that leads out": {with(func(e []entry) []entry { return slices.Insert(e, 1, entry{"files/../../etc", nil}) }), "is not a valid entry"},
		"an invalid name":       {with(func(e []entry) []entry { return slices.Insert(e, 1, entry{"files/.hidden", nil}) }), "is not a valid entry"},
		"an unlisted file":      {with(func(e []entry) []entry { return slices.Insert(e, 1, entry{"files/more", []byte("x")}) }), "its files do not match"},
		"a folder":              {with(func(e []entry) []entry { return slices.Insert(e, 1, entry{"files/", nil}) }), "is not a file"},
		"an invalid manifest":   {with(func(e []entry) []entry { e[last].data = []byte("?"); return e }), "damaged"},
	} {
		_, err := backup.Verify(bytes.NewReader(tt.file), nil)
		require.ErrorContains(t, err, tt.says, name)
		require.NotContains(t, err.Error(), "\n", name)
	}
	_, err := backup.Verify(bytes.NewReader(pack(t, entries...)), nil)
	require.NoError(t, err, "unpacked and packed again")
}

// A forger has the file and its format, but no key.
// Proves: F35, V11.3.3
func TestForgedBackupIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	w.approve(t, "a look")
	file, written := w.write(t)
	entries := unpack(t, file)
	last := len(entries) - 2
	require.Equal(t, "manifest.json", entries[last].name)
	verified := func(entries []entry) backup.Contents {
		found, err := backup.Verify(bytes.NewReader(pack(t, entries...)), nil)
		require.NoError(t, err, "it is consistent")
		return found
	}
	require.NoError(t, verified(entries).Authenticate(w.db.Keys()))
	require.ErrorIs(t, verified(entries).Authenticate(nil), backup.ErrKeyMissing)
	require.ErrorContains(t, verified(entries).Authenticate(storetest.Ring(t)), "was altered", "another key of the same ID")

	forged := slices.Clone(entries)
	i := slices.IndexFunc(forged, func(e entry) bool { return e.name == "tables/experiments.jsonl" })
	row := bytes.Replace(forged[i].data, []byte("public"), []byte("secret"), 1)
	require.NotEqual(t, forged[i].data, row)
	sum := sha256.Sum256(row)
	forged[i].data = row
	forged[last].data = bytes.Replace(forged[last].data, []byte(written.Tables["experiments"].SHA256), []byte(hex.EncodeToString(sum[:])), 1)
	require.ErrorContains(t, verified(forged).Authenticate(w.db.Keys()), "was altered")

	forged = slices.Clone(entries)
	forged[last+1].data = []byte("another." + strings.Repeat("x", 43))
	require.ErrorIs(t, verified(forged).Authenticate(w.db.Keys()), backup.ErrKeyMissing)
}

// Its content is not trusted before it is authenticated, which its last entry does.
// Proves: F35
func TestHostileBackupTakesLittleMemory(t *testing.T) {
	many := func(n int, of func(i int) entry) []entry {
		entries := []entry{{"customerzero-backup.json", []byte(`{"format":2}`)}}
		for i := range n {
			entries = append(entries, of(i))
		}
		return entries
	}
	huge := bytes.Repeat([]byte("0"), 31<<20)
	sum := sha256.Sum256(huge)
	for name, entries := range map[string][]entry{
		"many files":        many(50_000, func(i int) entry { return entry{fmt.Sprintf("files/f%d", i), nil} }),
		"many tables":       many(50_000, func(i int) entry { return entry{fmt.Sprintf("tables/t%d.jsonl", i), nil} }),
		"long names":        many(20, func(i int) entry { return entry{fmt.Sprintf("files/f%d%s", i, strings.Repeat("0", 500_000)), nil} }),
		"a huge screenshot": many(1, func(int) entry { return entry{"blobs/" + hex.EncodeToString(sum[:]), huge} }),
		"a line of a table": many(1, func(int) entry { return entry{"tables/posts.jsonl", huge} }),
		"a huge manifest": many(1, func(int) entry {
			return entry{"manifest.json", slices.Concat([]byte(`{"blobs":{"missing":[`), bytes.Repeat([]byte(`"",`), 8<<20), []byte(`""]}}`))}
		}),
		"deep JSON": many(1, func(int) entry { return entry{"manifest.json", bytes.Repeat([]byte("["), 1<<20)} }),
		"many missing pictures": many(1, func(int) entry {
			return entry{"manifest.json", slices.Concat([]byte(`{"blobs":{"missing":[`), bytes.Repeat([]byte(`"",`), 340_000), []byte(`""]}}`))}
		}),
	} {
		file := pack(t, entries...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := backup.Verify(bytes.NewReader(file), nil)
		runtime.ReadMemStats(&after)
		require.Error(t, err, name)
		require.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(40), "%s: MiB for %d KiB", name, len(file)>>10)
	}
}

// Proves: F35
func TestAPlaceThatIsNotEmptyIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	w.approve(t, "a look")
	file, _ := w.write(t)
	found, err := backup.Verify(bytes.NewReader(file), nil)
	require.NoError(t, err)

	to := place(t, "sqlite")
	_, err = to.Pictures.Put(t.Context(), []byte("a look"))
	require.NoError(t, err)
	require.NoError(t, to.Check(t.Context(), found), "a screenshot of the backup, as after an aborted restore")
	_, err = to.Pictures.Put(t.Context(), []byte("another's"))
	require.NoError(t, err)
	require.ErrorContains(t, to.Check(t.Context(), found), "has screenshots that are not in the backup")

	to = place(t, "sqlite", "temporal.db")
	write(t, to.Dir, "temporal.db", "")
	require.NoError(t, to.Check(t.Context(), found), "the backup has none")
	found.Files = []backup.File{{Name: "temporal.db"}}
	require.ErrorContains(t, to.Check(t.Context(), found), "temporal.db already exists")
}

// The file cannot be read to its end, or has changed since it was checked.
// Proves: F24, F35
func TestARestoreThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, kind)
			w.approve(t, "a look")
			from := w.source(t)
			from.Files = []backup.LiveFile{{Name: "world.jsonl", Path: write(t, w.dir, "world.jsonl", "one\n")}}
			var out bytes.Buffer
			_, err := backup.Write(t.Context(), from, &out)
			require.NoError(t, err)
			found, err := backup.Verify(bytes.NewReader(out.Bytes()), nil)
			require.NoError(t, err)
			other, _ := w.write(t)

			to := place(t, kind, "world.jsonl")
			for name, in := range map[string]*failing{
				"it fails in the middle": {bytes.NewReader(out.Bytes()), out.Len() / 2},
				"it fails at the end":    {bytes.NewReader(out.Bytes()), out.Len() - 1},
				"it was replaced":        {bytes.NewReader(other), len(other)},
			} {
				require.Error(t, backup.Restore(t.Context(), in, found, to), name)
				keys, err := to.Pictures.Keys()
				require.NoError(t, err)
				require.Empty(t, keys, name)
				require.NoFileExists(t, to.Dir+"/world.jsonl.restoring", name)
				require.NoError(t, to.Check(t.Context(), found), name)
			}
			require.NoError(t, backup.Restore(t.Context(), bytes.NewReader(out.Bytes()), found, to))
		})
	}
}

// failing is a reader that fails after some bytes.
type failing struct {
	in   *bytes.Reader
	left int
}

func (f *failing) Read(into []byte) (int, error) {
	if f.left == 0 && f.in.Len() > 0 {
		return 0, errors.New("input/output error")
	}
	n, err := f.in.Read(into[:min(len(into), max(f.left, 1))])
	f.left -= n
	return n, err
}

// FuzzVerify: a file is an intact backup or refused with one sentence. The archive is packed here, because gzip's
// checksum would refuse every changed file.
func FuzzVerify(f *testing.F) {
	whole := unpackedArchive(f, pack(f,
		entry{"customerzero-backup.json", []byte(`{"format":2}`)},
		entry{"tables/posts.jsonl", nil}, entry{"files/a", nil},
		entry{"manifest.json", []byte(`{"format":2,"blobs":{"sha256":"` + emptySum + `"},"tables":{"posts":{"rows":0,"sha256":"` + emptySum + `"}},"files":[{"name":"a","bytes":0,"sha256":"` + emptySum + `"}]}`)},
		entry{"manifest.mac", []byte("k1.x")},
	))
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(append(slices.Clone(whole[:len(whole)-1024]), bytes.Repeat([]byte("rubbish "), 128)...)) // in place of its end
	f.Add(bytes.Replace(whole, []byte("posts.jsonl"), []byte("../ts.jsonl"), 1))
	f.Add(unpackedArchive(f, pack(f, entry{"customerzero-backup.json", []byte(`{"format":2}`)})))
	f.Add(unpackedArchive(f, pack(f, entry{"customerzero-backup.json", []byte(`{"format":2}`)}, entry{"manifest.json", []byte(`null`)})))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, archive []byte) {
		refusedInASentence(t, archive)
		var packed bytes.Buffer
		out := gzip.NewWriter(&packed)
		_, err := out.Write(archive)
		require.NoError(t, err)
		require.NoError(t, out.Close())
		refusedInASentence(t, packed.Bytes())
	})
}

// emptySum is the SHA-256 of nothing.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func refusedInASentence(t *testing.T, file []byte) {
	t.Helper()
	contents, err := backup.Verify(bytes.NewReader(file), nil)
	if err == nil {
		require.Equal(t, 2, contents.Format)
		return
	}
	require.NotContains(t, err.Error(), "\n")
	require.LessOrEqual(t, len(err.Error()), 600)
	require.True(t, errors.Is(err, backup.ErrForeign) || strings.HasPrefix(err.Error(), "the backup "), err)
}

func unpackedArchive(f *testing.F, file []byte) []byte {
	f.Helper()
	in, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(f, err)
	var archive bytes.Buffer
	_, err = archive.ReadFrom(in)
	require.NoError(f, err)
	return archive.Bytes()
}
