package e2e

import (
	"context"
	"errors"
	"strings"
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

		for name, tt := range map[string]struct {
			order func() error
			code  problem.Code
		}{
			"a text that another post has": {w.editing(t, open, workflows.EditCommand{Text: "taken"}), problem.TextDuplicate},
			"an edit of what is published": {w.editing(t, over, workflows.EditCommand{Text: "b"}), problem.PostClosed},
			"an edit of what nobody knows": {w.editing(t, post.Post{ID: "nobody"}, workflows.EditCommand{Text: "b"}), problem.PostClosed},
			"a retry of what waits":        {func() error { return w.runs.RetryPost(t.Context(), open) }, problem.PostClosed},
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

// kept is a post that X took without an answer, and cannot be looked for. What the console's cancellation
// comes to: the run fails and says why, and the row stays as it is.
func kept(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.DropAfter, Times: 1},
		xsandbox.Rule{On: xsandbox.OnRead, Fault: xsandbox.Unauthorized})
	p := w.schedule(t, "who knows", 0)
	w.becomes(t, p.ID, post.StatusUnknown)
	eventually(t, func(c *assert.CollectT) { // the row is a little ahead of its run
		require.Len(c, w.found(t.Context(), c, `PostStatus="unknown"`), 1)
	})
	p = w.row(t, p.ID)
	require.NoError(t, w.temporal.CancelWorkflow(t.Context(), workflows.PostID(p.ID), ""))
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
	each(t, brief, func(t *testing.T, w *world) {
		p := w.row(t, strings.TrimPrefix(kept(t, w), workflows.PostID("")))
		w.misbehave(t)
		require.NoError(t, w.runs.RetryPost(t.Context(), p))
		again := w.ends(t, p.ID, post.StatusPublished)
		require.NotEqual(t, p.RunID, again.RunID, "carried by another run")
		w.isPublic(t, "who knows", 1)
	})
}
