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
	"customerzero/internal/store/storetest"
	"customerzero/workflows"
)

// story is the course of a post and its expected outcome.
type story struct {
	answers []answer
	before  func(t *testing.T, w *world)
	at      time.Duration // when this happens after the start; the post is due after an hour
	then    func(t *testing.T, w *world)
	status  post.Status
	calls   int // calls of X
	check   func(t *testing.T, w *world)
}

func (s story) play(t *testing.T) {
	w := newWorld(t, s.answers...)
	if s.before != nil {
		s.before(t, w)
	}
	if s.then != nil {
		w.after(s.at, func() { s.then(t, w) })
	}
	require.Equal(t, s.status, w.run(t).Status)
	require.Equal(t, s.calls, w.x.calls)
	if s.check != nil {
		s.check(t, w)
	}
}

func play[S interface{ play(*testing.T) }](t *testing.T, stories map[string]S) {
	for name, s := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.play(t)
		})
	}
}

// Proves: F1, F9, F10, F11
func TestPostEndings(t *testing.T) {
	t.Parallel()
	many := func(n int, err error) []answer { return slices.Repeat([]answer{{false, err}}, n) }
	play(t, map[string]story{
		"published at its time":                         {nil, nil, 0, nil, post.StatusPublished, 1, lateBy(0)},
		"answer lost, post made: found, not twice":      {answers: []answer{{true, lost}}, status: post.StatusPublished, calls: 1},
		"answer lost, post not made: sent again":        {answers: many(1, lost), status: post.StatusPublished, calls: 2},
		"refused: failed":                               {answers: many(1, refused), status: post.StatusFailed, calls: 1},
		"account refused: failed":                       {answers: many(1, noCredits), status: post.StatusFailed, calls: 1},
		"not reached: retried":                          {answers: many(3, notReached), status: post.StatusPublished, calls: 4},
		"duplicate at the first attempt: failed":        {answers: many(1, duplicate), status: post.StatusFailed, calls: 1},
		"duplicate after an unclear attempt: found":     {answers: []answer{{false, lost}, {true, duplicate}}, status: post.StatusPublished, calls: 2},
		"duplicate after an unclear attempt: not found": {answers: []answer{{false, lost}, {false, duplicate}}, status: post.StatusFailed, calls: 2, check: named(duplicate)},
		"duplicate again after a retry: failed at once": {
			answers: many(6, duplicate), at: 2 * time.Hour, status: post.StatusFailed, calls: 2, check: named(duplicate),
			then: func(t *testing.T, w *world) {
				retry(t, w)
				w.after(time.Second, func() { require.Equal(t, post.StatusFailed, w.row(t).Status) })
			},
		},
		"every answer lost: failed, never sent twice": {answers: many(20, lost), status: post.StatusFailed, calls: post.MaxUnclear},
		"a broken worker is unclear":                  {answers: []answer{{true, errors.New("killed")}}, status: post.StatusPublished, calls: 1},
		"unreadable timeline: unknown, not sent again without a check": {
			answers: []answer{{true, lost}}, before: unreadable, status: post.StatusUnknown, calls: 1,
		},
	})
}

// named checks that the post has X's own reason.
func named(why *post.XError) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		require.Equal(t, []string{why.Code, why.Message}, []string{w.row(t).Code, w.row(t).Reason})
	}
}

func unreadable(_ *testing.T, w *world) { w.x.unreadable = true }

// lateBy checks how long after its due time the post was published.
func lateBy(d time.Duration) func(*testing.T, *world) {
	return func(t *testing.T, w *world) { require.InDelta(t, d.Seconds(), w.late().Seconds(), 1) }
}

func limitedUntil(d time.Duration) error {
	return &post.XError{Class: post.RateLimited, Code: "x_rate_limited", Message: "X asks us to wait.", RetryAt: begin.Add(time.Hour + d)}
}

