package recurring_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/recurring"
)

// What a series was accepted with can be posted, whenever and however often its turn comes.
func FuzzExpand(f *testing.F) {
	for _, text := range []string{"Number {number}", "{date}", "{number}{number}{date}", "{{number}}", "{num{number}ber}", "{Number} {date", "https://example.com/{number}", "{date}.com", "a{number}b.de", "\u200b{number}", "{number}\u0301"} {
		f.Add(text, 1, 0)
		f.Add(text, 9999, 400)
	}
	f.Fuzz(func(t *testing.T, text string, number, day int) {
		if number < 1 || number > 9999 || day < 0 || day > 10_000 {
			return
		}
		s := sound()
		s.Texts = []string{text, "Another {number}"}
		if err := s.Check(0, now); err != nil {
			require.NotEmpty(t, problem.CodeOf(err))
			return
		}
		at := now.AddDate(0, 0, day)
		expanded := recurring.Expand(text, at, time.UTC, number)
		require.NoError(t, post.CheckText(expanded), "%q", expanded)
	})
}
