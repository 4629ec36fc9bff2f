package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store/storetest"
	"customerzero/workflows"
)

// Proves: F1, F9, F10, F11
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
			usage, err := w.db.Posts.MonthUsage(t.Context(), "2026-11")
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

// Proves: F7
func TestRateLimitedPostSaysSoAndWaitsForTheReset(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{false, limitedUntil(2 * time.Hour)})
	w.after(90*time.Minute, func() {
		row, err := w.db.Posts.Post(t.Context(), w.post.ID)
		require.NoError(t, err)
		require.Equal(t, post.StatusScheduled, row.Status)
		require.Equal(t, "x_rate_limited", row.Code)
		require.NotNil(t, row.WaitingUntil)
	})
	w.run(t)
	require.GreaterOrEqual(t, w.x.timeline[0].CreatedAt.Sub(w.post.ScheduledAt), 2*time.Hour)
}

// Proves: F9
func TestUnreadableTimelineLeavesThePostUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{true, lost})
	w.x.unreadable = true
	result := w.run(t)
	require.Equal(t, post.StatusUnknown, result.Status)
	require.Equal(t, 1, w.x.calls, "nobody sends again without having looked")
	usage, err := w.db.Posts.MonthUsage(t.Context(), "2026-11")
	require.NoError(t, err)
	require.Equal(t, 1, usage.Reserved, "it may be public, so it keeps its slot")
}

// A run that begins anew, after the old one was lost, goes on from the row.
// Proves: F1
func TestNewRunGoesOnFromTheRow(t *testing.T) {
	t.Parallel()

	t.Run("armed: looks before it sends", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		armed, err := w.db.Posts.ArmPost(t.Context(), w.post.ID, 1, storetest.Connection(t, w.db), w.env.Now())
		require.NoError(t, err)
		w.x.timeline = []post.Tweet{{ID: "77", Text: armed.Text, CreatedAt: w.env.Now()}}
		result := w.run(t)
		require.Equal(t, "77", result.TweetID)
		require.Zero(t, w.x.calls)
	})
	t.Run("published: ends", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		_, err := w.db.Posts.ArmPost(t.Context(), w.post.ID, 1, storetest.Connection(t, w.db), w.env.Now())
		require.NoError(t, err)
		_, err = w.db.Posts.ConcludePost(t.Context(), w.post.ID, post.Verdict{
			Attempt: 1, Outcome: post.OutcomePublished, TweetID: "77", At: w.env.Now(),
		}, w.env.Now())
		require.NoError(t, err)
		require.Equal(t, "77", w.run(t).TweetID)
		require.Zero(t, w.x.calls)
	})
}

// A tweet of the same text that belongs to another post is not ours.
// Proves: F9
func TestReconcileIgnoresOtherPostsTweets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{false, lost})
	other, err := w.db.Posts.CreatePost(t.Context(), post.Post{
		ID: "p2", Text: "another", Status: post.StatusScheduled, ScheduledAt: w.env.Now(),
	}, w.env.Now())
	require.NoError(t, err)
	_, err = w.db.Posts.ArmPost(t.Context(), other.ID, 1, storetest.Connection(t, w.db), w.env.Now())
	require.NoError(t, err)
	_, err = w.db.Posts.ConcludePost(t.Context(), other.ID, post.Verdict{
		Attempt: 1, Outcome: post.OutcomePublished, TweetID: "77", At: w.env.Now(),
	}, w.env.Now())
	require.NoError(t, err)
	w.x.timeline = []post.Tweet{{ID: "77", Text: w.post.Text, CreatedAt: w.env.Now()}}

	result := w.run(t)
	require.Equal(t, post.StatusPublished, result.Status)
	require.NotEqual(t, "77", result.TweetID)
	require.Equal(t, 2, w.x.calls)
}

// Proves: F25
func TestPostOfTheLastSecondTakesTheNewMonth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{false, notReached})
	at := time.Date(2026, time.November, 30, 23, 59, 58, 0, time.UTC)
	w.after(time.Minute, func() { w.order(t, workflows.UpdateReschedule, workflows.RescheduleOrder{ScheduledAt: at}) })
	require.Equal(t, post.StatusPublished, w.run(t).Status)
	for month, spent := range map[post.Month]int{"2026-11": 0, "2026-12": 1} {
		usage, err := w.db.Posts.MonthUsage(t.Context(), month)
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
