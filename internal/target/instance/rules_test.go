package instance

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
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

// FuzzReadBundle checks that every accepted bundle passes its own checks, and that reading any input is
// harmless.
func FuzzReadBundle(f *testing.F) {
	whole, err := fs.ReadFile(golden.FS, target.FileRules)
	require.NoError(f, err)
	f.Add(whole)
	for _, text := range []string{
		"", "{}", "null", "[]", `{"rules":{"newest":1},"checks":[{"repeat":9223372036854775807,"text":"aa"}]}`, `{"rules":{"newest":1},"checks":[{"verdict":"empty"}]}`,
		`{"rules":{"newest":1e3},"checks":[]}`, `{"rules":{"newest":1},"checks":[{"repeat":-1,"text":"a","verdict":"too_long"}]}`, `{"rules":{},"more":1}`,
	} {
		f.Add([]byte(text))
	}
	f.Add([]byte(strings.Replace(string(whole), "280", "28", 1)))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := readBundle(text)
		if err != nil {
			require.Equal(t, problem.Unavailable, problem.CodeOf(err))
			return
		}
		require.NotEmpty(t, b.Checks)
		require.True(t, b.Rules.Newest >= 1 && b.Rules.Newest <= 100)
		require.NoError(t, b.selfCheck())
	})
}
