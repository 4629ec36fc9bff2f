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

func (w *world) disconnect(t *testing.T) {
	must(w.db.Bot.Disconnect(t.Context(), w.env.Now()))
}

// connect connects the bot to its account anew, as a founder does.
func (w *world) connect(t *testing.T) (connectionID string) {
	t.Helper()
	c := must(w.db.Bot.ProposeConnection(t.Context(), bot.Tokens{AccessToken: "4242-new", AccessSecret: "new secret"}, nil, w.env.Now()))
	c = must(w.db.Bot.Connect(t.Context(), c.ID, "4242", "bot", "run", w.env.Now()))
	require.Equal(t, bot.Current, c.State)
	return c.ID
}

func (w *world) wake() { w.env.SignalWorkflow(workflows.SignalWake, nil) }

func (w *world) row(t *testing.T) post.Post {
	p := must(w.db.Posts.Post(t.Context(), w.post.ID))
	return p
}

// late is how long after its time the post went out.
func (w *world) late() time.Duration { return w.x.timeline[0].CreatedAt.Sub(w.post.ScheduledAt) }

// Proves: F33
func TestAPostWaitsForTheBotToBeConnected(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile  func(t *testing.T, w *world)
		from, till time.Duration // when it goes out, after its time
	}{
		"woken: it goes out at once": {
			func(t *testing.T, w *world) { w.connect(t); w.wake() }, 30 * time.Minute, 30*time.Minute + time.Second,
		},
		"not woken: it looks again after an hour": {
			func(t *testing.T, w *world) { w.connect(t) }, time.Hour, time.Hour + time.Second,
		},
		"woken for nothing: it waits for its next hour": {
			func(t *testing.T, w *world) {
				w.wake()
				w.after(10*time.Minute, func() { w.connect(t) })
			}, time.Hour, time.Hour + time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.disconnect(t)
			w.after(90*time.Minute, func() {
				waits := w.row(t)
				require.Equal(t, post.StatusScheduled, waits.Status, "nothing has failed")
				require.Equal(t, post.CodeNotConnected, waits.Code)
				require.NotEmpty(t, waits.Reason)
				require.Zero(t, waits.Attempt, "and nothing was tried")
				w.holds(t, 0, 1)
				tt.meanwhile(t, w)
			})
			result := w.run(t)
			require.Equal(t, post.StatusPublished, result.Status)
			require.Equal(t, 1, result.Attempts)
			require.Empty(t, result.Code)
			require.Equal(t, 1, w.x.calls)
			require.GreaterOrEqual(t, w.late(), tt.from)
			require.LessOrEqual(t, w.late(), tt.till)
			w.holds(t, 1, 0)
		})
	}
}

// A post that waits may be changed like any that waits for its time.
func TestAPostThatWaitsForTheBotTakesOrders(t *testing.T) {
	t.Parallel()

	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.disconnect(t)
		w.after(90*time.Minute, func() { w.order(t, workflows.UpdateCancel) })
		require.Equal(t, post.StatusCancelled, w.run(t).Status)
		w.holds(t, 0, 0)
	})
	t.Run("retried: refused, as it has not failed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.disconnect(t)
		var retry *reply
		w.after(90*time.Minute, func() {
			retry = w.order(t, workflows.UpdateRetry)
			w.connect(t)
		})
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.ErrorContains(t, retry.rejected, "scheduled")
	})
	t.Run("moved: connected or not, it keeps its new time", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.disconnect(t)
		at := begin.Add(30 * time.Hour)
		w.after(90*time.Minute, func() {
			w.order(t, workflows.UpdateReschedule, workflows.RescheduleOrder{ScheduledAt: at})
			w.connect(t)
			w.wake()
		})
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.WithinDuration(t, at, w.x.timeline[0].CreatedAt, time.Second)
	})
}

