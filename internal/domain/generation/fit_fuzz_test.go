package generation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
)

// Whatever a model answers, what fits can be posted as it is, and what was made to fit once is not
// changed a second time.
func FuzzFit(f *testing.F) {
	for _, answer := range []string{
		"", "Hello.", "```\nHello.\n```", "```text\nHello.\n```\nmore", "“Hello.”", `"'Hello.'"`, `"Yes" is not "no"`, "# Title\nHello", "**Hello**", "[a](b)",
		"<b>Hello</b>", "a < b > c", "Hel\x00lo", "\xff", strings.Repeat("é", 300), strings.Repeat("👍", 2000), "\u202eolleH", "\r\n\r\n", "``````", "```\n```",
		"https://example.com/" + strings.Repeat("a", 5000), "`Hello.`", "'", "„Hallo.“", "\ufeffHello",
	} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		kept := Kept(answer)
		require.True(t, utf8.ValidString(kept))
		require.LessOrEqual(t, len(kept), maxKept)
		require.NotContains(t, kept, "\x00")
		require.Equal(t, kept, Kept(kept))

		text, flaw := Fit(answer)
		require.LessOrEqual(t, len(text), maxKept)
		if flaw != nil {
			require.NotEmpty(t, flaw.Code)
			require.NotEmpty(t, flaw.Reason)
			require.NotContains(t, flaw.Reason, "%!")
			return
		}
		require.NoError(t, post.CheckText(text))
		require.False(t, markup(text))
		again, flaw := Fit(text)
		require.Nil(t, flaw)
		require.NoError(t, post.CheckText(again))
	})
}
