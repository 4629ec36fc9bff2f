package e2e

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/workflows"
)

// A refusal comes back through Temporal as the problem it was.
func TestRefusedOrdersAreProblems(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		open := w.schedule(t, "open", time.Hour)
		w.schedule(t, "taken", time.Hour)
		over := w.schedule(t, "over", 0)
		w.ends(t, over.ID, post.StatusPublished)
		stale := open.Version - 1

		for name, tt := range map[string]struct {
			order func() error
			code  problem.Code
		}{
			"an empty text":                    {w.editing(t, open, workflows.EditCommand{Text: " "}), problem.TextEmpty},
			"a text that another post has":     {w.editing(t, open, workflows.EditCommand{Text: "taken"}), problem.TextDuplicate},
			"an edit of what somebody changed": {w.editing(t, open, workflows.EditCommand{Text: "b", Version: &stale}), problem.Conflict},
			"an edit of what is published":     {w.editing(t, over, workflows.EditCommand{Text: "b"}), problem.PostClosed},
			"an edit of what nobody knows":     {w.editing(t, post.Post{ID: "nobody"}, workflows.EditCommand{Text: "b"}), problem.PostClosed},
			"a time that has passed":           {w.moving(t, open, time.Now().Add(-time.Hour)), problem.DatePast},
			"a time beyond the horizon":        {w.moving(t, open, time.Now().AddDate(2, 0, 0)), problem.DateTooFar},
			"a new time for what is published": {w.moving(t, over, time.Now().Add(time.Hour)), problem.PostClosed},
			"a cancel of what is published":    {func() error { return w.runs.CancelPost(t.Context(), over) }, problem.PostClosed},
			"a retry of what waits":            {func() error { return w.runs.RetryPost(t.Context(), open) }, problem.PostClosed},
			"a retry of what is published":     {func() error { return w.runs.RetryPost(t.Context(), over) }, problem.PostClosed},
			"a retry of what is not written":   {func() error { return w.runs.RetryPost(t.Context(), post.Post{ID: "lost"}) }, problem.PostClosed},
		} {
			err := tt.order()
			require.Error(t, err, name)
			require.Equal(t, tt.code, codeOf(err), "%s: %v", name, err)
		}
		after := w.row(t, open.ID)
		require.Equal(t, open.Text, after.Text)
		require.Equal(t, open.Version, after.Version)
	})
}

func (w *world) editing(t *testing.T, p post.Post, o workflows.EditCommand) func() error {
	return func() error { return w.runs.EditPost(t.Context(), p, o) }
}

func (w *world) moving(t *testing.T, p post.Post, at time.Time) func() error {
	return func() error {
		return w.runs.ReschedulePost(t.Context(), p, workflows.RescheduleCommand{ScheduledAt: at})
	}
}

// Proves: F13
func TestOrdersToAPostThatIsBeingSentAreRefused(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		w.silence.Lock()
		answers := sync.OnceFunc(w.silence.Unlock)
		t.Cleanup(answers) // else X could not be closed when this fails
		p := w.schedule(t, "on its way", 0)
		w.becomes(t, p.ID, post.StatusArmed)
		for name, order := range map[string]func() error{
			"edit":       w.editing(t, p, workflows.EditCommand{Text: "too late"}),
			"reschedule": w.moving(t, p, time.Now().Add(time.Hour)),
			"cancel":     func() error { return w.runs.CancelPost(t.Context(), p) },
		} {
			require.Equal(t, problem.PostArmed, codeOf(order()), name)
		}
		answers()
		w.ends(t, p.ID, post.StatusPublished)
		w.isPublic(t, "on its way", 1)
	})
}

// Without a worker, an order must not hang for as long as its caller has patience: the
// caller's time ends the wait, and says so.
// Proves: F5
func TestAnOrderWithoutAWorkerIsUnavailable(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "nobody listens", time.Hour)
		w.stopWorker()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := w.runs.EditPost(ctx, p, workflows.EditCommand{Text: "hello?"})
		require.Equal(t, problem.Unavailable, codeOf(err), "%v", err)
	})
}

// blind has X fail the next post, and refuse to show its timeline.
func (w *world) blind(t *testing.T, how xsandbox.Fault) {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: how, Times: 1}, xsandbox.Rule{On: xsandbox.OnRead, Fault: xsandbox.Unauthorized})
}

// loseSight leaves a post unknown: how X fails says whether it is public.
func (w *world) loseSight(t *testing.T, text string, how xsandbox.Fault) post.Post {
	w.blind(t, how)
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
		each(t, brief, func(t *testing.T, w *world) {
			p := w.keep(t)
			require.NoError(t, w.runs.RetryPost(t.Context(), p))
			again := w.ends(t, p.ID, post.StatusPublished)
			require.NotEqual(t, p.RunID, again.RunID, "carried by another run")
			w.isPublic(t, "who knows", 1)
		})
	})
	t.Run("cancel while nobody can see: kept again, by a run that goes on", func(t *testing.T) {
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
	kept(t, w)
	w.misbehave(t)
	posts, _, err := w.db.Posts.Posts(t.Context(), post.Filter{Limit: 1})
	require.NoError(t, err)
	return posts[0].Post
}