// A wake before its time, or while people are asked, changes nothing.
func TestAWakeIsNoOrder(t *testing.T) {
	t.Parallel()

	t.Run("before its time", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.after(time.Minute, w.wake)
		w.run(t)
		require.Zero(t, w.late())
	})
	t.Run("while X asks us to wait", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{false, limitedUntil(2 * time.Hour)})
		w.after(90*time.Minute, w.wake)
		w.run(t)
		require.GreaterOrEqual(t, w.late(), 2*time.Hour)
	})
	t.Run("when it has failed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{false, refused})
		w.after(2*time.Hour, w.wake)
		require.Equal(t, post.StatusFailed, w.run(t).Status)
		require.Equal(t, 1, w.x.calls)
	})
	t.Run("while it is being settled", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, answer{true, lost})
		w.after(time.Hour+5*time.Second, w.wake)
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.Equal(t, 1, w.x.calls)
	})
}

// once does something the first time that the bot's account was asked for.
func (w *world) once(do func()) {
	w.between = func() {
		w.between = func() {}
		do()
	}
}

// Proves: F33
func TestAPostIsSentWithWhatItWasArmedWith(t *testing.T) {
	t.Parallel()

	t.Run("the connection changes before it is armed: it is tried again", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		var now string
		w.once(func() { now = w.connect(t) })
		result := w.run(t)
		require.Equal(t, post.StatusPublished, result.Status)
		require.Equal(t, 1, result.Attempts, "what was not armed is no attempt")
		require.Equal(t, 1, w.x.calls)
		require.Equal(t, now, w.sentWith)
		require.LessOrEqual(t, w.late(), post.Backoff(1))
	})
	t.Run("the connection is removed before it is armed: it waits", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.once(func() { w.disconnect(t) })
		w.after(90*time.Minute, func() {
			require.Equal(t, post.CodeNotConnected, w.row(t).Code)
			require.Zero(t, w.x.calls)
			w.connect(t)
			w.wake()
		})
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.Equal(t, 30*time.Minute, w.late())
	})
	t.Run("connected while it was found to be not: it does not wait", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.disconnect(t)
		w.once(func() { w.connect(t) })
		w.after(time.Hour+time.Millisecond, w.wake) // the founder's run comes a moment later
		require.Equal(t, post.StatusPublished, w.run(t).Status)
		require.LessOrEqual(t, w.late(), post.Backoff(1))
	})
}

// Proves: F33
func TestAnArmedPostWhoseAccountIsRemovedIsUnknown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		taken bool
		calls int
	}{
		"it had gone out: found, and not sent again": {true, 1},
		"it had not: sent again":                     {false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, answer{tt.taken, lost})
			w.after(time.Hour+5*time.Second, func() { w.disconnect(t) })
			var early, retry *reply
			w.after(24*time.Hour, func() {
				require.Equal(t, post.StatusUnknown, w.row(t).Status)
				w.holds(t, 0, 1)
				early = w.order(t, workflows.UpdateRetry)
			})
			w.after(25*time.Hour, func() {
				require.Equal(t, post.StatusUnknown, w.row(t).Status, "nobody sends again without having looked")
				w.connect(t)
				retry = w.order(t, workflows.UpdateRetry)
			})
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.ErrorContains(t, early.err, "not connected")
			require.NoError(t, retry.err)
			require.Equal(t, tt.calls, w.x.calls)
			require.Len(t, w.x.timeline, 1)
			w.holds(t, 1, 0)
		})
	}
}

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
	must(w.db.Posts.RestorePost(t.Context(), w.post.ID, false, at))
	next := w.again(t, at)
	require.Equal(t, post.StatusPublished, next.run(t).Status)
	require.Equal(t, 1, next.x.calls)
	require.Zero(t, next.late())
	next.holds(t, 1, 0)
}

// again is the same world for the post's next run.
func (w *world) again(t *testing.T, at time.Time) *world {
	next := &world{stage: stageFor(w.db, at), post: w.post, between: func() {}}
	next.x = &x{now: next.env.Now}
	next.env.RegisterActivity(&activities.Post{Posts: next.db.Posts, Accounts: next, Now: next.env.Now})
	return next
}
