package suggest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/suggest"
)

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		wrong, want string
		known       []string
	}{
		{"wran", "warn", []string{"debug", "info", "warn", "error"}},
		{"Textt", "text", []string{"text", "scheduled_at"}},
		{"scheduled", "scheduled_at", []string{"text", "scheduled_at", "timezone"}},
		{"madewithai", "made_with_ai", []string{"member", "made_with_ai"}},
		{"--dry", "--dry-run", []string{"--json", "--dry-run"}},
		{"on", "", []string{"off", "all"}},
		{"loud", "", []string{"debug", "info", "warn", "error"}},
		{"", "", []string{"9"}},
		{"a", "", []string{"9"}},
		{"Crash-API", "crash-api", []string{"delete-og-image", "crash-api"}},
		{strings.Repeat("x", 1_000_000), "", []string{"text"}},
		{"text", "", nil},
	} {
		want := ""
		if tt.want != "" {
			want = ` Did you mean "` + tt.want + `"?`
		}
		require.Equal(t, want, suggest.DidYouMean(tt.wrong, tt.known), tt.wrong)
	}
}
