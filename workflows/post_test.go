package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/activities"
	"customerzero/internal/post"
	"customerzero/internal/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/testdb"
	"customerzero/worker"
	"customerzero/workflows"
)

// x is a small X: it takes a script of answers, and shows a timeline.
type x struct {
	answers    []answer // one for each call; after the last, all is well
	unreadable bool
	calls      int
	timeline   []post.Tweet
	now        func() time.Time
}

// answer is what becomes of one call. taken: the tweet is on the timeline, whatever was said.
type answer struct {
	taken bool
	err   error
}

func (x *x) Publish(_ context.Context, d post.Draft) (post.Tweet, error) {
	a := answer{taken: true}
	if x.calls < len(x.answers) {
		a = x.answers[x.calls]
	}
	x.calls++
	tweet := post.Tweet{ID: string(rune('0' + x.calls)), Text: d.Text, URL: "https://x.com/bot/status/1", CreatedAt: x.now()}
	if a.taken {
		x.timeline = append(x.timeline, tweet)
	}
	return tweet, a.err
}

func (x *x) Timeline(context.Context, time.Time) ([]post.Tweet, error) {
	if x.unreadable {
		return nil, &post.XError{Class: post.AccountRefused, Code: "x_bad_token", Message: "X does not accept our token."}
	}
	return x.timeline, nil
}

func (*x) Metrics(context.Context, []string) (map[string]post.Metrics, error) {
	return map[string]post.Metrics{}, nil
}

var (
	lost       = &post.XError{Class: post.Unclear, Code: "x_timeout", Message: "X did not answer in time."}
	refused    = &post.XError{Class: post.Refused, Code: "x_refused", Message: "X refuses this post."}
	noCredits  = &post.XError{Class: post.AccountRefused, Code: "x_no_credits", Message: "The account has no credits."}
	duplicate  = &post.XError{Class: post.Duplicate, Code: "x_duplicate", Message: "X has this text already."}
	notReached = &post.XError{Class: post.NotSent, Code: "x_unreachable", Message: "X cannot be reached."}
)

// world is everything around one post.
type world struct {
	env   *testsuite.TestWorkflowEnvironment
	books *store.Store
	x     *x
	post  post.Post
}

func newWorld(t *testing.T, answers ...answer) *world {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{worker.Problems()}})
	env.SetTestTimeout(time.Minute)
	begin := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	env.SetStartTime(begin)
	w := &world{env: env, books: storetest.Open(t, testdb.Address(t, "sqlite"))}
	w.x = &x{answers: answers, now: env.Now}
	env.RegisterActivity(&activities.Post{Posts: w.books, Account: w.x, Now: env.Now})

	var err error
	w.post, err = w.books.CreatePost(t.Context(), post.Post{
		ID: "p1", Text: "hello, world", Status: post.StatusScheduled, ScheduledAt: begin.Add(time.Hour),
	}, begin)
	require.NoError(t, err)
	return w
}

func (w *world) after(d time.Duration, do func()) { w.env.RegisterDelayedCallback(do, d) }

func (w *world) run(t *testing.T) workflows.PostResult {
	t.Helper()
	w.env.ExecuteWorkflow(workflows.Post, workflows.PostInput{PostID: w.post.ID, Timing: post.TimingFor(10 * time.Second)})
	require.True(t, w.env.IsWorkflowCompleted())
	require.NoError(t, w.env.GetWorkflowError())
	var result workflows.PostResult
	require.NoError(t, w.env.GetWorkflowResult(&result))
	row, err := w.books.Post(t.Context(), w.post.ID)
	require.NoError(t, err)
	require.Equal(t, row.Status, result.Status, "the row and the run tell the same")
	w.post = row
	return result
}

// order gives the run an order and keeps its answer.
func (w *world) order(t *testing.T, name string, args ...any) *reply {
	t.Helper()
	r := &reply{}
	w.env.UpdateWorkflow(name, "order-"+name, r, args...)
	return r
}

type reply struct {
	rejected error
	done     bool
	err      error
}

func (*reply) Accept()            {}
func (r *reply) Reject(err error) { r.rejected = err }
func (r *reply) Complete(_ any, err error) {
	r.done, r.err = true, err
}

func TestPostEndings(t *testing.T) {
	t.Parallel()

	many := func(n int, a answer) []answer {
		all := make([]answer, n)
		for i := range all {
			all[i] = a
		}
		return all
	}
	for name, tt := range map[string]struct {
		answers []answer
		status  post.Status
		calls   int
		tweets  int
	}{
		"published at its time":                     {nil, post.StatusPublished, 1, 1},
		"answer lost, post made: found, not twice":  {[]answer{{true, lost}}, post.StatusPublished, 1, 1},
		"answer lost, post not made: tried again":   {[]answer{{false, lost}}, post.StatusPublished, 2, 1},
		"refused: failed":                           {[]answer{{false, refused}}, post.StatusFailed, 1, 0},
		"account refused: failed":                   {[]answer{{false, noCredits}}, post.StatusFailed, 1, 0},
		"rate limited: waits for the reset":         {[]answer{{false, limitedUntil(2 * time.Hour)}}, post.StatusPublished, 2, 1},
		"not reached: tried again":                  {many(3, answer{false, notReached}), post.StatusPublished, 4, 1},
		"duplicate at the first try: failed":        {[]answer{{false, duplicate}}, post.StatusFailed, 1, 0},
		"duplicate after an unclear try: found":     {[]answer{{false, lost}, {true, duplicate}}, post.StatusPublished, 2, 1},
		"duplicate after an unclear try: not there": {[]answer{{false, lost}, {false, duplicate}, {false, refused}}, post.StatusFailed, 3, 0},
		"every answer lost: failed, never doubled":  {many(20, answer{false, lost}), post.StatusFailed, post.MaxUnclear, 0},
		"a broken worker is unclear":                {[]answer{{true, errors.New("killed")}}, post.StatusPublished, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.answers...)
			result := w.run(t)

			require.Equal(t, tt.status, result.Status)
			require.Equal(t, tt.calls, w.x.calls)
			require.Len(t, w.x.timeline, tt.tweets)
			usage, err := w.books.MonthUsage(t.Context(), "2026-11")
			require.NoError(t, err)
			require.Equal(t, tt.tweets, usage.Spent, "slots spent = posts published")
			require.Zero(t, usage.Reserved)
		})
	}
}

