package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
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
