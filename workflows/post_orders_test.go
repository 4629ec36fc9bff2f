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

// order gives the run an order, whose reply is kept.
func order(name string, args ...any) func(*testing.T, *world) {
	return func(t *testing.T, w *world) { w.replies = append(w.replies, w.order(name, args...)) }
}

func edited(text string) func(*testing.T, *world) {
	return order(workflows.UpdateEdit, workflows.EditCommand{Text: text})
}

func moved(to time.Time) func(*testing.T, *world) {
	return order(workflows.UpdateReschedule, workflows.RescheduleCommand{ScheduledAt: to})
}

var (
	cancel = order(workflows.UpdateCancel)
	retry  = order(workflows.UpdateRetry)
)

// inConsole cancels the run as Temporal's console does.
func inConsole(_ *testing.T, w *world) { w.env.CancelWorkflow() }

// readable lets X show its timeline again before something happens.
func readable(then func(*testing.T, *world)) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		w.x.unreadable = false
		then(t, w)
	}
}

// taken sees that all orders were carried out.
func taken(t *testing.T, w *world) {
	require.NotEmpty(t, w.replies)
	for _, r := range w.replies {
		require.NoError(t, r.rejected)
		require.NoError(t, r.err)
		require.True(t, r.done)
	}
}

// rejected sees that no order was begun, and why.
func rejected(why string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		require.NotEmpty(t, w.replies)
		for _, r := range w.replies {
			require.ErrorContains(t, r.rejected, why)
		}
	}
}

// failed sees that the first order was begun, in vain, and why.
func failed(code, why string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		require.True(t, w.replies[0].done)
		require.ErrorContains(t, w.replies[0].err, why)
		if code != "" {
			require.Equal(t, code, typeOf(w.replies[0].err))
		}
	}
}

// sent sees what went out, and when.
func sent(text string, at time.Duration) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		require.Equal(t, text, w.x.timeline[0].Text)
		require.WithinDuration(t, begin.Add(at), w.x.timeline[0].CreatedAt, time.Second)
	}
}

// both does one after the other.
func both(one, two func(*testing.T, *world)) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		one(t, w)
		two(t, w)
	}
}

func TestCommandsBeforeThePostIsSent(t *testing.T) {
	t.Parallel()
	const hello = "hello, world"
	play(t, map[string]story{
		"edit changes what goes out":                   {nil, nil, time.Minute, edited("better"), post.StatusPublished, 1, both(taken, sent("better", time.Hour))},
		"edit with a bad text changes nothing":         {nil, nil, time.Minute, edited("  "), post.StatusPublished, 1, both(failed("", "text"), sent(hello, time.Hour))},
		"reschedule moves it earlier":                  {nil, nil, time.Minute, moved(begin.Add(30 * time.Minute)), post.StatusPublished, 1, sent(hello, 30*time.Minute)},
		"reschedule moves it later":                    {nil, inMonth("2026-12"), time.Minute, moved(begin.Add(721 * time.Hour)), post.StatusPublished, 1, sent(hello, 721*time.Hour)},
		"cancel gives the slot back":                   {nil, nil, time.Minute, cancel, post.StatusCancelled, 0, taken},
		"cancelled in the console":                     {nil, nil, time.Minute, inConsole, post.StatusCancelled, 0, nil},
		"cancelled in the console before it has begun": {nil, nil, 0, inConsole, post.StatusCancelled, 0, nil},
		"retry is refused":                             {nil, nil, time.Minute, retry, post.StatusPublished, 1, rejected("scheduled")},
		"one that comes with the run's start, before it has read the row": {
			nil, nil, 0, edited("better"), post.StatusPublished, 1, both(taken, sent("better", time.Hour)),
		},
	})
}

func inMonth(m post.Month) func(*testing.T, *world) {
	return func(_ *testing.T, w *world) { w.month = m }
}

