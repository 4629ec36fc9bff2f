package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

func open(t *testing.T) (store *Store, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data", "blobs")
	store, err := Open(dir)
	require.NoError(t, err)
	return store, dir
}

func put(t *testing.T, store *Store, text string) (key string) {
	t.Helper()
	key, err := store.Put(t.Context(), []byte(text))
	require.NoError(t, err)
	return key
}

func fileOf(dir, key string) string { return filepath.Join(dir, key[:2], key) }

// files lists all files except the lock.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "lock" {
			names = append(names, path)
		}
		return err
	}))
	return names
}

func TestWhatWasPutIsThere(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	for _, text := range []string{"", "a picture", strings.Repeat("long ", 1<<20)} {
		sum := sha256.Sum256([]byte(text))
		key := put(t, store, text)
		require.Equal(t, hex.EncodeToString(sum[:]), key)
		require.Equal(t, key, put(t, store, text), "equal content has one key")
		data, err := store.Get(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, text, string(data))
	}
	require.Len(t, files(t, dir), 3)

	again, err := Open(dir)
	require.NoError(t, err)
	data, err := again.Get(t.Context(), put(t, store, "a picture"))
	require.NoError(t, err)
	require.Equal(t, "a picture", string(data))

	// Only the owner may read the files.
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		return nil
	}))
}

func TestWhatIsNoKeyIsNotFound(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	key := put(t, store, "a picture")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "..", "secret"), []byte("secret"), 0o600))
	for _, wrong := range []string{
		"", "a", "lock", "secret", "../secret", key[:2], key[:63], key + "0", key + "\n", "\n" + key, strings.ToUpper(key),
		" " + key[1:], key[:2] + "/" + key, "./" + key[2:], "../" + key[3:], "..", ".", "/", "/etc/passwd",
		strings.Repeat("../", 21) + "a", key[:32] + "/" + key[33:], key[:32] + "\x00" + key[33:], strings.Repeat("g", 64),
		strings.Repeat("０", 64), strings.Repeat("0", 64), dir + "/" + key[:2] + "/" + key, "file://" + key[7:], "%2e%2e%2f" + key[9:],
	} {
		_, err := store.Get(t.Context(), wrong)
		require.Equal(t, problem.NotFound, problem.CodeOf(err), "%q", wrong)
	}
}

func TestADamagedFileIsAnErrorUntilItIsPutAgain(t *testing.T) {
	t.Parallel()
	for what, damage := range map[string]string{"changed": "a pictUre", "cut": "a pic", "empty": "", "longer": "a pictures"} {
		store, dir := open(t)
		key := put(t, store, "a picture")
		require.NoError(t, os.WriteFile(fileOf(dir, key), []byte(damage), 0o600))
		_, err := store.Get(t.Context(), key)
		require.ErrorContains(t, err, "damaged", what)
		require.Equal(t, problem.Internal, problem.CodeOf(err), what)

		put(t, store, "a picture")
		_, err = store.Get(t.Context(), key)
		require.NoError(t, err, what)
	}
}

func TestOnlyPlainFilesAreRead(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "picture")
	require.NoError(t, os.WriteFile(outside, []byte("a picture"), 0o600))
	for what, replace := range map[string]func(file string) error{
		"a link out":  func(file string) error { return os.Symlink(outside, file) },
		"a directory": func(file string) error { return os.Mkdir(file, 0o700) },
		"a long file": func(file string) error { return os.WriteFile(file, bytes.Repeat([]byte("x"), 32<<20+1), 0o600) },
	} {
		store, dir := open(t)
		key := put(t, store, "a picture")
		require.NoError(t, os.Remove(fileOf(dir, key)))
		require.NoError(t, replace(fileOf(dir, key)))
		_, err := store.Get(t.Context(), key)
		require.ErrorContains(t, err, "not a file of this store", what)
		_, err = store.Put(t.Context(), []byte("a picture"))
		require.Error(t, err, what)
	}
}

func TestAFileHasAnEnd(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	long := make([]byte, 32<<20+1)
	_, err := store.Put(t.Context(), long)
	require.ErrorContains(t, err, "exceed the limit")
	require.Empty(t, files(t, dir))

	key, err := store.Put(t.Context(), long[1:])
	require.NoError(t, err)
	data, err := store.Get(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, data, 32<<20)
}

func TestWhoHasGivenUpGetsNothing(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	key := put(t, store, "a picture")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.Get(ctx, key)
	require.ErrorIs(t, err, context.Canceled)
	_, err = store.Put(ctx, []byte("another"))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, files(t, dir), 1)
}

func TestManyPutTheSameAtOnce(t *testing.T) {
	t.Parallel()
	_, dir := open(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if err := putAll(t.Context(), dir); err != nil { // each with its own Store
				t.Error(err)
			}
		})
	}
	for range 3 {
		all.Go(func() {
			if output, err := other(t, dir).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, output)
			}
		})
	}
	all.Wait()
	require.Len(t, files(t, dir), contents, "no partial files")
}

// Proves: F24
func TestAFullDiskIsAnErrorAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, space := range []string{"0", "4096", "99999"} {
		_, dir := open(t)
		output, err := other(t, dir, room+"="+space).CombinedOutput()
		require.Error(t, err, space)
		require.Contains(t, string(output), "file too large", space)
		require.Empty(t, files(t, dir), space)
	}
	_, dir := open(t)
	output, err := other(t, dir, room+"=100000").CombinedOutput()
	require.NoError(t, err, string(output))
	require.Len(t, files(t, dir), contents)
}

