package checkouts

import (
	"testing"

	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
)

// TestCrash is the short form, on one database. The full form is make crash-checkouts.
// Proves: F2, F14, F15, F16, F17, F18, F19 seeded
func TestCrash(t *testing.T) {
	t.Parallel()
	rigtest.Short(t, CrashTest, rig.Options{Count: 20, Kills: 2, Databases: []string{"sqlite"}})
}
