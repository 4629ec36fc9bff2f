package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/store"
)

// A folder may be called anything; a database in it is there and nowhere else.
func TestADatabaseLiesWhereItsPathSays(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"a#b", "50%", "%41", "a b", "é&c=d"} {
		dir := filepath.Join(t.TempDir(), folder)
		require.NoError(t, os.Mkdir(dir, 0o700))
		path := filepath.Join(dir, "books.db")
		books, err := store.Open("sqlite:" + path)
		require.NoError(t, err)
		require.NoError(t, books.Migrate(t.Context()), folder)
		require.NoError(t, books.Close())
		require.FileExists(t, path)
	}
}