// Proves: F13
func TestCommandsWhileThePostIsSettled(t *testing.T) {
	t.Parallel()
	const settling = time.Hour + 5*time.Second
	play(t, map[string]story{
		"are refused with a reason":                            {[]answer{{true, lost}}, nil, settling, both(edited("too late"), cancel), post.StatusPublished, 1, rejected("being sent")},
		"while X is called: refused with a reason":             {nil, meanwhile(both(edited("too late"), cancel)), 0, nil, post.StatusPublished, 1, rejected("being sent")},
		"cancelled in the console: first finds out, it is out": {[]answer{{true, lost}}, nil, settling, inConsole, post.StatusPublished, 1, nil},
		"cancelled in the console: first finds out, it is not": {[]answer{{false, lost}}, nil, settling, inConsole, post.StatusCancelled, 1, nil},
	})
}

// Proves: F10
func TestRetry(t *testing.T) {
	t.Parallel()
	fails, unclear := []answer{{false, refused}}, []answer{{true, lost}}
	signal := func(_ *testing.T, w *world) { w.env.SignalWorkflow(workflows.SignalRetryRequested, nil) }
	play(t, map[string]story{
		"sends a failed post again":         {fails, nil, 2 * time.Hour, retry, post.StatusPublished, 2, taken},
		"by signal, from the console":       {fails, nil, 2 * time.Hour, signal, post.StatusPublished, 2, nil},
		"finds what went out after all":     {unclear, unreadable, 24 * time.Hour, readable(retry), post.StatusPublished, 1, taken},
		"is refused while X cannot be read": {unclear, unreadable, 24 * time.Hour, retry, post.StatusUnknown, 1, failed("", "was not sent again")},
		"cancelling gives up a failed post": {fails, nil, 2 * time.Hour, cancel, post.StatusCancelled, 1, taken},
		"has a month, then the text is free": {fails, nil, 0, nil, post.StatusFailed, 1, func(t *testing.T, w *world) {
			require.Nil(t, w.post.OpenKey)
			require.GreaterOrEqual(t, w.env.Now().Sub(w.post.ScheduledAt), post.RetryWindow)
		}},
	})
}

// endedAtOnce sees that the run did not wait on after a day.
func endedAtOnce(t *testing.T, w *world) {
	require.Less(t, w.env.Now().Sub(w.post.ScheduledAt), 24*time.Hour)
}

// An order may be done though nobody says so. The run reads the row before the next one.
// Proves: F6
func TestCommandWithLostAnswer(t *testing.T) {
	t.Parallel()
	loses := func(activity string, then func(*testing.T, *world)) func(*testing.T, *world) {
		return readable(func(t *testing.T, w *world) {
			w.network.loses = activity
			then(t, w)
		})
	}
	play(t, map[string]story{
		"retried: it goes out, and takes the next order": {
			answers: []answer{{false, refused}, {false, limitedUntil(48 * time.Hour)}}, at: 2 * time.Hour,
			then:   both(loses("RetryPost", retry), func(t *testing.T, w *world) { w.after(22*time.Hour, func() { edited("better")(t, w) }) }),
			status: post.StatusPublished, calls: 3, check: func(t *testing.T, w *world) {
				require.Error(t, w.replies[0].err)
				require.NoError(t, w.replies[1].rejected)
				require.NoError(t, w.replies[1].err)
				require.Equal(t, "better", w.x.timeline[0].Text)
			},
		},
		"given up: the run ends": {
			[]answer{{false, lost}}, unreadable, 24 * time.Hour, loses("GiveUpPost", cancel), post.StatusCancelled, 1, endedAtOnce,
		},
		"given up in the console: the run ends": {
			[]answer{{false, lost}}, unreadable, 24 * time.Hour, loses("GiveUpPost", inConsole), post.StatusCancelled, 1, endedAtOnce,
		},
	})
}

