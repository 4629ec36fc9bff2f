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

// story is a post's way to its end: what X answers, what happens on the way, and what becomes of it.
type story struct {
	answers []answer
	before  func(t *testing.T, w *world)
	at      time.Duration // when this happens, after the run began; the post is due after an hour
	then    func(t *testing.T, w *world)
	status  post.Status
	calls   int // of X
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

// play plays each story as a test of its own.
func play(t *testing.T, stories map[string]story) {
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
		"published at its time":                     {nil, nil, 0, nil, post.StatusPublished, 1, lateBy(0)},
		"answer lost, post made: found, not twice":  {answers: []answer{{true, lost}}, status: post.StatusPublished, calls: 1},
		"answer lost, post not made: tried again":   {answers: many(1, lost), status: post.StatusPublished, calls: 2},
		"refused: failed":                           {answers: many(1, refused), status: post.StatusFailed, calls: 1},
		"account refused: failed":                   {answers: many(1, noCredits), status: post.StatusFailed, calls: 1},
		"not reached: tried again":                  {answers: many(3, notReached), status: post.StatusPublished, calls: 4},
		"duplicate at the first try: failed":        {answers: many(1, duplicate), status: post.StatusFailed, calls: 1},
		"duplicate after an unclear try: found":     {answers: []answer{{false, lost}, {true, duplicate}}, status: post.StatusPublished, calls: 2},
		"duplicate after an unclear try: not there": {answers: []answer{{false, lost}, {false, duplicate}, {false, refused}}, status: post.StatusFailed, calls: 3},
		"every answer lost: failed, never doubled":  {answers: many(20, lost), status: post.StatusFailed, calls: post.MaxUnclear},
		"a broken worker is unclear":                {answers: []answer{{true, errors.New("killed")}}, status: post.StatusPublished, calls: 1},
		"unreadable timeline: unknown, not sent again without having looked": {
			answers: []answer{{true, lost}}, before: unreadable, status: post.StatusUnknown, calls: 1,
		},
	})
}

func unreadable(_ *testing.T, w *world) { w.x.unreadable = true }

// lateBy sees how long after its time the post went out.
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

// armed is a post whose first try is under way.
func (w *world) armed(t *testing.T, id string) {
	must(w.db.Posts.ArmPost(t.Context(), id, 1, storetest.Connection(t, w.db), w.env.Now()))
}

// went is a post that X has as number 77.
func (w *world) went(t *testing.T, id string) {
	w.armed(t, id)
	verdict := post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "77", At: w.env.Now()}
	must(w.db.Posts.ConcludePost(t.Context(), id, verdict, w.env.Now()))
}

func (w *world) shows(text string) {
	w.x.timeline = []post.Tweet{{ID: "77", Text: text, CreatedAt: w.env.Now()}}
}

// A run that begins anew, after the old one was lost, goes on from the row.
// Proves: F1, F9
func TestNewRunResumesFromTheRow(t *testing.T) {
	t.Parallel()
	is77 := func(t *testing.T, w *world) { require.Equal(t, "77", *w.post.TweetID) }
	play(t, map[string]story{
		"armed: looks before it sends": {before: func(t *testing.T, w *world) {
			w.armed(t, "p1")
			w.shows(w.post.Text)
		}, status: post.StatusPublished, check: is77},
		"published: ends": {before: func(t *testing.T, w *world) { w.went(t, "p1") }, status: post.StatusPublished, check: is77},
		"a tweet of the same text that belongs to another post is not ours": {
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
func TestLateTweet(t *testing.T) {
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

// The waits before we look are ours and X's: a worker whose clock is wrong neither shortens them, so
// that a post goes out twice, nor overlooks what went out by X's clock. While X cannot be reached it is
// called less and less often, whatever the worker's clock says.
// Proves: F25
func TestWorkerClockSkew(t *testing.T) {
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

			x = &shyX{fails: slices.Repeat([]error{notReached}, 20)}
			w = newShyWorld(t, x, off)
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.Equal(t, 21, x.calls)
			waited := w.env.Now().Sub(w.post.ScheduledAt)
			require.Greater(t, waited, 10*time.Minute, "twenty tries, and less and less often")
			require.Less(t, waited, 2*time.Hour+20*max(off, 0))
		})
	}
}
