package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestRenewedConnectionsSeeDamageAndReadOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := storetest.Open(t, "sqlite:"+path)
	reads := func() error {
		_, _, err := s.PublishedPosts(t.Context(), 1, 0)
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
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ended := make(chan error, 1)
		go func() {
			for range 200 {
				if _, _, err := s.PublishedPosts(t.Context(), 1, 0); err != nil {
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
