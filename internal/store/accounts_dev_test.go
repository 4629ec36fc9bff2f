package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// Whoever used DEV_LOGIN first must still be let in by X.
// Proves: S-handles
func TestFirstTrueLoginTakesABelievedAccountOver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		believed, err := s.Accounts.XAccount(t.Context(), account.DevUserID+"grace", "grace", november)
		require.NoError(t, err)
		proven, err := s.Accounts.XAccount(t.Context(), "4243", "Grace", november)
		require.NoError(t, err)
		require.Equal(t, believed.ID, proven.ID)
		require.Equal(t, "4243", *proven.XUserID)
		_, err = s.Accounts.XAccount(t.Context(), "666", "grace", november)
		require.ErrorContains(t, err, "belonged to another X account")
	})
}
