package activities

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
)

// Proves: F7, F8, F11
func TestVerdict(t *testing.T) {
	t.Parallel()
	tweet := post.Tweet{ID: "77", URL: "https://x.com/i/web/status/77"}
	reset := noon.Add(10 * time.Minute)
	for name, tt := range map[string]struct {
		attempt int
		late    time.Duration // how long after its time
		err     error
		outcome post.Outcome
		until   time.Time
		final   bool
	}{
		"taken: published":                               {attempt: 1, outcome: post.OutcomePublished},
		"taken at a later try: published":                {attempt: 4, outcome: post.OutcomePublished},
		"refused: for good":                              {attempt: 1, err: saying(post.Refused), outcome: post.OutcomeRefused},
		"refused at a later try: for good":               {attempt: 3, err: saying(post.Refused), outcome: post.OutcomeRefused},
		"account refused: for good":                      {attempt: 1, err: saying(post.AccountRefused), outcome: post.OutcomeRefused},
		"account refused at a later try: for good":       {attempt: 2, err: saying(post.AccountRefused), outcome: post.OutcomeRefused},
		"unclear: somebody has to look":                  {attempt: 1, err: saying(post.Unclear), outcome: post.OutcomeUnclear},
		"unclear again: somebody has to look":            {attempt: 5, err: saying(post.Unclear), outcome: post.OutcomeUnclear},
		"duplicate at once: it is another post's text":   {attempt: 1, err: saying(post.Duplicate), outcome: post.OutcomeRefused},
		"duplicate later: an earlier try went through":   {attempt: 2, err: saying(post.Duplicate), outcome: post.OutcomeUnclear},
		"not sent: soon again":                           {attempt: 1, err: saying(post.NotSent), outcome: post.OutcomeWaiting, until: noon.Add(post.Backoff(1))},
		"not sent, again: later":                         {attempt: 6, err: saying(post.NotSent), outcome: post.OutcomeWaiting, until: noon.Add(post.Backoff(6))},
		"not sent within a day: soon again":              {attempt: 9, late: post.PatienceWithX, err: saying(post.NotSent), outcome: post.OutcomeWaiting, until: noon.Add(post.Backoff(9))},
		"not sent for a day: failed":                     {attempt: 9, late: post.PatienceWithX + 1, err: saying(post.NotSent), outcome: post.OutcomeWaiting, until: noon.Add(post.Backoff(9)), final: true},
		"rate limited: after the reset":                  {attempt: 1, err: limited(reset), outcome: post.OutcomeWaiting, until: reset.Add(spread("p1"))},
		"rate limited again: after the reset":            {attempt: 7, err: limited(reset), outcome: post.OutcomeWaiting, until: reset.Add(spread("p1"))},
		"rate limited for a day: failed":                 {attempt: 7, late: post.PatienceWithX + 1, err: limited(reset), outcome: post.OutcomeWaiting, until: reset.Add(spread("p1")), final: true},
		"an error that is not X's: somebody has to look": {attempt: 1, err: errors.New("out of memory"), outcome: post.OutcomeUnclear},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := post.Post{ID: "p1", Attempt: tt.attempt, ScheduledAt: noon.Add(-tt.late)}
			v := verdict(p, tweet, tt.err, noon)
			require.Equal(t, tt.outcome, v.Outcome)
			require.Equal(t, tt.attempt, v.Attempt)
			require.Equal(t, tt.until, v.Until)
			require.Equal(t, tt.final, v.Final)
			if tt.err == nil {
				require.Equal(t, post.Verdict{
					Attempt: tt.attempt, Outcome: tt.outcome, TweetID: tweet.ID, URL: tweet.URL, At: noon,
				}, v)
				return
			}
			require.NotEmpty(t, v.Code)
			require.NotEmpty(t, v.Reason)
			require.Empty(t, v.TweetID)
		})
	}
}

func saying(class post.Class) error {
	return &post.XError{Class: class, Code: "x_" + string(class), Message: "X says " + string(class)}
}

func limited(until time.Time) error {
	return &post.XError{Class: post.RateLimited, Code: "x_rate_limited", Message: "X asks us to wait.", RetryAt: until}
}

// Proves: F7
func TestSpread(t *testing.T) {
	t.Parallel()
	seen := map[time.Duration]bool{}
	for i := range 1000 {
		id := "post " + strconv.Itoa(i)
		wait := spread(id)
		require.GreaterOrEqual(t, wait, time.Second, "X counts in whole seconds")
		require.Less(t, wait, 3*time.Second)
		require.Equal(t, wait, spread(id), "every try of a post waits as long")
		seen[wait] = true
	}
	require.Greater(t, len(seen), 500, "posts that waited together go out apart")
}

// Proves: F13
func TestPublish(t *testing.T) {
	t.Parallel()

	t.Run("arms, calls X once, and books what came of it", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		d.write(t, "p1", "hello")
		d.x.tweet = post.Tweet{ID: "77", URL: "https://x.com/i/web/status/77"}
		state, err := d.Publish(t.Context(), PublishInput{PostID: "p1", Attempt: 1, Send: 10 * time.Second})
		require.NoError(t, err)
		require.Equal(t, post.StatusPublished, state.Status)
		require.Equal(t, "77", state.TweetID)
		require.Equal(t, 1, d.x.calls)
		require.Equal(t, noon.Add(10*time.Second), d.x.deadline, "the deadline counts from arming")
	})
	t.Run("sends nothing beside a call of another run", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		d.arm(t, "p1", "hello")
		d.Now = func() time.Time { return noon.Add(time.Second) }
		state, err := d.Publish(t.Context(), PublishInput{PostID: "p1", Attempt: 1, Send: time.Second})
		require.NoError(t, err)
		require.Equal(t, post.StatusArmed, state.Status)
		require.Zero(t, d.x.calls)
	})
	t.Run("sends nothing when the post was cancelled meanwhile", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		d.write(t, "p1", "hello")
		_, err := d.CancelPost(t.Context(), PostRef{PostID: "p1"})
		require.NoError(t, err)
		state, err := d.Publish(t.Context(), PublishInput{PostID: "p1", Attempt: 1, Send: time.Second})
		require.NoError(t, err)
		require.Equal(t, post.StatusCancelled, state.Status)
		require.Zero(t, d.x.calls)
	})
	t.Run("sends nothing when its try has been made and the next is due", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		d.write(t, "p1", "hello")
		d.x.err = saying(post.NotSent)
		for range 2 {
			state, err := d.Publish(t.Context(), PublishInput{PostID: "p1", Attempt: 1, Send: time.Second})
			require.NoError(t, err)
			require.Equal(t, post.StatusScheduled, state.Status)
			require.Equal(t, 1, state.Attempt)
		}
		require.Equal(t, 1, d.x.calls)
	})
}
