package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/workflows"
)

// pause stops the bot, or lets it go on, as a founder does; the runs have yet to be told.
func (w *world) pause(t *testing.T, paused bool) {
	t.Helper()
	_, _, err := w.db.Bot.SetBrakes(t.Context(), bot.BrakeChange{Paused: &paused, Reason: "a storm"}, "grace", w.env.Now())
	require.NoError(t, err)
}

func TestAPostWaitsWhileTheBotIsPaused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile func(t *testing.T, w *world)
		late      time.Duration // when it goes out, after its time
	}{
		"woken: it goes out at once": {
			func(t *testing.T, w *world) { w.pause(t, false); w.wake() }, 30 * time.Minute,
		},
		"not woken: it looks again after an hour": {
			func(t *testing.T, w *world) { w.pause(t, false) }, time.Hour,
		},
		"woken for nothing: it waits for its next hour": {
			func(t *testing.T, w *world) {
				w.wake()
				w.after(10*time.Minute, func() { w.pause(t, false) })
			}, time.Hour,
		},
		"paused for days: it waits, and has not failed": {
			func(t *testing.T, w *world) {
				w.after(72*time.Hour, func() { w.pause(t, false); w.wake() })
			}, 72*time.Hour + 30*time.Minute,
		},
		"let go on and paused again before it looked": {
			func(t *testing.T, w *world) {
				w.pause(t, false)
				w.pause(t, true)
				w.wake()
				w.after(time.Hour, func() { w.pause(t, false); w.wake() })
			}, 90 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.pause(t, true)
			w.after(90*time.Minute, func() {
				waits := w.row(t)
				require.Equal(t, []any{post.StatusScheduled, post.CodePaused}, []any{waits.Status, waits.Code})
				require.Contains(t, waits.Reason, "a storm")
				require.Zero(t, waits.Attempt, "nothing was tried")
				w.holds(t, 0, 1)
				tt.meanwhile(t, w)
			})
			result := w.run(t)
			require.Equal(t, post.StatusPublished, result.Status)
			require.Equal(t, 1, result.Attempts)
			require.Empty(t, result.Code)
			require.Equal(t, 1, w.x.calls)
			require.InDelta(t, tt.late.Seconds(), w.late().Seconds(), 1)
		})
	}
}

// The pause comes between the look at the connection and the arming.
func TestAPauseInBetweenSendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.once(func() { w.pause(t, true) })
	w.after(90*time.Minute, func() {
		require.Equal(t, post.CodePaused, w.row(t).Code)
		require.Zero(t, w.x.calls)
		w.pause(t, false)
		w.wake()
	})
	require.Equal(t, post.StatusPublished, w.run(t).Status)
	require.Equal(t, 30*time.Minute, w.late())
}

// What was held back for days is no older for X than a post that is due.
func TestALongPauseDoesNotUseUpThePatienceWithX(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{false, limitedUntil(74 * time.Hour)})
	w.pause(t, true)
	w.after(73*time.Hour, func() { w.pause(t, false); w.wake() })
	require.Equal(t, post.StatusPublished, w.run(t).Status)
	require.Equal(t, 2, w.x.calls)
}

func TestAPostThatWaitsForTheBotMayBeGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pause(t, true)
	w.after(90*time.Minute, func() { w.order(t, workflows.UpdateCancel) })
	require.Equal(t, post.StatusCancelled, w.run(t).Status)
	require.Empty(t, w.post.Code+w.post.Reason)
	w.holds(t, 0, 0)
}

// The run of a restored post is a new one, and finds what the row says.
func TestARestoredPostGoesOutOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.after(10*time.Minute, func() { w.order(t, workflows.UpdateCancel) })
	require.Equal(t, post.StatusCancelled, w.run(t).Status)

	at := begin.Add(20 * time.Minute)
	_, err := w.db.Posts.RestorePost(t.Context(), w.post.ID, false, at)
	require.NoError(t, err)
	next := w.again(t, at)
	require.Equal(t, post.StatusPublished, next.run(t).Status)
	require.Equal(t, 1, next.x.calls)
	require.Zero(t, next.late())
	next.holds(t, 1, 0)
}

// again is the same world for the post's next run.
func (w *world) again(t *testing.T, at time.Time) *world {
	t.Helper()
	next := &world{stage: stageFor(w.db, at), post: w.post, between: func() {}}
	next.x = &x{now: next.env.Now}
	next.env.RegisterActivity(&activities.Post{Posts: next.db.Posts, Accounts: next, Now: next.env.Now})
	return next
}
