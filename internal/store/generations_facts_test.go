package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/testdb"
)

// Models are told that no experiments and no chaos runs are stored. Whoever adds such a table
// makes these facts true first: see generation.Sources.
func TestFactsThatAreUnavailableHaveNoTable(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Kinds {
		s := openEmpty(t, testdb.Address(t, kind))
		for _, table := range []string{"experiments", "chaos_runs"} {
			require.False(t, s.db.Migrator().HasTable(table), "%s: let generation.Sources tell of it", table)
		}
		require.True(t, s.db.Migrator().HasTable("generations"))
	}
}
