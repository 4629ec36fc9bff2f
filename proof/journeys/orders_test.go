package journeys_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// A refusal comes back through Temporal as the problem it was.
func TestRefusedOrdersAreProblems(t *testing.T) {
	t.Parallel()
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
			"an empty text":                    {w.editing(t, open, workflows.EditOrder{Text: " "}), problem.TextEmpty},
			"a text that another post has":     {w.editing(t, open, workflows.EditOrder{Text: "taken"}), problem.TextDuplicate},
			"an edit of what somebody changed": {w.editing(t, open, workflows.EditOrder{Text: "b", Version: &stale}), problem.Conflict},
			"an edit of what is published":     {w.editing(t, over, workflows.EditOrder{Text: "b"}), problem.PostClosed},
			"an edit of what nobody knows":     {w.editing(t, post.Post{ID: "nobody"}, workflows.EditOrder{Text: "b"}), problem.PostClosed},
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

func (w *world) editing(t *testing.T, p post.Post, o workflows.EditOrder) func() error {
	return func() error { return w.runs.EditPost(t.Context(), p, o) }
}

func (w *world) moving(t *testing.T, p post.Post, at time.Time) func() error {
	return func() error {
		return w.runs.ReschedulePost(t.Context(), p, workflows.RescheduleOrder{ScheduledAt: at})
	}
}

// Proves: F13
func TestOrdersToAPostThatIsBeingSentAreRefused(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		w.silence.Lock()
		answers := sync.OnceFunc(w.silence.Unlock)
		t.Cleanup(answers) // else X could not be closed when this fails
		p := w.schedule(t, "on its way", 0)
		w.becomes(t, p.ID, post.StatusArmed)
		for name, order := range map[string]func() error{
			"edit":       w.editing(t, p, workflows.EditOrder{Text: "too late"}),
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
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "nobody listens", time.Hour)
		w.stopWorker()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := w.runs.EditPost(ctx, p, workflows.EditOrder{Text: "hello?"})
		require.Equal(t, problem.Unavailable, codeOf(err), "%v", err)
	})
}
