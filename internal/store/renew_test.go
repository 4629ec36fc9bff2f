package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestRenewedConnectionsSeeDamageAndReadOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := storetest.Open(t, "sqlite:"+path)
	reads := func() error {
		_, _, err := s.Posts.PublishedPosts(t.Context(), 1, 0)
		return err
	}
	require.NoError(t, s.Renew(t.Context())) // what was written is in the file now
	require.NoError(t, reads())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte{0xA5}, len(whole)), 0o600))
	require.NoError(t, reads(), "an old connection remembers")
	require.Error(t, s.Renew(t.Context()))
	require.Error(t, reads())
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	require.NoError(t, s.Renew(t.Context()))
	require.NoError(t, reads())
}

func TestRenewDisturbsNobody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ended := make(chan error, 1)
		go func() {
			for range 200 {
				if _, _, err := s.Posts.PublishedPosts(t.Context(), 1, 0); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
		for range 50 {
			require.NoError(t, s.Renew(t.Context()))
		}
		require.NoError(t, <-ended)
	})
}

func TestSettledRowsLieInTheFileItself(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := storetest.Open(t, "sqlite:"+path)
	log := func() int64 {
		info, err := os.Stat(path + "-wal")
		require.NoError(t, err)
		return info.Size()
	}
	require.NoError(t, s.ClientErrors.SaveClientError(t.Context(), problem.ClientError{ID: "ce_1", Path: "/", Message: "boom", CreatedAt: time.Now()}))
	require.Positive(t, log())
	require.NoError(t, s.Settle(t.Context()))
	require.Zero(t, log())
}
