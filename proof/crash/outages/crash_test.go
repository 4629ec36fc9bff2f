package outages

import (
	"testing"

	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
)

// TestCrash is the short form: each kind of outage once.
// Proves: F3, F4, F5, F27 seeded
func TestCrash(t *testing.T) {
	t.Parallel()
	rigtest.Short(t, CrashTest, rig.Options{Count: 5, Databases: []string{rig.Mortal}})
}
