package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTorture is the short form. The full form is make torture-posts.
func TestTorture(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	require.NoError(t, err)
	temporald := filepath.Join(root, "bin", "temporald")
	if named := os.Getenv("TEMPORAL_BIN"); named != "" {
		temporald = named
	}
	require.FileExists(t, temporald, "run make build")
	postgres := os.Getenv("TEST_DATABASE_URL")
	require.NotEmpty(t, postgres, "TEST_DATABASE_URL names no Postgres: run make test, or scripts/with-postgres go test ./...")
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			kept, err := run(t.Context(), options{
				posts: 40, kills: 3, seed: rand.Uint64(), databases: []string{kind}, timeout: 5 * time.Minute,
				temporald: temporald, postgres: postgres, out: t.Output(),
			})
			require.NoError(t, err)
			require.True(t, kept, "a promise was broken; the table above says which")
		})
	}
}
