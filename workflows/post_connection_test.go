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

// connect connects the bot to its account again, as a founder does.
func (w *world) connect(t *testing.T) (connectionID string) {
	t.Helper()
	c := must(w.db.Bot.ProposeConnection(t.Context(), bot.Tokens{AccessToken: "4242-new", AccessSecret: "new secret"}, nil, w.env.Now()))
	c = must(w.db.Bot.Connect(t.Context(), c.ID, "4242", "bot", "run", w.env.Now()))
	require.Equal(t, bot.Current, c.State)
	return c.ID
}

// pause pauses or resumes the bot, as a founder does, without signals.
func (w *world) pause(t *testing.T, paused bool) {
	t.Helper()
	_, _, err := w.db.Bot.SetControls(t.Context(), bot.ControlsChange{Paused: &paused, Reason: "a storm"}, "grace", w.env.Now())
	require.NoError(t, err)
}

func (w *world) wake() { w.env.SignalWorkflow(workflows.SignalWoken, nil) }

func wake(_ *testing.T, w *world) { w.wake() }

func paused(t *testing.T, w *world)       { w.pause(t, true) }
func resumed(t *testing.T, w *world)      { w.pause(t, false) }
func disconnected(t *testing.T, w *world) { w.disconnect(t) }
func connected(t *testing.T, w *world)    { w.connect(t) }

func later(d time.Duration, then func(*testing.T, *world)) func(*testing.T, *world) {
	return func(t *testing.T, w *world) { w.after(d, func() { then(t, w) }) }
}

// afterRead runs do once, between reading the connection and using it.
func afterRead(do func(*testing.T, *world)) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		w.between = func() {
			w.between = func() {}
			do(t, w)
		}
	}
}

// TestAPostWaitsForTheBot checks that a due post waits while the bot is disconnected or paused, without
// an attempt.
// Proves: F33
func TestAPostWaitsForTheBot(t *testing.T) {
	t.Parallel()
	for _, wait := range []struct {
		name        string
		begins, end func(*testing.T, *world)
		code        string
	}{{"not connected", disconnected, connected, post.CodeNotConnected}, {"paused", paused, resumed, post.CodePaused}} {
		for name, c := range map[string]struct {
			then func(*testing.T, *world)
			late time.Duration // from due to published
		}{
			"signaled: published at once":                        {both(wait.end, wake), 30 * time.Minute},
			"not signaled: checks again after an hour":           {wait.end, time.Hour},
			"signaled without a change: waits for its next hour": {both(wake, later(10*time.Minute, wait.end)), time.Hour},
			"for days: it has not failed":                        {later(72*time.Hour, both(wait.end, wake)), 72*time.Hour + 30*time.Minute},
			"resumed and paused again before it checked": {
				both(both(wait.end, wait.begins), both(wake, later(time.Hour, both(wait.end, wake)))), 90 * time.Minute,
			},
		} {
			t.Run(wait.name+", "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				wait.begins(t, w)
				w.after(90*time.Minute, func() {
					waits := w.row(t)
					require.Equal(t, []any{post.StatusScheduled, wait.code, 0}, []any{waits.Status, waits.Code, waits.Attempt})
					require.NotEmpty(t, waits.Reason)
					require.Equal(t, wait.code == post.CodePaused, waits.Reason != post.NotConnectedReason)
					w.holds(t, 0, 1)
					c.then(t, w)
				})
				result := w.run(t)
				require.Equal(t, post.StatusPublished, result.Status)
				require.Equal(t, 1, result.Attempts)
				require.Empty(t, result.Code)
				require.Equal(t, 1, w.x.calls)
				lateBy(c.late)(t, w)
			})
		}
	}
}

func TestPostWaitingForTheBotTakesCommands(t *testing.T) {
	t.Parallel()
	forgotten := func(t *testing.T, w *world) { require.Empty(t, w.post.Code+w.post.Reason) }
	play(t, map[string]story{
		"cancelled while it is not connected":    {nil, disconnected, 90 * time.Minute, cancel, post.StatusCancelled, 0, forgotten},
		"cancelled while it is paused":           {nil, paused, 90 * time.Minute, cancel, post.StatusCancelled, 0, forgotten},
		"retried: refused, as it has not failed": {nil, disconnected, 90 * time.Minute, both(retry, connected), post.StatusPublished, 1, rejected("scheduled")},
		"moved: connected, it keeps its new time": {
			nil, disconnected, 90 * time.Minute, both(moved(begin.Add(30*time.Hour)), both(connected, wake)), post.StatusPublished, 1,
			sent("hello, world", 30*time.Hour),
		},
	})
}

