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

// A bundle that a fault has damaged is believed only when it passes its own checks, and looking at
// it does no harm.
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
