package workflows_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
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
			usage := must(w.db.Posts.MonthUsage(t.Context(), "2026-11"))
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
		row := must(w.db.Posts.Post(t.Context(), w.post.ID))
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
	usage := must(w.db.Posts.MonthUsage(t.Context(), "2026-11"))
	require.Equal(t, 1, usage.Reserved, "it may be public, so it keeps its slot")
}

// A run that begins anew, after the old one was lost, goes on from the row.
// Proves: F1
func TestNewRunGoesOnFromTheRow(t *testing.T) {
	t.Parallel()

	t.Run("armed: looks before it sends", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		armed := must(w.db.Posts.ArmPost(t.Context(), w.post.ID, 1, storetest.Connection(t, w.db), w.env.Now()))
		w.x.timeline = []post.Tweet{{ID: "77", Text: armed.Text, CreatedAt: w.env.Now()}}
		result := w.run(t)
		require.Equal(t, "77", result.TweetID)
		require.Zero(t, w.x.calls)
	})
	t.Run("published: ends", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		must(w.db.Posts.ArmPost(t.Context(), w.post.ID, 1, storetest.Connection(t, w.db), w.env.Now()))
		must(w.db.Posts.ConcludePost(t.Context(), w.post.ID, post.Verdict{
			Attempt: 1, Outcome: post.OutcomePublished, TweetID: "77", At: w.env.Now(),
		}, w.env.Now()))
		require.Equal(t, "77", w.run(t).TweetID)
		require.Zero(t, w.x.calls)
	})
}

// A tweet of the same text that belongs to another post is not ours.
// Proves: F9
func TestReconcileIgnoresOtherPostsTweets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{false, lost})
	other := must(w.db.Posts.CreatePost(t.Context(), post.Post{
		ID: "p2", Text: "another", Status: post.StatusScheduled, ScheduledAt: w.env.Now(),
	}, w.env.Now()))
	must(w.db.Posts.ArmPost(t.Context(), other.ID, 1, storetest.Connection(t, w.db), w.env.Now()))
	must(w.db.Posts.ConcludePost(t.Context(), other.ID, post.Verdict{
		Attempt: 1, Outcome: post.OutcomePublished, TweetID: "77", At: w.env.Now(),
	}, w.env.Now()))
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
		usage := must(w.db.Posts.MonthUsage(t.Context(), month))
		require.Equal(t, spent, usage.Spent, month)
	}
}

func TestMissingRowEndsTheRunWithAProblem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env.ExecuteWorkflow(workflows.Post, workflows.PostInput{PostID: "nobody", Timing: post.TimingFor(time.Second)})
	require.ErrorContains(t, w.env.GetWorkflowError(), string(problem.NotFound))
}

// shyX takes a post, never answers, and shows it after a while. As X does, it shows nothing that
// is older than it is asked for, and refuses a text that it has.
type shyX struct {
	hides  time.Duration // a tweet, after it took it
	takes  bool          // a text that it has, too
	fails  []error       // what the first calls meet, without effect
	calls  int
	tweets []post.Tweet

	connection string
	now        func() time.Time
}

func (x *shyX) Account(context.Context) (activities.Account, string, error) {
	return x, x.connection, nil
}

func (x *shyX) Publish(_ context.Context, d post.Draft) (post.Tweet, error) {
	x.calls++
	if x.calls <= len(x.fails) {
		return post.Tweet{}, x.fails[x.calls-1]
	}
	if len(x.tweets) > 0 && !x.takes {
		return post.Tweet{}, duplicate
	}
	x.tweets = append(x.tweets, post.Tweet{ID: strconv.Itoa(x.calls), Text: d.Text, CreatedAt: x.now()})
	return post.Tweet{}, lost
}

func (x *shyX) Timeline(_ context.Context, since time.Time) (shown []post.Tweet, err error) {
	for _, tweet := range x.tweets {
		if !x.now().Before(tweet.CreatedAt.Add(x.hides)) && !tweet.CreatedAt.Before(since) {
			shown = append(shown, tweet)
		}
	}
	return shown, nil
}

func (*shyX) Metrics(context.Context, []string) (map[string]post.Metrics, error) {
	return map[string]post.Metrics{}, nil
}

