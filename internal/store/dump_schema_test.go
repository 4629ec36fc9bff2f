package store

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/store/testdb"
)

// Whatever has a model is in a backup, and nothing else is in the database.
func TestEveryTableIsInADump(t *testing.T) {
	t.Parallel()

	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := openEmpty(t, testdb.Address(t, kind))
			var want, have []string
			for _, model := range models {
				parsed := &gorm.Statement{DB: s.gorm}
				require.NoError(t, parsed.Parse(model))
				want = append(want, parsed.Schema.Table)
			}
			require.NoError(t, s.Snapshot(t.Context(), func(m *Snapshot) error {
				for _, table := range m.Tables {
					have = append(have, table.Name)
					_, err := table.order(s.dialect)
					require.NoError(t, err, "every table has an order")
				}
				return nil
			}))
			slices.Sort(want)
			require.Equal(t, want, have)
		})
	}
}
