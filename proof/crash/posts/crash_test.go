package posts

import (
	"testing"

	"customerzero/internal/store/testdb"
	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
)

// TestCrash is the short form. The full form is make crash-posts.
// Proves: F1, F9, F13 in turn: sqlite postgres
// Proves: F3, F4 in turn: postgres
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Either(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			rigtest.Short(t, CrashTest, rig.Options{Count: 30, Kills: 3, Databases: []string{kind}})
		})
	}
}

// TestCrashWithPostgresKilled is on a Postgres whose first process is killed.
// Proves: F1, F3, F9, F13 in turn
func TestCrashWithPostgresKilled(t *testing.T) {
	t.Parallel()
	rigtest.Short(t, CrashTest, rig.Options{Count: 15, Kills: 2, Databases: []string{rig.Mortal}})
}
