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

// order gives the run a command, whose reply is kept.
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

// cancelWorkflow cancels the workflow.
func cancelWorkflow(_ *testing.T, w *world) { w.env.CancelWorkflow() }

// readable makes X's timeline readable again before then.
func readable(then func(*testing.T, *world)) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		w.x.unreadable = false
		then(t, w)
	}
}

// taken checks that all commands were carried out.
func taken(t *testing.T, w *world) {
	require.NotEmpty(t, w.replies)
	for _, r := range w.replies {
		require.NoError(t, r.rejected)
		require.NoError(t, r.err)
		require.True(t, r.done)
	}
}

// rejected checks that no command was accepted, and why.
func rejected(why string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		require.NotEmpty(t, w.replies)
		for _, r := range w.replies {
			require.ErrorContains(t, r.rejected, why)
		}
	}
}

// failed checks that the first command was accepted and failed, and why.
func failed(code, why string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		require.True(t, w.replies[0].done)
		require.ErrorContains(t, w.replies[0].err, why)
		if code != "" {
			require.Equal(t, code, typeOf(w.replies[0].err))
		}
	}
}

// sent checks what was published, and when.
func sent(text string, at time.Duration) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		require.Equal(t, text, w.x.timeline[0].Text)
		require.WithinDuration(t, begin.Add(at), w.x.timeline[0].CreatedAt, time.Second)
	}
}

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
		"edit changes the published text":      {nil, nil, time.Minute, edited("better"), post.StatusPublished, 1, both(taken, sent("better", time.Hour))},
		"edit with a bad text changes nothing": {nil, nil, time.Minute, edited("  "), post.StatusPublished, 1, both(failed("", "text"), sent(hello, time.Hour))},
		"reschedule moves it earlier":          {nil, nil, time.Minute, moved(begin.Add(30 * time.Minute)), post.StatusPublished, 1, sent(hello, 30*time.Minute)},
		"reschedule moves it later":            {nil, inMonth("2026-12"), time.Minute, moved(begin.Add(721 * time.Hour)), post.StatusPublished, 1, sent(hello, 721*time.Hour)},
		"cancel releases the slot":             {nil, nil, time.Minute, cancel, post.StatusCancelled, 0, taken},
		"workflow cancelled":                   {nil, nil, time.Minute, cancelWorkflow, post.StatusCancelled, 0, nil},
		"workflow cancelled before the start":  {nil, nil, 0, cancelWorkflow, post.StatusCancelled, 0, nil},
		"retry is refused":                     {nil, nil, time.Minute, retry, post.StatusPublished, 1, rejected("scheduled")},
		"a command at the start, before the row was read": {
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
		"are refused with a reason":                          {[]answer{{true, lost}}, nil, settling, both(edited("too late"), cancel), post.StatusPublished, 1, rejected("being sent")},
		"while X is called: refused with a reason":           {nil, afterRead(both(edited("too late"), cancel)), 0, nil, post.StatusPublished, 1, rejected("being sent")},
		"workflow cancelled: it checks first, published":     {[]answer{{true, lost}}, nil, settling, cancelWorkflow, post.StatusPublished, 1, nil},
		"workflow cancelled: it checks first, not published": {[]answer{{false, lost}}, nil, settling, cancelWorkflow, post.StatusCancelled, 1, nil},
	})
}

// Proves: F10
func TestRetry(t *testing.T) {
	t.Parallel()
	fails, unclear := []answer{{false, refused}}, []answer{{true, lost}}
	signal := func(_ *testing.T, w *world) { w.env.SignalWorkflow(workflows.SignalRetryRequested, nil) }
	play(t, map[string]story{
		"sends a failed post again":         {fails, nil, 2 * time.Hour, retry, post.StatusPublished, 2, taken},
		"by signal":                         {fails, nil, 2 * time.Hour, signal, post.StatusPublished, 2, nil},
		"finds a published post":            {unclear, unreadable, 24 * time.Hour, readable(retry), post.StatusPublished, 1, taken},
		"is refused while X cannot be read": {unclear, unreadable, 24 * time.Hour, retry, post.StatusUnknown, 1, failed("", "was not changed")},
		"cancels a failed post":             {fails, nil, 2 * time.Hour, cancel, post.StatusCancelled, 1, taken},
		"is possible for a month, then the text is free": {fails, nil, 0, nil, post.StatusFailed, 1, func(t *testing.T, w *world) {
			require.Nil(t, w.post.OpenKey)
			require.GreaterOrEqual(t, w.env.Now().Sub(w.post.ScheduledAt), post.RetryWindow)
		}},
	})
}

