package posts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/proof/crash/rig"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	o := rig.Options{Count: 200, Kills: 10, Seed: 7}
	plan := newPlan(o)
	require.Equal(t, plan, newPlan(o), "the same seed makes the same plan")
	o.Seed = 8
	require.NotEqual(t, plan, newPlan(o))

	keys := map[string]bool{}
	for _, p := range plan.posts {
		require.NoError(t, post.CheckText(p.text))
		require.False(t, keys[post.TextKey(p.text)], "%q comes twice", p.text)
		keys[post.TextKey(p.text)] = true
		for _, o := range p.orders {
			if o.kind == edit {
				require.NoError(t, post.CheckText(o.text))
			}
		}
	}
}
