// Package storetest gives tests empty, migrated stores of both kinds. Only tests may use it.
package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/store"
	"customerzero/internal/testdb"
)

// Each runs a test on an empty store of each kind.
func Each(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, Open(t, testdb.Address(t, kind)))
		})
	}
}

// Open opens and migrates the database at the address.
func Open(t testing.TB, address string) *store.Store {
	t.Helper()
	s, err := store.Open(address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(t.Context()))
	return s
}