func limitedUntil(d time.Duration) error {
	return &post.XError{
		Class: post.RateLimited, Code: "x_rate_limited", Message: "X asks us to wait.",
		RetryAt: time.Date(2026, time.November, 20, 13, 0, 0, 0, time.UTC).Add(d),
	}
}

func TestRateLimitedPostSaysSoAndWaitsForTheReset(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{false, limitedUntil(2 * time.Hour)})
	w.after(90*time.Minute, func() {
		row, err := w.books.Post(t.Context(), w.post.ID)
		require.NoError(t, err)
		require.Equal(t, post.StatusScheduled, row.Status)
		require.Equal(t, "x_rate_limited", row.Code)
		require.NotNil(t, row.WaitingUntil)
	})
	w.run(t)
	require.GreaterOrEqual(t, w.x.timeline[0].CreatedAt.Sub(w.post.ScheduledAt), 2*time.Hour)
}

func TestUnreadableTimelineLeavesThePostUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{true, lost})
	w.x.unreadable = true
	result := w.run(t)
	require.Equal(t, post.StatusUnknown, result.Status)
	require.Equal(t, 1, w.x.calls, "nobody sends again without having looked")
	usage, err := w.books.MonthUsage(t.Context(), "2026-11")
	require.NoError(t, err)
	require.Equal(t, 1, usage.Reserved, "it may be public, so it keeps its slot")
}

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
	t.Run("retry is refused", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		var r *reply
		w.after(time.Minute, func() { r = w.order(t, workflows.UpdateRetry) })
		w.run(t)
		require.Error(t, r.rejected)
	})
}

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

// A run that begins anew, after the old one was lost, goes on from the row.
func TestNewRunGoesOnFromTheRow(t *testing.T) {
	t.Parallel()

	t.Run("armed: looks before it sends", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		armed, err := w.books.ArmPost(t.Context(), w.post.ID, 1, w.env.Now())
		require.NoError(t, err)
		w.x.timeline = []post.Tweet{{ID: "77", Text: armed.Text, CreatedAt: w.env.Now()}}
		result := w.run(t)
		require.Equal(t, "77", result.TweetID)
		require.Zero(t, w.x.calls)
	})
	t.Run("published: ends", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		_, err := w.books.ArmPost(t.Context(), w.post.ID, 1, w.env.Now())
		require.NoError(t, err)
		_, err = w.books.ConcludePost(t.Context(), w.post.ID, post.Verdict{
			Attempt: 1, Outcome: post.OutcomePublished, TweetID: "77", At: w.env.Now(),
		}, w.env.Now())
		require.NoError(t, err)
		require.Equal(t, "77", w.run(t).TweetID)
		require.Zero(t, w.x.calls)
	})
}

// A tweet of the same text that belongs to another post is not ours.
func TestReconcileIgnoresOtherPostsTweets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{false, lost})
	other, err := w.books.CreatePost(t.Context(), post.Post{
		ID: "p2", Text: "another", Status: post.StatusScheduled, ScheduledAt: w.env.Now(),
	}, w.env.Now())
	require.NoError(t, err)
	_, err = w.books.ArmPost(t.Context(), other.ID, 1, w.env.Now())
	require.NoError(t, err)
	_, err = w.books.ConcludePost(t.Context(), other.ID, post.Verdict{
		Attempt: 1, Outcome: post.OutcomePublished, TweetID: "77", At: w.env.Now(),
	}, w.env.Now())
	require.NoError(t, err)
	w.x.timeline = []post.Tweet{{ID: "77", Text: w.post.Text, CreatedAt: w.env.Now()}}

	result := w.run(t)
	require.Equal(t, post.StatusPublished, result.Status)
	require.NotEqual(t, "77", result.TweetID)
	require.Equal(t, 2, w.x.calls)
}

func TestPostOfTheLastSecondTakesTheNewMonth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{false, notReached})
	at := time.Date(2026, time.November, 30, 23, 59, 58, 0, time.UTC)
	w.after(time.Minute, func() { w.order(t, workflows.UpdateReschedule, workflows.RescheduleOrder{ScheduledAt: at}) })
	require.Equal(t, post.StatusPublished, w.run(t).Status)
	for month, spent := range map[post.Month]int{"2026-11": 0, "2026-12": 1} {
		usage, err := w.books.MonthUsage(t.Context(), month)
		require.NoError(t, err)
		require.Equal(t, spent, usage.Spent, month)
	}
}

func TestMissingRowEndsTheRunWithAProblem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env.ExecuteWorkflow(workflows.Post, workflows.PostInput{PostID: "nobody", Timing: post.TimingFor(time.Second)})
	require.ErrorContains(t, w.env.GetWorkflowError(), string(problem.NotFound))
}

// An order may come with the run's very first task, before it has read the row.
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
