package journeys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/workflows"
)

// TestPostJourneys tells every ending of a post, and of the flows around it.
// Proves: F7, F9, F12
func TestPostJourneys(t *testing.T) {
	t.Parallel()
	tell(t, map[string]ending{
		"posted now: published, with one slot spent":        {"post-published", patient, published},
		"edited and moved before its time: goes out so":     {"post-edited", patient, edited},
		"cancelled before its time: the slot is free again": {"post-cancelled", patient, cancelled},
		"refused, then retried: published":                  {"post-failed-retried", patient, failedRetried},
		"answer lost after X took it: found, not twice":     {"post-found", brief, foundAgain},
		"X asks to wait: goes out when it may":              {"post-rate-limited", patient, rateLimited},
		"timeline unreadable: unknown, until a signal":      {"post-unknown", brief, unknown},
		"given up unknown, and found: published":            {"post-unknown-found", brief, foundWhenGivenUp},
		"given up in the console, not there: cancelled":     {"post-unknown-cancelled", brief, cancelledInTheConsole},
		"given up in the console, nobody can see: kept":     {"post-unknown-kept", brief, kept},
		"no bot to post with: goes out when it is back":     {"post-not-connected", patient, notConnected},
		"X is not there, and the clock is behind: no hurry": {"post-clock-behind", patient, clockBehind},
		"the schedule reads how posts are received":         {"engagement", patient, engagement},
		"a canary sings": {"canary", patient, canary},
	})
}

func published(t *testing.T, w *world) string {
	p := w.schedule(t, "hello, world", 0)
	ended := w.ends(t, p.ID, post.StatusPublished)
	require.Equal(t, 1, ended.Attempt)
	require.Equal(t, *ended.TweetID, w.x.Tweets()[0].ID)
	w.isPublic(t, "hello, world", 1)
	return workflows.PostID(p.ID)
}

func edited(t *testing.T, w *world) string {
	p := w.schedule(t, "first thought", time.Hour)
	require.NoError(t, w.runs.EditPost(t.Context(), p, workflows.EditOrder{Text: "second thought"}))
	soon := time.Now().Add(time.Second)
	require.NoError(t, w.runs.ReschedulePost(t.Context(), p, workflows.RescheduleOrder{ScheduledAt: soon}))
	ended := w.ends(t, p.ID, post.StatusPublished)
	require.Equal(t, p.Version+2, ended.Version)
	w.isPublic(t, "second thought", 1)
	return workflows.PostID(p.ID)
}

func cancelled(t *testing.T, w *world) string {
	p := w.schedule(t, "never mind", time.Hour)
	w.holds(t, 0, 1)
	require.NoError(t, w.runs.CancelPost(t.Context(), p))
	w.ends(t, p.ID, post.StatusCancelled)
	require.Empty(t, w.x.Tweets())
	w.holds(t, 0, 0)
	return workflows.PostID(p.ID)
}

func failedRetried(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.NoCredits, Times: 1})
	p := w.schedule(t, "for the second time", 0)
	failed := w.becomes(t, p.ID, post.StatusFailed)
	require.Equal(t, "x_no_credits", failed.Code)
	w.holds(t, 0, 0)
	eventually(t, func(c *assert.CollectT) { // the row is a little ahead of its run
		require.NoError(c, w.runs.RetryPost(t.Context(), failed))
	})
	w.ends(t, p.ID, post.StatusPublished)
	w.isPublic(t, "for the second time", 2)
	return workflows.PostID(p.ID)
}

func foundAgain(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.HangAfter, Times: 1})
	p := w.schedule(t, "was it heard?", 0)
	w.ends(t, p.ID, post.StatusPublished)
	w.isPublic(t, "was it heard?", 1)
	return workflows.PostID(p.ID)
}

func rateLimited(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.RateLimit, Times: 1, Delay: 10 * time.Second})
	p := w.schedule(t, "all in good time", 0)
	var until time.Time
	eventually(t, func(c *assert.CollectT) {
		waiting, err := w.db.Posts.Post(t.Context(), p.ID)
		require.NoError(c, err)
		require.Equal(c, "x_rate_limited", waiting.Code)
		until = *waiting.WaitingUntil
	})
	ended := w.ends(t, p.ID, post.StatusPublished)
	require.Equal(t, 2, ended.Attempt)
	require.False(t, ended.PublishedAt.Before(until), "not before X may be asked again")
	w.isPublic(t, "all in good time", 2)
	return workflows.PostID(p.ID)
}

func unknown(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.DropAfter, Times: 1},
		xsandbox.Rule{On: xsandbox.OnRead, Fault: xsandbox.Unauthorized})
	p := w.schedule(t, "who knows", 0)
	w.becomes(t, p.ID, post.StatusUnknown)
	w.holds(t, 0, 1)
	w.misbehave(t)
	require.NoError(t, w.temporal.SignalWorkflow(t.Context(), workflows.PostID(p.ID), "", workflows.SignalRetry, nil))
	w.ends(t, p.ID, post.StatusPublished)
	w.isPublic(t, "who knows", 1)
	return workflows.PostID(p.ID)
}

func canary(t *testing.T, w *world) string {
	require.NoError(t, w.runs.Ping(t.Context()))
	require.NoError(t, w.runs.RunCanary(t.Context()))
	var id string
	require.EventuallyWithT(t, func(c *assert.CollectT) { // the server notes what can be found a little later
		runs := w.found(t.Context(), c, `WorkflowType="Canary"`)
		require.Len(c, runs, 1)
		id = runs[0].Execution.WorkflowId
	}, patience, 20*time.Millisecond)
	return id
}
