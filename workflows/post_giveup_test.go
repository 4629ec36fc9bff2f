package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// doubtful is a world whose post is unknown before a day is over. taken: it is public.
func doubtful(t *testing.T, taken bool) *world {
	t.Helper()
	w := newWorld(t, answer{taken, lost})
	w.x.unreadable = true
	return w
}

// holds counts slots.
func (w *world) holds(t *testing.T, spent, reserved int) {
	t.Helper()
	usage, err := w.db.Posts.MonthUsage(t.Context(), "2026-11")
	require.NoError(t, err)
	require.Equal(t, spent, usage.Spent, "slots spent")
	require.Equal(t, reserved, usage.Reserved, "slots reserved")
}

func TestAnUnknownPostIsLookedForBeforeItIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		taken    bool
		status   post.Status
		spent    int
		complain string
	}{
		"it had gone out: published": {true, post.StatusPublished, 1, "went out after all"},
		"it had not: cancelled":      {false, post.StatusCancelled, 0, ""},
	} {
		t.Run("by order, "+name, func(t *testing.T) {
			t.Parallel()
			w := doubtful(t, tt.taken)
			var r *reply
			w.after(24*time.Hour, func() {
				w.x.unreadable = false
				r = w.order(t, workflows.UpdateCancel)
			})
			require.Equal(t, tt.status, w.run(t).Status)
			if tt.complain == "" {
				require.NoError(t, r.err)
			} else {
				require.ErrorContains(t, r.err, tt.complain)
				require.Equal(t, string(problem.PostClosed), typeOf(r.err))
			}
			w.holds(t, tt.spent, 0)
		})
		t.Run("in the console, "+name, func(t *testing.T) {
			t.Parallel()
			w := doubtful(t, tt.taken)
			w.after(24*time.Hour, func() {
				w.x.unreadable = false
				w.env.CancelWorkflow()
			})
			require.Equal(t, tt.status, w.run(t).Status)
			require.Less(t, w.env.Now().Sub(w.post.ScheduledAt), 24*time.Hour, "at once")
			w.holds(t, tt.spent, 0)
		})
	}
}

func TestAnUnknownPostIsNotGivenUpUnseen(t *testing.T) {
	t.Parallel()

	t.Run("by order: refused, and the run goes on", func(t *testing.T) {
		t.Parallel()
		w := doubtful(t, true)
		var cancel, retry *reply
		w.after(24*time.Hour, func() { cancel = w.order(t, workflows.UpdateCancel) })
		w.after(25*time.Hour, func() {
			w.holds(t, 0, 1)
			w.x.unreadable = false
			retry = w.order(t, workflows.UpdateRetry)
		})
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.ErrorContains(t, cancel.err, "timeline cannot be read")
		require.Equal(t, string(problem.Unavailable), typeOf(cancel.err))
		require.NoError(t, retry.err)
		w.holds(t, 1, 0)
	})
	t.Run("in the console: the run fails, and the row stays as it is", func(t *testing.T) {
		t.Parallel()
		w := doubtful(t, true)
		var before post.Post
		w.after(24*time.Hour, func() {
			var err error
			before, err = w.db.Posts.Post(t.Context(), w.post.ID)
			require.NoError(t, err)
			w.env.CancelWorkflow()
		})
		w.keeps(t)
		require.Equal(t, before, w.post)
		require.Equal(t, "x_unreadable", w.post.Code)
		require.NotNil(t, w.post.OpenKey, "it may be decided later")
		w.holds(t, 0, 1)
	})
	t.Run("in the console, while it is being settled", func(t *testing.T) {
		t.Parallel()
		w := doubtful(t, true)
		w.after(time.Hour+5*time.Second, w.env.CancelWorkflow)
		w.keeps(t)
		w.holds(t, 0, 1)
	})
}

// keeps runs the post to the end that leaves it unknown: failed, as only then may another
// run follow, and saying why.
func (w *world) keeps(t *testing.T) {
	t.Helper()
	w.execute(t)
	require.Equal(t, post.StatusUnknown, w.post.Status)
	failed, ok := errors.AsType[*temporal.ApplicationError](w.env.GetWorkflowError())
	require.True(t, ok)
	require.Equal(t, string(problem.Unavailable), failed.Type())
	require.ErrorContains(t, failed, "stays unknown")
	require.ErrorContains(t, failed, "timeline cannot be read")
	var result workflows.PostResult
	require.NoError(t, failed.Details(&result))
	require.Equal(t, workflows.PostResult{Status: post.StatusUnknown, Attempts: 1, Code: "x_unreadable"}, result)
}

// Proves: F13
func TestCancelInTheConsoleDoesNotCutOrdersOff(t *testing.T) {
	t.Parallel()

	t.Run("an order under way is ended first", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{false, refused})
		var retry *reply
		w.after(2*time.Hour, func() {
			retry = w.order(t, workflows.UpdateRetry)
			w.env.CancelWorkflow()
		})
		require.Equal(t, post.StatusCancelled, w.run(t).Status)
		require.NoError(t, retry.err)
		require.Equal(t, 1, w.x.calls)
		w.holds(t, 0, 0)
	})
	t.Run("an order that comes while we look is answered", func(t *testing.T) {
		t.Parallel()
		w := doubtful(t, true)
		var retry *reply
		w.after(24*time.Hour, func() {
			w.env.CancelWorkflow()
			retry = w.order(t, workflows.UpdateRetry)
		})
		w.keeps(t)
		require.True(t, retry.done)
		require.ErrorContains(t, retry.err, "timeline cannot be read")
	})
	t.Run("an order that comes while we look in vain is the later decision", func(t *testing.T) {
		t.Parallel()
		for name, order := range map[string]func(*testing.T, *world){
			"by update": func(t *testing.T, w *world) { w.order(t, workflows.UpdateRetry) },
			"by signal": func(_ *testing.T, w *world) { w.env.SignalWorkflow(workflows.SignalRetry, nil) },
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := doubtful(t, false)
				w.after(24*time.Hour, func() {
					w.x.looked = func() { w.x.unreadable = false }
					w.env.CancelWorkflow()
					order(t, w)
				})
				require.Equal(t, post.StatusPublished, w.run(t).Status)
				require.Equal(t, 2, w.x.calls)
				w.holds(t, 1, 0)
			})
		}
	})
}

// typeOf is the word by which Temporal carries a problem.
func typeOf(err error) string {
	if failed, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return failed.Type()
	}
	return ""
}
