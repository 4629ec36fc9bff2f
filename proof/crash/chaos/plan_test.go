package chaos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/target/faults"
	"customerzero/proof/crash/rig"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	o := rig.Options{Count: 60, Kills: 36, Seed: 7}
	plan := newPlan(o)
	require.Equal(t, plan, newPlan(o), "the same seed makes the same plan")
	o.Seed = 8
	require.NotEqual(t, plan, newPlan(o))

	counts := map[string]map[manner]int{}
	for _, p := range plan {
		if counts[p.fault] == nil {
			counts[p.fault] = map[manner]int{}
		}
		counts[p.fault][p.manner]++
		require.Equal(t, p.manner == calm, p.pause == 0, "nobody is killed in calm")
		require.Equal(t, p.manner == expired, p.pause > shortLease)
	}
	for _, one := range faults.Descriptions() {
		require.Equal(t, map[manner]int{calm: 4, killed: 4, expired: 2}, counts[one.Name], one.Name)
	}
	require.Len(t, counts, len(faults.Descriptions()))
	for i, p := range plan {
		require.Equal(t, i < 24, p.manner == calm, "the calm ones come first")
	}
}
