package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/testdb"
)

// Models are told that no experiments are stored. Whoever adds such a table makes this fact
// true first: see generation.Sources.
func TestFactsThatAreUnavailableHaveNoTable(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Kinds {
		s := openEmpty(t, testdb.Address(t, kind))
		require.False(t, s.db.Migrator().HasTable("experiments"), "let generation.Sources tell of them")
		require.True(t, s.db.Migrator().HasTable("generations"))
	}
}
