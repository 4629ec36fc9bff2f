package blob

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAFileThatIsPutAfterItWasFoundOldIsNotRemoved(t *testing.T) {
	t.Parallel()
	store, err := Open(t.TempDir())
	require.NoError(t, err)
	key, err := store.Put(t.Context(), []byte("a picture"))
	require.NoError(t, err)
	then := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(store.dir, pathOf(key)), then, then))

	anHourAgo := time.Now().Add(-time.Hour)
	found, err := store.stale(nil, anHourAgo)
	require.NoError(t, err)
	require.Equal(t, []string{pathOf(key)}, found)
	_, err = store.Put(t.Context(), []byte("a picture"))
	require.NoError(t, err)

	gone, err := store.removeOlder(found[0], anHourAgo)
	require.NoError(t, err)
	require.False(t, gone)
	_, err = store.Get(t.Context(), key)
	require.NoError(t, err)
}
