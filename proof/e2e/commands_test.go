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

// Temporal returns a refusal with its problem code.
func TestRefusedCommandsAreProblems(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		open := w.schedule(t, "open", time.Hour)
		w.schedule(t, "taken", time.Hour)
		over := w.schedule(t, "over", 0)
		w.ends(t, over.ID, post.StatusPublished)

		for name, tt := range map[string]struct {
			command func() error
			code    problem.Code
		}{
			"a duplicate text":            {w.editing(t, open, workflows.EditCommand{Text: "taken"}), problem.TextDuplicate},
			"an edit of a published post": {w.editing(t, over, workflows.EditCommand{Text: "b"}), problem.PostClosed},
			"an edit of an unknown post":  {w.editing(t, post.Post{ID: "unknown"}, workflows.EditCommand{Text: "b"}), problem.PostClosed},
			"a retry of a scheduled post": {func() error { return w.runs.RetryPost(t.Context(), open) }, problem.PostClosed},
		} {
			err := tt.command()
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

// Without a worker, a command fails at the caller's deadline.
// Proves: F5
func TestCommandWithoutAWorkerIsUnavailable(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		p := w.schedule(t, "without a worker", time.Hour)
		w.stopWorker()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := w.runs.EditPost(ctx, p, workflows.EditCommand{Text: "hello?"})
		require.Equal(t, problem.Unavailable, codeOf(err), "%v", err)
	})
}

// kept cancels the run of an unknown post in the console: the timeline cannot be read, so the run fails with the
// reason and the row is unchanged.
func kept(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.DropAfter, Times: 1},
		xsandbox.Rule{On: xsandbox.OnRead, Fault: xsandbox.Unauthorized})
	p := w.schedule(t, "who knows", 0)
	w.becomes(t, p.ID, post.StatusUnknown)
	eventually(t, func(c *assert.CollectT) { // the run lags behind its row
		require.Len(c, w.found(t.Context(), c, `PostStatus="unknown"`), 1)
	})
	p = w.row(t, p.ID)
	require.NoError(t, w.temporal.CancelWorkflow(t.Context(), workflows.PostID(p.ID), ""))
	err := w.temporal.GetWorkflow(t.Context(), workflows.PostID(p.ID), "").Get(t.Context(), nil)
	failed, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, string(problem.Unavailable), failed.Type())
	require.ErrorContains(t, failed, "timeline can't be read")
	var result workflows.PostResult
	require.NoError(t, failed.Details(&result))
	require.Equal(t, post.StatusUnknown, result.Status)
	after := w.row(t, p.ID)
	require.Equal(t, p.Status, after.Status)
	require.Equal(t, p.Reason, after.Reason)
	w.holds(t, 0, 1)
	return workflows.PostID(p.ID)
}

// The run has ended and the post has not, so the next command starts a new run.
func TestCommandAfterAFailedRun(t *testing.T) {
	each(t, shortSend, func(t *testing.T, w *world) {
		p := w.row(t, strings.TrimPrefix(kept(t, w), workflows.PostID("")))
		w.misbehave(t)
		require.NoError(t, w.runs.RetryPost(t.Context(), p))
		again := w.ends(t, p.ID, post.StatusPublished)
		require.NotEqual(t, p.RunID, again.RunID, "it has another run")
		w.isPublic(t, "who knows", 1)
	})
}