// The test binary also runs as a second process, which puts the usual contents.
const (
	asOther = "BLOB_TEST_AS_OTHER" // the directory
	room    = "BLOB_TEST_ROOM"     // the largest file size in bytes, enforced by the kernel as on a full disk
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(asOther); dir != "" {
		if err := putAll(context.Background(), dir); err != nil {
			_, _ = fmt.Fprintln(os.Stdout, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const contents = 20

// putAll puts and reads all contents.
func putAll(ctx context.Context, dir string) error {
	if limit, err := strconv.ParseUint(os.Getenv(room), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	store, err := Open(dir)
	if err != nil {
		return err
	}
	for i := range contents {
		key, err := store.Put(ctx, content(i))
		if err != nil {
			return err
		}
		if _, err := store.Get(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// content is too long for one write.
func content(i int) []byte {
	data := make([]byte, 100_000)
	for j := range data {
		data[j] = byte(i + j%7)
	}
	return data
}

func other(t *testing.T, dir string, env ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(env, asOther+"="+dir)
	return command
}

func age(t *testing.T, file string) {
	t.Helper()
	then := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(file, then, then))
}

func anHourAgo() time.Time { return time.Now().Add(-time.Hour) }

func TestSweepRemovesWhatIsOldAndNotToBeKept(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	old, kept, young, again := put(t, store, "old"), put(t, store, "old and kept"), put(t, store, "young"), put(t, store, "put again")
	crashed, written := filepath.Join(dir, "new-"+strings.Repeat("A2", 13)), filepath.Join(dir, "new-"+strings.Repeat("B3", 13))
	require.NoError(t, os.WriteFile(crashed, []byte("half"), 0o600))
	require.NoError(t, os.WriteFile(written, []byte("half"), 0o600))
	for _, file := range []string{fileOf(dir, old), fileOf(dir, kept), fileOf(dir, again), crashed} {
		age(t, file)
	}
	put(t, store, "put again") // renews it
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	removed, err := store.Sweep(ctx, nil, anHourAgo())
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, removed)

	removed, err = store.Sweep(t.Context(), map[string]bool{kept: true, old: false}, anHourAgo())
	require.NoError(t, err)
	require.Equal(t, 2, removed)
	_, err = store.Get(t.Context(), old)
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	require.ElementsMatch(t, []string{fileOf(dir, kept), fileOf(dir, young), fileOf(dir, again), written}, files(t, dir))

	removed, err = store.Sweep(t.Context(), nil, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, 4, removed)
	require.Empty(t, files(t, dir))
}

func TestSweepLeavesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	key := put(t, store, "old")
	wrongFolder := filepath.Join(dir, "zz")
	if key[:2] != "00" {
		wrongFolder = filepath.Join(dir, "00")
	}
	foreign := []string{
		filepath.Join(dir, "notes.txt"), filepath.Join(dir, key), filepath.Join(wrongFolder, key),
		filepath.Join(dir, key[:2], "notes.txt"), filepath.Join(dir, key[:2], key+".bak"), filepath.Join(dir, key[:2], key[:63]),
		filepath.Join(dir, "new-picture"), filepath.Join(dir, "new-"+strings.Repeat("A2", 13)+".png"),
		filepath.Join(dir, key[:2], "new-"+strings.Repeat("A2", 13)), filepath.Join(dir, "abc", key), filepath.Join(dir, "AB", key),
		filepath.Join(dir, key[:2], key[:62]+"00", "in a folder"),
	}
	for _, file := range foreign {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte("foreign"), 0o600))
	}
	outside := t.TempDir()
	linked := filepath.Join(outside, strings.Repeat("f", 64))
	require.NoError(t, os.WriteFile(linked, []byte("foreign"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "ff")))
	link := filepath.Join(dir, key[:2], key[:2]+strings.Repeat("0", 62))
	require.NoError(t, os.Symlink(linked, link))

	removed, err := store.Sweep(t.Context(), nil, time.Now().Add(time.Hour)) // every file is older
	require.NoError(t, err)
	require.Equal(t, 1, removed)
	for _, file := range append(foreign, linked, filepath.Join(dir, "lock")) {
		require.FileExists(t, file)
	}
	_, err = os.Lstat(link)
	require.NoError(t, err)
}

func TestWhatIsPutDuringASweepStays(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	another, err := Open(dir) // as in another process
	require.NoError(t, err)
	key := put(t, store, "a picture")
	for range 200 {
		age(t, fileOf(dir, key))
		var both sync.WaitGroup
		for _, sweeper := range []*Store{store, another} {
			both.Go(func() {
				if _, err := sweeper.Sweep(t.Context(), nil, anHourAgo()); err != nil {
					t.Error(err)
				}
			})
			both.Go(func() {
				if _, err := sweeper.Put(t.Context(), []byte("a picture")); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		_, err := store.Get(t.Context(), key)
		require.NoError(t, err)
	}
	require.Len(t, files(t, dir), 1)
}

// TestAFileThatIsPutAfterItWasFoundOldIsNotRemoved puts the file between the two steps of Sweep.
func TestAFileThatIsPutAfterItWasFoundOldIsNotRemoved(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	key := put(t, store, "a picture")
	age(t, fileOf(dir, key))
	limit := anHourAgo()
	found, err := store.stale(nil, limit)
	require.NoError(t, err)
	require.Equal(t, []string{pathOf(key)}, found)
	put(t, store, "a picture")

	gone, err := store.removeOlder(found[0], limit)
	require.NoError(t, err)
	require.False(t, gone)
	_, err = store.Get(t.Context(), key)
	require.NoError(t, err)
}
