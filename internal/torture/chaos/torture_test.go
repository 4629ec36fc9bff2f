package chaos

import (
	"testing"

	"customerzero/internal/torture/rig"
	"customerzero/internal/torture/rig/rigtest"
)

// TestTorture is the short form, in which nobody takes pictures: no promise is about them. The
// full form is make torture-chaos.
func TestTorture(t *testing.T) {
	t.Parallel()
	for _, kind := range rig.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			rigtest.Short(t, Torture, rig.Options{Count: 6, Kills: 3, Databases: []string{kind}, Blind: true})
		})
	}
}
