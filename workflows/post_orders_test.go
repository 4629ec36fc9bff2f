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

func TestOrdersBeforeThePostIsSent(t *testing.T) {
	t.Parallel()

	t.Run("edit changes what goes out", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.after(time.Minute, func() { w.order(t, workflows.UpdateEdit, workflows.EditOrder{Text: "better"}) })
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.Equal(t, "better", w.x.timeline[0].Text)
	})
	t.Run("edit with a bad text changes nothing", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		var r *reply
		w.after(time.Minute, func() { r = w.order(t, workflows.UpdateEdit, workflows.EditOrder{Text: "  "}) })
		w.run(t)
		require.ErrorContains(t, r.err, "text")
		require.Equal(t, "hello, world", w.x.timeline[0].Text)
	})
	t.Run("reschedule moves it earlier", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		at := w.post.ScheduledAt.Add(-30 * time.Minute)
		w.after(time.Minute, func() { w.order(t, workflows.UpdateReschedule, workflows.RescheduleOrder{ScheduledAt: at}) })
		w.run(t)
		require.WithinDuration(t, at, w.x.timeline[0].CreatedAt, time.Second)
	})
	t.Run("reschedule moves it later", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		at := w.post.ScheduledAt.AddDate(0, 1, 0)
		w.after(time.Minute, func() { w.order(t, workflows.UpdateReschedule, workflows.RescheduleOrder{ScheduledAt: at}) })
		w.run(t)
		require.WithinDuration(t, at, w.x.timeline[0].CreatedAt, time.Second)
	})
	t.Run("cancel gives the slot back", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.after(time.Minute, func() { w.order(t, workflows.UpdateCancel) })
		require.Equal(t, post.StatusCancelled, w.run(t).Status)
		require.Zero(t, w.x.calls)
	})
	t.Run("cancelled in the console", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.after(time.Minute, w.env.CancelWorkflow)
		require.Equal(t, post.StatusCancelled, w.run(t).Status)
		require.Zero(t, w.x.calls)
	})
	t.Run("cancelled in the console before it has begun", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.after(0, w.env.CancelWorkflow)
		require.Equal(t, post.StatusCancelled, w.run(t).Status)
		require.Zero(t, w.x.calls)
	})
	t.Run("retry is refused", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		var r *reply
		w.after(time.Minute, func() { r = w.order(t, workflows.UpdateRetry) })
		w.run(t)
		require.Error(t, r.rejected)
	})
}

// Proves: F13
func TestOrdersWhileThePostIsBeingSettledAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{true, lost})
	var edit, cancel *reply
	w.after(time.Hour+5*time.Second, func() {
		edit = w.order(t, workflows.UpdateEdit, workflows.EditOrder{Text: "too late"})
		cancel = w.order(t, workflows.UpdateCancel)
	})
	require.Equal(t, post.StatusPublished, w.run(t).Status)
	require.ErrorContains(t, edit.rejected, "being sent")
	require.ErrorContains(t, cancel.rejected, "being sent")
}

// Proves: F13
func TestCancelInTheConsoleWhileSettlingFirstFindsOut(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		taken  bool
		status post.Status
	}{
		"it had gone out": {true, post.StatusPublished},
		"it had not":      {false, post.StatusCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, answer{tt.taken, lost})
			w.after(time.Hour+5*time.Second, w.env.CancelWorkflow)
			require.Equal(t, tt.status, w.run(t).Status)
			require.Equal(t, 1, w.x.calls)
		})
	}
}

