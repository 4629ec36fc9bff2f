package node

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLockFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "temporal.db")
	held, err := lockFile(t.Context(), file, 0)
	require.NoError(t, err)

	_, err = lockFile(t.Context(), file, time.Millisecond)
	require.ErrorContains(t, err, "still locked after 1ms")

	gone := errors.New("the launcher is gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	_, err = lockFile(ctx, file, time.Hour)
	require.ErrorIs(t, err, gone, "a wait that nobody needs ends")

	require.NoError(t, held.Close())
	again, err := lockFile(t.Context(), file, 0)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

func TestLockFileNeedsAFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := lockFile(t.Context(), filepath.Join(file, "temporal.db"), 0)
	require.ErrorContains(t, err, "cannot make the folder of the database")

	require.NoError(t, os.Mkdir(file+".db.lock", 0o700))
	_, err = lockFile(t.Context(), file+".db", 0)
	require.ErrorContains(t, err, "cannot write to the folder of the database")
}