// Proves: F7, F11
func TestRateLimitedPostWaitsForTheReset(t *testing.T) {
	t.Parallel()
	story{
		answers: []answer{{false, limitedUntil(2 * time.Hour)}}, at: 90 * time.Minute,
		then: func(t *testing.T, w *world) {
			row := w.row(t)
			require.Equal(t, post.StatusScheduled, row.Status)
			require.Equal(t, "x_rate_limited", row.Code)
			require.NotNil(t, row.WaitingUntil)
		},
		status: post.StatusPublished, calls: 2,
		check: func(t *testing.T, w *world) { require.GreaterOrEqual(t, w.late(), 2*time.Hour) },
	}.play(t)
}

// armed is a post whose first attempt is running.
func (w *world) armed(t *testing.T, id string) {
	must(w.db.Posts.ArmPost(t.Context(), id, 1, storetest.Connection(t, w.db), w.env.Now()))
}

// went is a post that X published as number 77.
func (w *world) went(t *testing.T, id string) {
	w.armed(t, id)
	verdict := post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "77", At: w.env.Now()}
	must(w.db.Posts.ConcludePost(t.Context(), id, verdict, w.env.Now()))
}

func (w *world) shows(text string) {
	w.x.timeline = []post.Tweet{{ID: "77", Text: text, CreatedAt: w.env.Now()}}
}

// TestNewRunResumesFromTheRow starts a run after the old one was lost.
// Proves: F1, F9
func TestNewRunResumesFromTheRow(t *testing.T) {
	t.Parallel()
	is77 := func(t *testing.T, w *world) { require.Equal(t, "77", *w.post.TweetID) }
	play(t, map[string]story{
		"armed: checks before it sends": {before: func(t *testing.T, w *world) {
			w.armed(t, "p1")
			w.shows(w.post.Text)
		}, status: post.StatusPublished, check: is77},
		"published: ends": {before: func(t *testing.T, w *world) { w.went(t, "p1") }, status: post.StatusPublished, check: is77},
		"a tweet with the same text of another post does not count": {
			answers: []answer{{false, lost}}, before: func(t *testing.T, w *world) {
				other := post.Post{ID: "p2", Text: "another", Status: post.StatusScheduled, ScheduledAt: w.env.Now()}
				must(w.db.Posts.CreatePost(t.Context(), other, w.env.Now()))
				w.went(t, "p2")
				w.shows(w.post.Text)
				w.others = 1
			}, status: post.StatusPublished, calls: 2, check: func(t *testing.T, w *world) { require.NotEqual(t, "77", *w.post.TweetID) },
		},
	})
}

// Proves: F25
func TestPostOfTheLastSecondTakesTheNewMonth(t *testing.T) {
	t.Parallel()
	story{
		answers: []answer{{false, notReached}}, before: func(_ *testing.T, w *world) { w.month = "2026-12" },
		at: time.Minute, then: moved(time.Date(2026, time.November, 30, 23, 59, 58, 0, time.UTC)), status: post.StatusPublished, calls: 2,
		check: func(t *testing.T, w *world) {
			w.month = "2026-11"
			w.holds(t, 0, 0)
		},
	}.play(t)
}

// lateX accepts a post without an answer, and shows it after a while. Like X, it shows nothing older than
// requested, and rejects a known text.
type lateX struct {
	hides  time.Duration // delay until a tweet is shown
	takes  bool          // accepts duplicates
	fails  []error       // errors of the first calls, without effect
	calls  int
	tweets []post.Tweet

	connection string
	now        func() time.Time
}

func (x *lateX) Account(context.Context) (activities.Account, string, error) {
	return x, x.connection, nil
}

