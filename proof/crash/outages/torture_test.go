package outages

import (
	"testing"

	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
)

// TestTorture is the short form: each kind of outage once.
// Proves: F3, F4, F5, F27 seeded
func TestTorture(t *testing.T) {
	t.Parallel()
	rigtest.Short(t, Torture, rig.Options{Count: 5, Databases: []string{rig.Mortal}})
}