// endedAtOnce checks that the run ended within a day.
func endedAtOnce(t *testing.T, w *world) {
	require.Less(t, w.env.Now().Sub(w.post.ScheduledAt), 24*time.Hour)
}

// TestCommandWithLostAnswer checks that the run reads the row after a lost answer, because the command
// may have succeeded.
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
		"retried: published, and takes the next command": {
			answers: []answer{{false, refused}, {false, limitedUntil(48 * time.Hour)}}, at: 2 * time.Hour,
			then:   both(loses("RetryPost", retry), func(t *testing.T, w *world) { w.after(22*time.Hour, func() { edited("better")(t, w) }) }),
			status: post.StatusPublished, calls: 3, check: func(t *testing.T, w *world) {
				require.Error(t, w.replies[0].err)
				require.NoError(t, w.replies[1].rejected)
				require.NoError(t, w.replies[1].err)
				require.Equal(t, "better", w.x.timeline[0].Text)
			},
		},
		"cancelled: the run ends": {
			[]answer{{false, lost}}, unreadable, 24 * time.Hour, loses("GiveUpPost", cancel), post.StatusCancelled, 1, endedAtOnce,
		},
		"workflow cancelled: the run ends": {
			[]answer{{false, lost}}, unreadable, 24 * time.Hour, loses("GiveUpPost", cancelWorkflow), post.StatusCancelled, 1, endedAtOnce,
		},
	})
}

// Proves: F13
func TestUnknownPostIsCheckedBeforeCancelling(t *testing.T) {
	t.Parallel()
	out, not := []answer{{true, lost}}, []answer{{false, lost}}
	// whileWeLook runs do before the first check, after which the timeline is readable.
	whileWeLook := func(then func(*testing.T, *world)) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			w.x.looked = func() { w.x.unreadable = false }
			cancelWorkflow(t, w)
			then(t, w)
		}
	}
	play(t, map[string]story{
		"by command, published: published": {
			out, unreadable, 24 * time.Hour, readable(cancel), post.StatusPublished, 1, failed(string(problem.PostClosed), "published after all"),
		},
		"by command, not published: cancelled":             {not, unreadable, 24 * time.Hour, readable(cancel), post.StatusCancelled, 1, taken},
		"workflow cancelled, published: published":         {out, unreadable, 24 * time.Hour, readable(cancelWorkflow), post.StatusPublished, 1, endedAtOnce},
		"workflow cancelled, not published: cancelled":     {not, unreadable, 24 * time.Hour, readable(cancelWorkflow), post.StatusCancelled, 1, endedAtOnce},
		"workflow cancelled: a running command ends first": {[]answer{{false, refused}}, nil, 2 * time.Hour, both(retry, cancelWorkflow), post.StatusCancelled, 1, taken},
		"an update during the check is the later decision": {not, unreadable, 24 * time.Hour, whileWeLook(retry), post.StatusPublished, 2, nil},
		"a signal during the check is the later decision": {not, unreadable, 24 * time.Hour, whileWeLook(func(_ *testing.T, w *world) {
			w.env.SignalWorkflow(workflows.SignalRetryRequested, nil)
		}), post.StatusPublished, 2, nil},
		"by command, unreadable timeline: refused, and the run continues": {
			out, unreadable, 24 * time.Hour, both(cancel, func(t *testing.T, w *world) {
				w.after(time.Hour, func() {
					w.holds(t, 0, 1)
					readable(retry)(t, w)
				})
			}), post.StatusPublished, 1, func(t *testing.T, w *world) {
				failed(string(problem.Unavailable), "timeline can't be read")(t, w)
				require.NoError(t, w.replies[1].err)
			},
		},
	})
}

// TestUnknownPostWithUnreadableTimelineIsNotCancelled checks that the run fails with the reason, so that
// another may follow, and keeps the row.
// Proves: F13
func TestUnknownPostWithUnreadableTimelineIsNotCancelled(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]story{
		"a day later":               {at: 24 * time.Hour, then: cancelWorkflow},
		"while it is being settled": {at: time.Hour + 5*time.Second, then: cancelWorkflow},
		"a command during the check is answered": {
			at: 24 * time.Hour, then: both(cancelWorkflow, retry), check: failed("", "timeline can't be read"),
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
			require.ErrorContains(t, ended, "is still unknown")
			require.ErrorContains(t, ended, "timeline can't be read")
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

// typeOf returns the problem code of a Temporal error.
func typeOf(err error) string {
	if failed, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return failed.Type()
	}
	return ""
}
