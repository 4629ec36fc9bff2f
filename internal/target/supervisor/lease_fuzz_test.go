package supervisor

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A lease that cannot be read is one that is over, so that what it let in is mended; one that can be
// is kept as it was.
func FuzzReadLease(f *testing.F) {
	for _, text := range []string{
		"", "{}", "null", "[]", `{"runId":"run_1","fault":"crash-api","since":"2026-11-20T12:00:00Z","until":"2026-11-20T12:00:30Z"}`, `{"until":"never"}`, `{"until":"9999-12-31T23:59:59Z"}`,
		`{"injectedAt":null}`, `{"runId":7}`, `{"runId":"a"`, "\x00", `{"until":"2026-11-20T12:00:30Z"}{}`,
	} {
		f.Add([]byte(text))
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := os.OpenRoot(t.TempDir())
		require.NoError(t, err)
		defer func() { require.NoError(t, root.Close()) }()
		require.NoError(t, root.WriteFile(leaseFile, text, 0o600))
		require.NoError(t, root.WriteFile(endedFile, text, 0o600))
		read := readLeases(root, slog.New(slog.DiscardHandler))
		open := read.current()
		require.NotNil(t, open, "there is one: it is not forgotten")
		if *open == (lease{}) {
			require.True(t, open.over(now))
			return
		}
		require.NoError(t, read.hold(open))
		again := readLeases(root, slog.New(slog.DiscardHandler)).current()
		require.Equal(t, open.RunID, again.RunID)
		require.True(t, open.Until.Equal(again.Until))
	})
}
