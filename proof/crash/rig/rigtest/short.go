// Package rigtest runs the short forms of crash tests as tests.
package rigtest

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testseed"
	"customerzero/proof/crash/rig"
)

// Short runs a crash test with a random seed and requires that every promise held.
func Short(t *testing.T, test rig.CrashTest, o rig.Options) {
	t.Helper()
	o.Postgres = os.Getenv("TEST_DATABASE_URL")
	if slices.Contains(o.Databases, "postgres") {
		require.NotEmpty(t, o.Postgres, "TEST_DATABASE_URL names no Postgres: run make test, or scripts/with-postgres go test ./...")
	}
	o.Seed, o.Timeout, o.Out = testseed.Seed(t), 30*time.Minute, t.Output()
	kept, err := test.Run(t.Context(), o)
	require.NoError(t, err)
	require.True(t, kept, "a promise was broken, see the table above")
}
