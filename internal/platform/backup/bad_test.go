package backup_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/platform/backup"
)

func tokens() bot.Tokens {
	return bot.Tokens{AccessToken: "1-token", AccessSecret: "a-secret-nobody-may-read"}
}

// Proves: F35
func TestABadFileIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	w.approve(t, "a look")
	file, _ := w.write(t)
	entries := unpack(t, file)
	last := len(entries) - 1
	at := func(prefix string) int {
		return slices.IndexFunc(entries, func(e entry) bool { return strings.HasPrefix(e.name, prefix) })
	}
	// with makes the backup anew, after a change.
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
		"nothing":                   {nil, "not a backup that customerzero wrote"},
		"a text":                    {[]byte("hello, I am no backup"), "not a backup that customerzero wrote"},
		"another archive":           {pack(t, entry{"notes.txt", []byte("hello")}), "not a backup that customerzero wrote"},
		"another's mark":            {pack(t, entry{"customerzero-backup.json", []byte("[]")}), "not a backup that customerzero wrote"},
		"another form":              {replaced("customerzero", "1", "2"), "the form 2, and this program reads 1"},
		"cut in the middle":         {file[:len(file)/2], "damaged"},
		"cut by a byte":             {file[:len(file)-1], "it ends too early"},
		"something behind it":       {append(slices.Clone(file), "more"...), "damaged"},
		"one bit":                   {flipped, "damaged"},
		"no manifest":               {with(func(e []entry) []entry { return e[:last] }), "it has no manifest"},
		"something follows":         {with(func(e []entry) []entry { return append(e, entry{"tables/late.jsonl", nil}) }), "something follows its manifest"},
		"an altered row":            {replaced("tables/experiments", "public", "secret"), "its rows are not those"},
		"an altered picture":        {replaced("blobs/", "look", "lock"), "is another"},
		"a missing picture":         {with(func(e []entry) []entry { return slices.Delete(e, at("blobs/"), at("blobs/")+1) }), "its pictures are not those"},
		"a missing table":           {with(func(e []entry) []entry { return slices.Delete(e, at("tables/"), at("tables/")+1) }), "its rows are not those"},
		"a table twice":             {with(func(e []entry) []entry { return slices.Insert(e, last, e[at("tables/")]) }), "is in it twice"},
		"a path that leads out":     {with(func(e []entry) []entry { return slices.Insert(e, 1, entry{"files/../../etc", nil}) }), "has no place in it"},
		"a name that is none":       {with(func(e []entry) []entry { return slices.Insert(e, 1, entry{"files/.hidden", nil}) }), "has no place in it"},
		"a file of nobody":          {with(func(e []entry) []entry { return slices.Insert(e, 1, entry{"files/more", []byte("x")}) }), "its files are not those"},
		"a folder":                  {with(func(e []entry) []entry { return slices.Insert(e, 1, entry{"files/", nil}) }), "is no file"},
		"a manifest that is no one": {with(func(e []entry) []entry { e[last].data = []byte("?"); return e }), "damaged"},
	} {
		_, err := backup.Verify(bytes.NewReader(tt.file), nil)
		require.ErrorContains(t, err, tt.says, name)
		require.NotContains(t, err.Error(), "\n", name)
	}
	_, err := backup.Verify(bytes.NewReader(pack(t, entries...)), nil)
	require.NoError(t, err, "unpacked and packed again it is as good")
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
	require.NoError(t, to.Check(t.Context(), found), "one of the backup's own: a restore was cut off")
	_, err = to.Pictures.Put(t.Context(), []byte("another's"))
	require.NoError(t, err)
	require.ErrorContains(t, to.Check(t.Context(), found), "holds pictures that the backup has not")

	to = place(t, "sqlite", "temporal.db")
	write(t, to.Dir, "temporal.db", "")
	require.NoError(t, to.Check(t.Context(), found), "the backup has none")
	found.Files = []backup.File{{Name: "temporal.db"}}
	require.ErrorContains(t, to.Check(t.Context(), found), "temporal.db is there already")
}

// A disk that is full, or a file that is another than the one that was checked.
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
				"it cannot be read any more": {bytes.NewReader(out.Bytes()), out.Len() / 2},
				"the very last of it":        {bytes.NewReader(out.Bytes()), out.Len() - 1},
				"it was exchanged":           {bytes.NewReader(other), len(other)},
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

// failing is a file on a disk that dies.
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
