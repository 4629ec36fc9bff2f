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
	d := newPostWorld(t)
	d.arm(t, "p1", "hello")
	for range 2 { // safe to repeat
		require.Equal(t, post.StatusScheduled, must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1", Last: true})).Status)
	}
	require.Len(t, d.x.since, 1, "a post that is not armed needs no check")
	require.Equal(t, 1, must(d.db.Posts.ReadUsage(t.Context(), "2026-11")).ReconciliationReads)
}

// TestPostActivitiesBoundTheirInput gives them inputs that an operator's run may have.
func TestPostActivitiesBoundTheirInput(t *testing.T) {
	t.Parallel()
	d := newPostWorld(t)
	d.Timing = post.TimingFor(10 * time.Second)
	d.arm(t, "p1", "hello")
	now := noon.Add(d.Timing.Settle - time.Second)
	d.Now = func() time.Time { return now }
	_, err := d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1", Last: true})
	early, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok, "the first call may still arrive: sent again, the post would be public twice")
	require.Equal(t, time.Second, early.NextRetryDelay())
	now = now.Add(time.Second)
	require.Equal(t, post.StatusScheduled, must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1", Last: true})).Status)

	d.write(t, "p2", "now")
	must(d.PublishPost(t.Context(), PublishPostInput{PostID: "p2", Attempt: 1, Send: time.Hour}))
	require.Equal(t, now.Add(10*time.Second), d.x.deadline.UTC())
}

func TestXFailure(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err   error
		delay time.Duration
		final bool
	}{
		"a limit: after its reset":             {err: limited(noon.Add(time.Minute)), delay: time.Minute},
		"a limit that is over: after a second": {err: limited(noon.Add(-time.Minute)), delay: time.Second},
		"the account is refused: final":        {err: saying(post.AccountRefused), final: true},
		"the request is refused: final":        {err: saying(post.Refused), final: true},
		"never sent: by the retry policy":      {err: saying(post.NotSent)},
		"no answer: by the retry policy":       {err: saying(post.Unclear)},
		"another error: by the retry policy":   {err: saying(post.Duplicate)},
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
