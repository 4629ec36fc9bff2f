package instance

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/target/golden"
)

func TestTheGoldenRulesJudgeAsTheirChecksSay(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(golden.FS, target.FileRules)
	require.NoError(t, err)
	b, err := readBundle(text)
	require.NoError(t, err)
	require.Equal(t, rules{MaxWeight: 280, MonthlyPosts: 500, Newest: 20}, b.Rules)
	seen := map[verdict]bool{}
	for _, c := range b.Checks {
		seen[c.Verdict] = true
	}
	require.Len(t, seen, 4, "every verdict has a check")
	for name, other := range map[string]rules{
		"a longer text": {MaxWeight: 281, MonthlyPosts: 500, Newest: 20}, "a shorter one": {MaxWeight: 279, MonthlyPosts: 500, Newest: 20},
		"a larger month": {MaxWeight: 280, MonthlyPosts: 501, Newest: 20}, "a smaller one": {MaxWeight: 280, MonthlyPosts: 499, Newest: 20},
		"no posts": {MaxWeight: 280, MonthlyPosts: 500},
	} {
		changed := b
		changed.Rules = other
		require.Error(t, changed.selfCheck(), name)
	}
}
