package journeys_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/internal/store/storetest"
)

// schedules schedules so many posts for now.
func (w *world) schedules(t *testing.T, n int, text string) (ids []string) {
	t.Helper()
	for i := range n {
		ids = append(ids, w.schedule(t, fmt.Sprintf("%s %d", text, i), 0).ID)
	}
	return ids
}

// X ends its pause for everybody at the same moment: nobody calls before.
// Proves: F7
func TestPostsThatWaitedTogetherGoOutInTheirTurn(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		const posts, pause = 12, 5 * time.Second
		w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.RateLimit, Times: posts, Delay: pause})
		for _, id := range w.schedules(t, posts, "after the pause") {
			w.ends(t, id, post.StatusPublished)
			tries := storetest.Attempts(t, w.db, id)
			last := tries[len(tries)-1]
			for _, refused := range tries[:len(tries)-1] {
				require.Equal(t, "x_rate_limited", refused.Code)
				require.GreaterOrEqual(t, last.StartedAt.Sub(refused.StartedAt), pause, "not before X may be asked again")
			}
		}
		require.EqualValues(t, 2*posts, w.sends.Load(), "so many were refused, and so many were taken")
		require.Len(t, w.x.Tweets(), posts)
		w.holds(t, posts, 0)
	})
}

// Tokens that X takes back in the middle of a day cost nobody a post: each due one is told once what
// is wrong, gives back what it held, and goes out when somebody asks for it again.
// Proves: F12
func TestADayWithTokensThatWereTakenBack(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		const posts = 12
		w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.Unauthorized})
		later := w.schedule(t, "tomorrow", 24*time.Hour)
		ids := w.schedules(t, posts, "today")
		for _, id := range ids {
			require.Equal(t, "x_bad_token", w.becomes(t, id, post.StatusFailed).Code)
		}
		require.EqualValues(t, posts, w.sends.Load(), "nobody tries again what cannot work")
		w.holds(t, 0, 1)
		require.Equal(t, post.StatusScheduled, w.row(t, later.ID).Status, "what is not due yet waits")

		w.misbehave(t)
		for _, id := range ids {
			eventually(t, func(c *assert.CollectT) { // the row is a little ahead of its run
				require.NoError(c, w.runs.RetryPost(t.Context(), w.row(t, id)))
			})
			w.ends(t, id, post.StatusPublished)
		}
		require.Len(t, w.x.Tweets(), posts)
		require.EqualValues(t, 2*posts, w.sends.Load())
		w.holds(t, posts, 1)
	})
}