func (x *lateX) Publish(_ context.Context, d post.Draft) (post.Tweet, error) {
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

func (x *lateX) Timeline(_ context.Context, since time.Time) (shown []post.Tweet, err error) {
	for _, tweet := range x.tweets {
		if !x.now().Before(tweet.CreatedAt.Add(x.hides)) && !tweet.CreatedAt.Before(since) {
			shown = append(shown, tweet)
		}
	}
	return shown, nil
}

func (*lateX) Metrics(context.Context, []string) (map[string]post.Metrics, error) {
	return map[string]post.Metrics{}, nil
}

// newLateWorld is a post to an X that shows it late, with a worker whose clock is off.
func newLateWorld(t *testing.T, x *lateX, off time.Duration) *world {
	w := newWorld(t)
	w.stage = stageFor(w.db, begin)
	x.connection, x.now = storetest.Connection(t, w.db), w.env.Now
	w.env.RegisterActivity(&activities.Post{
		Posts: w.db.Posts, Accounts: x, Now: func() time.Time { return w.env.Now().Add(off) },
	})
	return w
}

// TestLateTweet shows a tweet between the checks, after both, or after the post was given up. Because X
// rejects duplicates, it exists once, and in the end the row has it.
// Proves: F10
func TestLateTweet(t *testing.T) {
	t.Parallel()
	const settle = 25 * time.Second // TimingFor(10 s)
	for name, tt := range map[string]struct {
		x             lateX
		retry         time.Duration // when a retry is requested after the due time; never if 0
		calls, tweets int
	}{
		"before the first check":                                   {x: lateX{hides: settle - time.Second}, calls: 1, tweets: 1},
		"between the checks":                                       {x: lateX{hides: settle + time.Second}, calls: 1, tweets: 1},
		"after both, and X rejects the duplicate":                  {x: lateX{hides: 2*settle + 5*time.Second}, calls: 2, tweets: 1},
		"long after X rejected the duplicate: found at the retry":  {x: lateX{hides: 10 * time.Minute}, retry: 20 * time.Minute, calls: 2, tweets: 1},
		"after both, and X accepts the duplicate: the known limit": {x: lateX{hides: 2*settle + 5*time.Second, takes: true}, calls: 2, tweets: 2},
		"between the checks, and X would accept a duplicate":       {x: lateX{hides: 2*settle - time.Second, takes: true}, calls: 1, tweets: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLateWorld(t, &tt.x, 0)
			if tt.retry > 0 {
				w.after(time.Hour+tt.retry, func() {
					require.Equal(t, post.StatusFailed, w.row(t).Status, "nobody has seen it")
					order(workflows.UpdateRetry)(t, w)
				})
			}
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.Equal(t, tt.calls, tt.x.calls)
			require.Len(t, tt.x.tweets, tt.tweets)
			require.Equal(t, tt.x.tweets[0].ID, *w.post.TweetID)
		})
	}
}

// skews are offsets of a worker's clock. X rejects calls that are off by more than 5 minutes; the larger
// offsets are of a clock that is corrected in between.
var skews = map[string]time.Duration{
	"an hour behind":      -time.Hour,
	"four minutes behind": -4 * time.Minute,
	"ten seconds behind":  -10 * time.Second,
	"right":               0,
	"ten seconds ahead":   10 * time.Second,
	"four minutes ahead":  4 * time.Minute,
}

// TestWorkerClockSkew checks that a wrong worker clock neither shortens the waits before a check, so
// that a post is sent twice, nor hides a post published by X's clock. While X is unreachable, it is
// called at growing intervals.
// Proves: F25
func TestWorkerClockSkew(t *testing.T) {
	t.Parallel()
	for name, off := range skews {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &lateX{hides: 24 * time.Second, takes: true} // slightly less than the wait
			w := newLateWorld(t, x, off)
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.Equal(t, 1, x.calls)
			require.Len(t, x.tweets, 1)
			require.WithinDuration(t, w.post.ScheduledAt, *w.post.PublishedAt, time.Second, "X knows when")
			require.WithinDuration(t, w.post.ScheduledAt, w.env.Now(), time.Minute, "nobody waits for a clock that is wrong")

			x = &lateX{fails: slices.Repeat([]error{notReached}, 20)}
			w = newLateWorld(t, x, off)
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.Equal(t, 21, x.calls)
			waited := w.env.Now().Sub(w.post.ScheduledAt)
			require.Greater(t, waited, 10*time.Minute, "twenty tries, and less and less often")
			require.Less(t, waited, 2*time.Hour+20*max(off, 0))
		})
	}
}