// Proves: F10
func TestRetry(t *testing.T) {
	t.Parallel()

	t.Run("sends a failed post again", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{false, refused})
		w.after(2*time.Hour, func() { w.order(t, workflows.UpdateRetry) })
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.Equal(t, 2, w.x.calls)
	})
	t.Run("by signal, from the console", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{false, refused})
		w.after(2*time.Hour, func() { w.env.SignalWorkflow(workflows.SignalRetry, nil) })
		require.Equal(t, post.StatusPublished, w.run(t).Status)
	})
	t.Run("finds what went out after all", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{true, lost})
		w.x.unreadable = true
		w.after(24*time.Hour, func() {
			w.x.unreadable = false
			w.order(t, workflows.UpdateRetry)
		})
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.Equal(t, 1, w.x.calls, "found, so not sent again")
	})
	t.Run("is refused while the timeline cannot be read", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{true, lost})
		w.x.unreadable = true
		var r *reply
		w.after(24*time.Hour, func() { r = w.order(t, workflows.UpdateRetry) })
		require.Equal(t, post.StatusUnknown, w.run(t).Status)
		require.ErrorContains(t, r.err, "was not sent again")
		require.Equal(t, 1, w.x.calls)
	})
	t.Run("gives up a failed post", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{false, refused})
		w.after(2*time.Hour, func() { w.order(t, workflows.UpdateCancel) })
		require.Equal(t, post.StatusCancelled, w.run(t).Status)
	})
	t.Run("has a month, then the text is free", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{false, refused})
		require.Equal(t, post.StatusFailed, w.run(t).Status)
		require.Nil(t, w.post.OpenKey)
		require.GreaterOrEqual(t, w.env.Now().Sub(w.post.ScheduledAt), post.RetryWindow)
	})
}

// An order may come with the run's very first task, before it has read the row.
// Proves: F13
func TestOrderThatComesWithTheStartIsCarriedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var r *reply
	w.after(0, func() { r = w.order(t, workflows.UpdateEdit, workflows.EditOrder{Text: "better"}) })
	require.Equal(t, post.StatusPublished, w.run(t).Status)
	require.NoError(t, r.rejected)
	require.NoError(t, r.err)
	require.Equal(t, "better", w.x.timeline[0].Text)
}

// An order may be done though nobody says so. The run reads the row before the next one.
// Proves: F6
func TestAnOrderWhoseAnswerIsLostIsNotForgotten(t *testing.T) {
	t.Parallel()

	t.Run("retried: it goes out, and takes the next order", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{false, refused}, answer{false, limitedUntil(48 * time.Hour)})
		var retry, edit *reply
		w.after(2*time.Hour, func() {
			w.network.loses = "RetryPost"
			retry = w.order(t, workflows.UpdateRetry)
		})
		w.after(24*time.Hour, func() { edit = w.order(t, workflows.UpdateEdit, workflows.EditOrder{Text: "better"}) })
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.Error(t, retry.err)
		require.NoError(t, edit.rejected)
		require.NoError(t, edit.err)
		require.Equal(t, "better", w.x.timeline[0].Text)
	})
	for name, giveUp := range map[string]func(*testing.T, *world){
		"given up: the run ends":                func(t *testing.T, w *world) { w.order(t, workflows.UpdateCancel) },
		"given up in the console: the run ends": func(_ *testing.T, w *world) { w.env.CancelWorkflow() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := doubtful(t, false)
			w.after(24*time.Hour, func() {
				w.x.unreadable, w.network.loses = false, "GiveUpPost"
				giveUp(t, w)
			})
			require.Equal(t, post.StatusCancelled, w.run(t).Status)
			require.Less(t, w.env.Now().Sub(w.post.ScheduledAt), 24*time.Hour)
			w.holds(t, 0, 0)
		})
	}
}

// doubtful is a world whose post is unknown before a day is over. taken: it is public.
func doubtful(t *testing.T, taken bool) *world {
	w := newWorld(t, answer{taken, lost})
	w.x.unreadable = true
	return w
}

// holds counts slots.
func (w *world) holds(t *testing.T, spent, reserved int) {
	t.Helper()
	usage := must(w.db.Posts.MonthUsage(t.Context(), "2026-11"))
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
			before = must(w.db.Posts.Post(t.Context(), w.post.ID))
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