// TestWakeChangesNothing signals a post before it is due, or while it waits for a decision.
func TestWakeChangesNothing(t *testing.T) {
	t.Parallel()
	play(t, map[string]story{
		"before its time":           {nil, nil, time.Minute, wake, post.StatusPublished, 1, lateBy(0)},
		"while rate limited":        {[]answer{{false, limitedUntil(2 * time.Hour)}}, nil, 90 * time.Minute, wake, post.StatusPublished, 2, lateBy(2*time.Hour + 2*time.Second)},
		"when it has failed":        {[]answer{{false, refused}}, nil, 2 * time.Hour, wake, post.StatusFailed, 1, nil},
		"while it is being settled": {[]answer{{true, lost}}, nil, time.Hour + 5*time.Second, wake, post.StatusPublished, 1, nil},
	})
}

// Proves: F33
func TestPostIsSentWithItsArmedConnection(t *testing.T) {
	t.Parallel()
	atNextTry := func(t *testing.T, w *world) { require.LessOrEqual(t, w.late(), post.Backoff(1)) }
	// waits checks that nothing was sent before the post resumes.
	waits := func(code string, then func(*testing.T, *world)) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			require.Equal(t, code, w.row(t).Code)
			require.Zero(t, w.x.calls)
			then(t, w)
		}
	}
	var now string
	play(t, map[string]story{
		"the connection changes before it is armed: retried": {
			nil, afterRead(func(t *testing.T, w *world) { now = w.connect(t) }), 0, nil, post.StatusPublished, 1,
			both(atNextTry, func(t *testing.T, w *world) {
				require.Equal(t, 1, w.post.Attempt, "what was not armed is no attempt")
				require.Equal(t, now, w.sentWith)
			}),
		},
		"the connection is removed before it is armed: it waits": {
			nil, afterRead(disconnected), 90 * time.Minute, waits(post.CodeNotConnected, both(connected, wake)), post.StatusPublished, 1, lateBy(30 * time.Minute),
		},
		"paused before it is armed: it waits": {
			nil, afterRead(paused), 90 * time.Minute, waits(post.CodePaused, both(resumed, wake)), post.StatusPublished, 1, lateBy(30 * time.Minute),
		},
		"connected during the check: it does not wait for the signal": {
			nil, both(disconnected, afterRead(connected)), time.Hour + time.Millisecond, wake, post.StatusPublished, 1, atNextTry,
		},
		"a long pause does not count against X's time limit": {
			[]answer{{false, limitedUntil(74 * time.Hour)}}, paused, 73 * time.Hour, both(resumed, wake), post.StatusPublished, 2, nil,
		},
	})
}

// Proves: F33
func TestArmedPostWithoutConnectionIsUnknown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		taken bool
		calls int
	}{
		"published: found, and not sent again": {true, 1},
		"not published: sent again":            {false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story{[]answer{{c.taken, lost}}, nil, time.Hour + 5*time.Second, both(disconnected, both(
				later(23*time.Hour, func(t *testing.T, w *world) {
					require.Equal(t, post.StatusUnknown, w.row(t).Status)
					w.holds(t, 0, 1)
					retry(t, w)
				}),
				later(24*time.Hour, func(t *testing.T, w *world) {
					require.Equal(t, post.StatusUnknown, w.row(t).Status, "nothing is sent again without a check")
					both(connected, retry)(t, w)
				}),
			)), post.StatusPublished, c.calls, func(t *testing.T, w *world) {
				failed("", "not connected")(t, w)
				require.NoError(t, w.replies[1].err)
				require.Len(t, w.x.timeline, 1)
			}}.play(t)
		})
	}
}

// TestRestoredPostIsPublishedOnce starts a new run, which reads the row.
func TestRestoredPostIsPublishedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.after(10*time.Minute, func() { cancel(t, w) })
	require.Equal(t, post.StatusCancelled, w.run(t).Status)

	at := begin.Add(20 * time.Minute)
	must(w.db.Posts.RestorePost(t.Context(), w.post.ID, false, at))
	next := &world{stage: stageFor(w.db, at), post: w.post, between: func() {}, month: w.month}
	next.x = &x{now: next.env.Now}
	next.env.RegisterActivity(&activities.Post{Posts: next.db.Posts, Accounts: next, Now: next.env.Now})
	require.Equal(t, post.StatusPublished, next.run(t).Status)
	require.Equal(t, 1, next.x.calls)
	require.Zero(t, next.late())
}
