package activities

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/post"
)

func TestTimelineReadsAreCounted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.arm(t, "p1", "hello")
	for range 2 { // safe to repeat
		require.Equal(t, post.StatusScheduled, must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1", Last: true})).Status)
	}
	require.Len(t, d.x.since, 1, "a post that is not armed needs no look")
	require.Equal(t, 1, must(d.db.Posts.ReadUsage(t.Context(), "2026-11")).ReconciliationReads)
}

func TestXFailure(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err   error
		delay time.Duration
		final bool
	}{
		"a limit: after its reset":                 {err: limited(noon.Add(time.Minute)), delay: time.Minute},
		"a limit that is over: not quite at once":  {err: limited(noon.Add(-time.Minute)), delay: time.Second},
		"the account is refused: useless":          {err: saying(post.AccountRefused), final: true},
		"the question is refused: useless":         {err: saying(post.Refused), final: true},
		"never sent: when the retry policy thinks": {err: saying(post.NotSent)},
		"no answer: when the retry policy thinks":  {err: saying(post.Unclear)},
		"an odd answer: when the policy thinks":    {err: saying(post.Duplicate)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, ok := errors.AsType[*temporal.ApplicationError](asXFailure(tt.err, noon))
			require.True(t, ok)
			require.Equal(t, tt.err.Error(), said.Message())
			require.Equal(t, tt.delay, said.NextRetryDelay())
			require.Equal(t, tt.final, said.NonRetryable())
		})
	}
	other := errors.New("no database")
	require.Equal(t, other, asXFailure(other, noon), "what X did not say is not X's")
}