// newShyWorld is a post that goes to an X that shows it late, by a worker whose clock is off.
func newShyWorld(t *testing.T, x *shyX, off time.Duration) *world {
	w := newWorld(t)
	w.stage = stageFor(w.db, begin)
	x.connection, x.now = storetest.Connection(t, w.db), w.env.Now
	w.env.RegisterActivity(&activities.Post{
		Posts: w.db.Posts, Accounts: x, Now: func() time.Time { return w.env.Now().Add(off) },
	})
	return w
}

// A tweet may come to be seen between the looks, after both, or after we have given up. As long as X
// knows its own texts, it is there once, and in the end the row says so.
// Proves: F10
func TestATweetThatIsSeenLate(t *testing.T) {
	t.Parallel()
	const settle = 25 * time.Second // TimingFor(10 s)
	for name, tt := range map[string]struct {
		x             shyX
		retry         time.Duration // a person asks, so long after its time; 0: nobody does
		calls, tweets int
	}{
		"before the first look":                        {x: shyX{hides: settle - time.Second}, calls: 1, tweets: 1},
		"between the looks":                            {x: shyX{hides: settle + time.Second}, calls: 1, tweets: 1},
		"after both, and X refuses it a second time":   {x: shyX{hides: 2*settle + 5*time.Second}, calls: 2, tweets: 1},
		"after all tries: found before the next":       {x: shyX{hides: 10 * time.Minute}, retry: 20 * time.Minute, calls: post.MaxUnclear, tweets: 1},
		"after both, and X takes it again: the limit":  {x: shyX{hides: 2*settle + 5*time.Second, takes: true}, calls: 2, tweets: 2},
		"between the looks, and X would take it again": {x: shyX{hides: 2*settle - time.Second, takes: true}, calls: 1, tweets: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newShyWorld(t, &tt.x, 0)
			if tt.retry > 0 {
				w.after(time.Hour+tt.retry, func() {
					require.Equal(t, post.StatusFailed, w.row(t).Status, "nobody has seen it")
					w.order(t, workflows.UpdateRetry)
				})
			}
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.Equal(t, tt.calls, tt.x.calls)
			require.Len(t, tt.x.tweets, tt.tweets)
			require.Equal(t, tt.x.tweets[0].ID, *w.post.TweetID)
			usage := must(w.db.Posts.MonthUsage(t.Context(), "2026-11"))
			require.Equal(t, []int{1, 0}, []int{usage.Spent, usage.Reserved})
		})
	}
}

// skews are how far the clock of a worker may be from everybody else's. X takes no call of one that
// is off by more than five minutes; the others are of a clock that is put right meanwhile.
var skews = map[string]time.Duration{
	"an hour behind":      -time.Hour,
	"four minutes behind": -4 * time.Minute,
	"ten seconds behind":  -10 * time.Second,
	"right":               0,
	"ten seconds ahead":   10 * time.Second,
	"four minutes ahead":  4 * time.Minute,
}

// The waits before we look are ours and X's: a worker whose clock is wrong neither shortens them,
// so that a post goes out twice, nor overlooks what went out by X's clock.
// Proves: F25
func TestAWorkersClockDecidesNothing(t *testing.T) {
	t.Parallel()
	for name, off := range skews {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &shyX{hides: 24 * time.Second, takes: true} // a little less than we wait
			w := newShyWorld(t, x, off)
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.Equal(t, 1, x.calls)
			require.Len(t, x.tweets, 1)
			require.WithinDuration(t, w.post.ScheduledAt, *w.post.PublishedAt, time.Second, "X knows when")
			require.WithinDuration(t, w.post.ScheduledAt, w.env.Now(), time.Minute, "nobody waits for a clock that is wrong")
		})
	}
}

// While X cannot be reached it is asked less and less often, whatever the worker's clock says.
// Proves: F25
func TestAWorkerWhoseClockIsBehindDoesNotHurry(t *testing.T) {
	t.Parallel()
	for name, off := range skews {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &shyX{fails: slices.Repeat([]error{notReached}, 20)}
			w := newShyWorld(t, x, off)
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.Equal(t, 21, x.calls)
			waited := w.env.Now().Sub(w.post.ScheduledAt)
			require.Greater(t, waited, 10*time.Minute, "twenty tries, and less and less often")
			require.Less(t, waited, 2*time.Hour+20*max(off, 0))
		})
	}
}
