package checkouts

import (
	"testing"

	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
)

// TestTorture is the short form, on one database. The full form is make torture-checkout.
func TestTorture(t *testing.T) {
	t.Parallel()
	rigtest.Short(t, Torture, rig.Options{Count: 20, Kills: 2, Databases: []string{"sqlite"}})
}
