package blob_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/blob"
	"customerzero/internal/domain/problem"
)

func age(t *testing.T, file string) {
	t.Helper()
	then := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(file, then, then))
}

func anHourAgo() time.Time { return time.Now().Add(-time.Hour) }

func TestSweepRemovesWhatIsOldAndNotToBeKept(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	old, kept, young := put(t, store, "old"), put(t, store, "old and kept"), put(t, store, "young")
	age(t, fileOf(dir, old))
	age(t, fileOf(dir, kept))
	removed, err := store.Sweep(t.Context(), map[string]bool{kept: true, old: false}, anHourAgo())
	require.NoError(t, err)
	require.Equal(t, 1, removed)

	_, err = store.Get(t.Context(), old)
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	require.ElementsMatch(t, []string{fileOf(dir, kept), fileOf(dir, young)}, files(t, dir))

	removed, err = store.Sweep(t.Context(), nil, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, 2, removed)
	require.Empty(t, files(t, dir))
}

func TestSweepTakesWhatACrashLeftWhenItIsOld(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	crashed := filepath.Join(dir, "new-"+strings.Repeat("A2", 13))
	written := filepath.Join(dir, "new-"+strings.Repeat("B3", 13))
	require.NoError(t, os.WriteFile(crashed, []byte("half"), 0o600))
	require.NoError(t, os.WriteFile(written, []byte("half"), 0o600))
	age(t, crashed)
	removed, err := store.Sweep(t.Context(), nil, anHourAgo())
	require.NoError(t, err)
	require.Equal(t, 1, removed)
	require.Equal(t, []string{written}, files(t, dir))
}

func TestSweepLeavesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	key := put(t, store, "old")
	wrongFolder := filepath.Join(dir, "zz")
	if key[:2] != "00" {
		wrongFolder = filepath.Join(dir, "00")
	}
	theirs := []string{
		filepath.Join(dir, "notes.txt"), filepath.Join(dir, key), filepath.Join(wrongFolder, key),
		filepath.Join(dir, key[:2], "notes.txt"), filepath.Join(dir, key[:2], key+".bak"), filepath.Join(dir, key[:2], key[:63]),
		filepath.Join(dir, "new-picture"), filepath.Join(dir, "new-"+strings.Repeat("A2", 13)+".png"),
		filepath.Join(dir, key[:2], "new-"+strings.Repeat("A2", 13)), filepath.Join(dir, "abc", key), filepath.Join(dir, "AB", key),
		filepath.Join(dir, key[:2], key[:62]+"00", "in a folder"),
	}
	for _, file := range theirs {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte("theirs"), 0o600))
	}
	outside := t.TempDir()
	linked := filepath.Join(outside, strings.Repeat("f", 64))
	require.NoError(t, os.WriteFile(linked, []byte("theirs"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "ff")))
	link := filepath.Join(dir, key[:2], key[:2]+strings.Repeat("0", 62))
	require.NoError(t, os.Symlink(linked, link))

	removed, err := store.Sweep(t.Context(), nil, time.Now().Add(time.Hour)) // no link is younger
	require.NoError(t, err)
	require.Equal(t, 1, removed)
	for _, file := range append(theirs, linked, filepath.Join(dir, "lock")) {
		require.FileExists(t, file)
	}
	_, err = os.Lstat(link)
	require.NoError(t, err)
}

func TestWhatIsPutAgainIsYoung(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	key := put(t, store, "a picture")
	age(t, fileOf(dir, key))
	put(t, store, "a picture")
	removed, err := store.Sweep(t.Context(), nil, anHourAgo())
	require.NoError(t, err)
	require.Zero(t, removed)
}

func TestWhatIsPutDuringASweepStays(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	another, err := blob.Open(dir) // as another process would have
	require.NoError(t, err)
	key := put(t, store, "a picture")
	for range 200 {
		age(t, fileOf(dir, key))
		var both sync.WaitGroup
		for _, sweeper := range []*blob.Store{store, another} {
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

func TestASweepCanBeStopped(t *testing.T) {
	t.Parallel()
	store, dir := open(t)
	age(t, fileOf(dir, put(t, store, "old")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	removed, err := store.Sweep(ctx, nil, anHourAgo())
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, removed)
	require.Len(t, files(t, dir), 1)
}
