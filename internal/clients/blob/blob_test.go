package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/blob"
	"customerzero/internal/domain/problem"
)

func open(t *testing.T) (store *blob.Store, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data", "blobs")
	store, err := blob.Open(dir)
	require.NoError(t, err)
	return store, dir
}

func put(t *testing.T, store *blob.Store, text string) (key string) {
	t.Helper()
	key, err := store.Put(t.Context(), []byte(text))
	require.NoError(t, err)
	return key
}

func fileOf(dir, key string) string { return filepath.Join(dir, key[:2], key) }

// files lists what is in the directory, but for its lock.
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
		require.Equal(t, key, put(t, store, text), "it has one name")
		data, err := store.Get(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, text, string(data))
	}
	require.Len(t, files(t, dir), 3)

	again, err := blob.Open(dir)
	require.NoError(t, err)
	data, err := again.Get(t.Context(), put(t, store, "a picture"))
	require.NoError(t, err)
	require.Equal(t, "a picture", string(data))
}

func TestNobodyElseMayReadTheFiles(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	put(t, store, "a picture")
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
		"a long file": func(file string) error {
			return os.WriteFile(file, bytes.Repeat([]byte("x"), 32<<20+1), 0o600)
		},
	} {
		store, dir := open(t)
		key := put(t, store, "a picture")
		require.NoError(t, os.Remove(fileOf(dir, key)))
		require.NoError(t, replace(fileOf(dir, key)))
		_, err := store.Get(t.Context(), key)
		require.ErrorContains(t, err, "none of ours", what)
		_, err = store.Put(t.Context(), []byte("a picture"))
		require.Error(t, err, what)
	}
}

func TestAFileHasAnEnd(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	long := make([]byte, 32<<20+1)
	_, err := store.Put(t.Context(), long)
	require.ErrorContains(t, err, "too many")
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
			if err := putAll(t.Context(), dir); err != nil { // each with a Store of its own
				t.Error(err)
			}
		})
	}
	for range 3 {
		all.Go(func() {
			if said, err := other(t, dir).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, said)
			}
		})
	}
	all.Wait()
	require.Len(t, files(t, dir), contents, "and nothing half done")
}

// Proves: F24
func TestAFullDiskIsAnErrorAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, space := range []string{"0", "4096", "99999"} {
		_, dir := open(t)
		said, err := other(t, dir, room+"="+space).CombinedOutput()
		require.Error(t, err, space)
		require.Contains(t, string(said), "file too large", space)
		require.Empty(t, files(t, dir), space)
	}
	_, dir := open(t)
	said, err := other(t, dir, room+"=100000").CombinedOutput()
	require.NoError(t, err, string(said))
	require.Len(t, files(t, dir), contents)
}
