package checkouts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/proof/crash/rig"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	o := rig.Options{Count: 300, Kills: 10, Seed: 7}
	plan := newPlan(o)
	require.Equal(t, plan, newPlan(o), "the same seed makes the same plan")
	o.Seed = 8
	require.NotEqual(t, plan, newPlan(o))

	known, practised := map[string]bool{}, map[habit]bool{}
	for _, b := range plan.buyers {
		address, err := account.Canonical(b.email)
		require.NoError(t, err)
		require.Equal(t, b.email, address, "what is looked for must be as it is written")
		require.False(t, known[b.email] || known[b.address.String()], "%+v is not the first", b)
		known[b.email], known[b.address.String()] = true, true
		practised[b.habit] = true
	}
	for _, h := range habits {
		require.True(t, practised[h], "nobody %s", h)
	}
	require.Len(t, plan.damage.Kills, 20)
}
