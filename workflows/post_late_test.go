package workflows_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/post"
	"customerzero/internal/store/storetest"
	"customerzero/workflows"
)

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
	t.Helper()
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
			usage, err := w.db.Posts.MonthUsage(t.Context(), "2026-11")
			require.NoError(t, err)
			require.Equal(t, []int{1, 0}, []int{usage.Spent, usage.Reserved})
		})
	}
}