// Proves: F13
func TestUnknownPostIsCheckedBeforeCancelling(t *testing.T) {
	t.Parallel()
	out, not := []answer{{true, lost}}, []answer{{false, lost}}
	// whileWeLook lets X show its timeline after the first look, and something happen before it.
	whileWeLook := func(then func(*testing.T, *world)) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			w.x.looked = func() { w.x.unreadable = false }
			inConsole(t, w)
			then(t, w)
		}
	}
	play(t, map[string]story{
		"by order, it had gone out: published": {
			out, unreadable, 24 * time.Hour, readable(cancel), post.StatusPublished, 1, failed(string(problem.PostClosed), "published after all"),
		},
		"by order, it had not: cancelled":               {not, unreadable, 24 * time.Hour, readable(cancel), post.StatusCancelled, 1, taken},
		"in the console, it had gone out: published":    {out, unreadable, 24 * time.Hour, readable(inConsole), post.StatusPublished, 1, endedAtOnce},
		"in the console, it had not: cancelled":         {not, unreadable, 24 * time.Hour, readable(inConsole), post.StatusCancelled, 1, endedAtOnce},
		"in the console: an order under way ends first": {[]answer{{false, refused}}, nil, 2 * time.Hour, both(retry, inConsole), post.StatusCancelled, 1, taken},
		"an update while we look is the later decision": {not, unreadable, 24 * time.Hour, whileWeLook(retry), post.StatusPublished, 2, nil},
		"a signal while we look is the later decision": {not, unreadable, 24 * time.Hour, whileWeLook(func(_ *testing.T, w *world) {
			w.env.SignalWorkflow(workflows.SignalRetryRequested, nil)
		}), post.StatusPublished, 2, nil},
		"by order, and it cannot be seen: refused, and the run goes on": {
			out, unreadable, 24 * time.Hour, both(cancel, func(t *testing.T, w *world) {
				w.after(time.Hour, func() {
					w.holds(t, 0, 1)
					readable(retry)(t, w)
				})
			}), post.StatusPublished, 1, func(t *testing.T, w *world) {
				failed(string(problem.Unavailable), "timeline cannot be read")(t, w)
				require.NoError(t, w.replies[1].err)
			},
		},
	})
}

// The run fails, as only then may another one follow, and it says why; the row stays as it is.
// Proves: F13
func TestUnknownPostWithUnreadableTimelineIsNotCancelled(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]story{
		"a day later":               {at: 24 * time.Hour, then: inConsole},
		"while it is being settled": {at: time.Hour + 5*time.Second, then: inConsole},
		"an order that comes while we look is answered": {
			at: 24 * time.Hour, then: both(inConsole, retry), check: failed("", "timeline cannot be read"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, answer{true, lost})
			w.x.unreadable = true
			var before post.Post
			w.after(s.at, func() {
				before = w.row(t)
				s.then(t, w)
			})
			w.execute(t)
			require.Equal(t, post.StatusUnknown, w.post.Status)
			ended, ok := errors.AsType[*temporal.ApplicationError](w.env.GetWorkflowError())
			require.True(t, ok)
			require.Equal(t, string(problem.Unavailable), ended.Type())
			require.ErrorContains(t, ended, "stays unknown")
			require.ErrorContains(t, ended, "timeline cannot be read")
			var result workflows.PostResult
			require.NoError(t, ended.Details(&result))
			require.Equal(t, workflows.PostResult{Status: post.StatusUnknown, Attempts: 1, Code: "x_unreadable"}, result)
			if before.Status == post.StatusUnknown {
				require.Equal(t, before, w.post)
			}
			require.Equal(t, "x_unreadable", w.post.Code)
			require.NotNil(t, w.post.OpenKey, "it may be decided later")
			w.holds(t, 0, 1)
			if s.check != nil {
				s.check(t, w)
			}
		})
	}
}

// typeOf is the word by which Temporal carries a problem.
func typeOf(err error) string {
	if failed, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return failed.Type()
	}
	return ""
}
