package chaos

import (
	"testing"

	"customerzero/internal/store/testdb"
	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
)

// TestCrash is the short form, in which nobody takes pictures: no promise is about them. The
// full form is make crash-chaos.
// Proves: F34 in turn: sqlite postgres
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Either(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			rigtest.Short(t, CrashTest, rig.Options{Count: 5, Kills: 3, Databases: []string{kind}, Blind: true})
		})
	}
}
