package activities

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/post"
	"customerzero/internal/store/storetest"
)

// Proves: F9, F10, F25
func TestReconcile(t *testing.T) {
	t.Parallel()
	made := noon.Add(3 * time.Second)
	for name, tt := range map[string]struct {
		text   string
		shown  []post.Tweet
		last   bool
		status post.Status
		tweet  string
	}{
		"found: published":                         {text: "hello", shown: []post.Tweet{{ID: "77", Text: "hello", CreatedAt: made}}, status: post.StatusPublished, tweet: "77"},
		"found among others":                       {text: "hello", shown: []post.Tweet{{ID: "78", Text: "hello you"}, {ID: "77", Text: "hello", CreatedAt: made}}, status: post.StatusPublished, tweet: "77"},
		"found at the second look":                 {text: "hello", shown: []post.Tweet{{ID: "77", Text: "hello", CreatedAt: made}}, last: true, status: post.StatusPublished, tweet: "77"},
		"a tweet of another post does not count":   {text: "hello", shown: []post.Tweet{{ID: "1", Text: "hello"}}, status: post.StatusArmed},
		"missing at the first look: look again":    {text: "hello", status: post.StatusArmed},
		"missing at the second look: safe to send": {text: "hello", last: true, status: post.StatusScheduled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.publish(t, "other", "1", noon)
			d.arm(t, "p1", tt.text)
			d.x.timeline = tt.shown
			state := must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1", Last: tt.last}))
			require.Equal(t, tt.status, state.Status)
			require.Equal(t, tt.tweet, state.TweetID)
			require.Len(t, d.x.since, 1)
			require.WithinDuration(t, noon.Add(-clockSkew), d.x.since[0], 0, "from before it was armed: clocks differ")
			p := must(d.db.Posts.Post(t.Context(), "p1"))
			if tt.tweet != "" {
				require.WithinDuration(t, made, *p.PublishedAt, 0, "X knows when")
			}
		})
	}
}

func TestReconcileLooksForEveryTry(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.arm(t, "p1", "hello")
	for range 2 { // safe to repeat
		require.Equal(t, post.StatusScheduled, must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1", Last: true})).Status)
	}
	require.Len(t, d.x.since, 1, "a post that is not armed needs no look")
	require.Equal(t, 1, must(d.db.Posts.ReadUsage(t.Context(), "2026-11")).ReconciliationReads, "every look is counted")
	must(d.db.Posts.ArmPost(t.Context(), "p1", 2, storetest.Connection(t, d.db), noon.Add(time.Hour)))
	require.Equal(t, post.StatusArmed, must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1"})).Status)
	require.Len(t, d.x.since, 2)
	require.WithinDuration(t, noon.Add(-clockSkew), d.x.since[1], 0, "what the first try did may only show now")
}

func TestAPostThatVanishesAgainAndAgainFails(t *testing.T) {
	t.Parallel()
	p := post.Post{Attempt: 3, UnclearAttempts: post.MaxUnclear - 1}
	require.False(t, absent(p, noon).Final)
	p.UnclearAttempts++
	require.True(t, absent(p, noon).Final)
}

func TestWhenToAsk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err   error
		delay time.Duration
		final bool
	}{
		"a limit: after its reset":                 {err: limited(noon.Add(time.Minute)), delay: time.Minute},
		"a limit that is over: not quite at once":  {err: limited(noon.Add(-time.Minute)), delay: time.Second},
		"the account is refused: useless":          {err: saying(post.AccountRefused), final: true},
		"the question is refused: useless":         {err: saying(post.Refused), final: true},
		"never sent: when the retry policy thinks": {err: saying(post.NotSent)},
		"no answer: when the retry policy thinks":  {err: saying(post.Unclear)},
		"an odd answer: when the policy thinks":    {err: saying(post.Duplicate)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, ok := errors.AsType[*temporal.ApplicationError](whenToAsk(tt.err, noon))
			require.True(t, ok)
			require.Equal(t, tt.err.Error(), said.Message())
			require.Equal(t, tt.delay, said.NextRetryDelay())
			require.Equal(t, tt.final, said.NonRetryable())
		})
	}
	other := errors.New("no database")
	require.Equal(t, other, whenToAsk(other, noon), "what X did not say is not X's")
}
