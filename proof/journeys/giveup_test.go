package journeys_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/workflows"
)

// loseSight leaves a post unknown: how X fails says whether it is public.
func (w *world) loseSight(t *testing.T, text string, how xsandbox.Fault) post.Post {
	t.Helper()
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: how, Times: 1},
		xsandbox.Rule{On: xsandbox.OnRead, Fault: xsandbox.Unauthorized})
	p := w.schedule(t, text, 0)
	w.becomes(t, p.ID, post.StatusUnknown)
	if how == xsandbox.DropAfter {
		require.Len(t, w.x.Tweets(), 1, "X took it")
	}
	eventually(t, func(c *assert.CollectT) { // the row is a little ahead of its run
		require.Len(c, w.found(t.Context(), c, `PostStatus="unknown"`), 1)
	})
	return w.row(t, p.ID)
}

// cancelRun asks for the end of a post's run, as the console does.
func (w *world) cancelRun(t *testing.T, id string) {
	t.Helper()
	require.NoError(t, w.temporal.CancelWorkflow(t.Context(), workflows.PostID(id), ""))
}

func foundWhenGivenUp(t *testing.T, w *world) string {
	p := w.loseSight(t, "too late", xsandbox.DropAfter)
	w.misbehave(t)
	err := w.runs.CancelPost(t.Context(), p)
	require.Equal(t, problem.PostClosed, codeOf(err), "%v", err)
	w.ends(t, p.ID, post.StatusPublished)
	w.isPublic(t, "too late", 1)
	return workflows.PostID(p.ID)
}

func cancelledInTheConsole(t *testing.T, w *world) string {
	p := w.loseSight(t, "never mind", xsandbox.DropBefore)
	w.misbehave(t)
	w.cancelRun(t, p.ID)
	w.ends(t, p.ID, post.StatusCancelled)
	require.Empty(t, w.x.Tweets())
	w.holds(t, 0, 0)
	return workflows.PostID(p.ID)
}

// kept is what the console's cancellation comes to when nobody can see: the run fails, and
// tells why, and the row stays as it is.
func kept(t *testing.T, w *world) string {
	p := w.loseSight(t, "who knows", xsandbox.DropAfter)
	w.cancelRun(t, p.ID)
	err := w.temporal.GetWorkflow(t.Context(), workflows.PostID(p.ID), "").Get(t.Context(), nil)
	failed, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, string(problem.Unavailable), failed.Type())
	require.ErrorContains(t, failed, "timeline cannot be read")
	var result workflows.PostResult
	require.NoError(t, failed.Details(&result))
	require.Equal(t, post.StatusUnknown, result.Status)
	after := w.row(t, p.ID)
	require.Equal(t, p.Status, after.Status)
	require.Equal(t, p.Reason, after.Reason)
	w.holds(t, 0, 1)
	return workflows.PostID(p.ID)
}

// The run is over and the post is not: the next order finds it a new run.
func TestAPostThatWasKeptTakesOrders(t *testing.T) {
	t.Parallel()

	t.Run("retry: found", func(t *testing.T) {
		t.Parallel()
		each(t, brief, func(t *testing.T, w *world) {
			p := w.keep(t)
			require.NoError(t, w.runs.RetryPost(t.Context(), p))
			again := w.ends(t, p.ID, post.StatusPublished)
			require.NotEqual(t, p.RunID, again.RunID, "carried by another run")
			w.isPublic(t, "who knows", 1)
		})
	})
	t.Run("cancel while nobody can see: kept again, by a run that goes on", func(t *testing.T) {
		t.Parallel()
		each(t, brief, func(t *testing.T, w *world) {
			p := w.keep(t)
			w.misbehave(t, xsandbox.Rule{On: xsandbox.OnRead, Fault: xsandbox.Unauthorized})
			err := w.runs.CancelPost(t.Context(), p)
			require.Equal(t, problem.Unavailable, codeOf(err), "%v", err)
			w.misbehave(t)
			err = w.runs.CancelPost(t.Context(), p)
			require.Equal(t, problem.PostClosed, codeOf(err), "%v", err)
			w.ends(t, p.ID, post.StatusPublished)
			w.isPublic(t, "who knows", 1)
		})
	})
}

// keep leaves a post whose run could not give it up. X behaves again.
func (w *world) keep(t *testing.T) post.Post {
	t.Helper()
	kept(t, w)
	w.misbehave(t)
	posts, _, err := w.db.Posts.Posts(t.Context(), post.Filter{Limit: 1})
	require.NoError(t, err)
	return posts[0].Post
}
