package activities

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/store/storetest"
)

// Proves: F7, F8, F11
func TestVerdict(t *testing.T) {
	t.Parallel()
	reset := noon.Add(10 * time.Minute)
	for name, tt := range map[string]struct {
		attempt int
		late    time.Duration // how long after its due time
		err     error
		outcome post.Outcome
		until   time.Time
		final   bool
	}{
		"not sent within a day: retried soon": {attempt: 9, late: post.PatienceWithX, err: saying(post.NotSent), outcome: post.OutcomeWaiting, until: noon.Add(post.Backoff(9))},
		"not sent for a day: failed":          {attempt: 9, late: post.PatienceWithX + 1, err: saying(post.NotSent), outcome: post.OutcomeWaiting, until: noon.Add(post.Backoff(9)), final: true},
		"rate limited: after the reset":       {attempt: 7, err: limited(reset), outcome: post.OutcomeWaiting, until: reset.Add(spread("p1"))},
		"rate limited for a day: failed":      {attempt: 7, late: post.PatienceWithX + 1, err: limited(reset), outcome: post.OutcomeWaiting, until: reset.Add(spread("p1")), final: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := post.Post{ID: "p1", Attempt: tt.attempt, ScheduledAt: noon.Add(-tt.late)}
			v := verdict(p, post.Tweet{}, tt.err, noon)
			require.Equal(t, tt.outcome, v.Outcome)
			require.Equal(t, tt.attempt, v.Attempt)
			require.Equal(t, tt.until, v.Until)
			require.Equal(t, tt.final, v.Final)
			require.NotEmpty(t, v.Code)
			require.NotEmpty(t, v.Reason)
		})
	}
	sent := verdict(post.Post{ID: "p1", Attempt: 2}, post.Tweet{ID: "t1", URL: "https://x.test/t1"}, nil, noon)
	require.Equal(t, post.Verdict{Attempt: 2, Outcome: post.OutcomePublished, TweetID: "t1", URL: "https://x.test/t1", At: noon}, sent)
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
	for name, c := range map[string]struct {
		given  func(t *testing.T, d *postWorld)
		after  time.Duration
		status post.Status
		tries  int // attempts of this publication
		calls  int
	}{
		"arms, calls X once, and stores the outcome": {func(_ *testing.T, d *postWorld) {
			d.x.tweet = post.Tweet{ID: "77", URL: "https://x.com/i/web/status/77"}
		}, 0, post.StatusPublished, 1, 1},
		"sends nothing during another run's call": {func(t *testing.T, d *postWorld) {
			must(d.db.Posts.ArmPost(t.Context(), "p1", 1, storetest.Connection(t, d.db), noon))
		}, time.Second, post.StatusArmed, 1, 0},
		"sends nothing if the post was cancelled": {func(t *testing.T, d *postWorld) {
			must(d.CancelPost(t.Context(), PostRef{PostID: "p1"}))
		}, 0, post.StatusCancelled, 1, 0},
		"sends nothing if its attempt was made and the next is due": {func(_ *testing.T, d *postWorld) {
			d.x.err = saying(post.NotSent)
		}, 0, post.StatusScheduled, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newPostWorld(t)
			d.write(t, "p1", "hello")
			c.given(t, d)
			d.Now = func() time.Time { return noon.Add(c.after) }
			for range c.tries {
				state := must(d.PublishPost(t.Context(), PublishPostInput{PostID: "p1", Attempt: 1, Send: 10 * time.Second}))
				require.Equal(t, c.status, state.Status)
				require.Equal(t, d.x.tweet.ID, state.TweetID)
			}
			require.Equal(t, c.calls, d.x.calls)
			if c.calls > 0 {
				require.Equal(t, noon.Add(10*time.Second), d.x.deadline, "the deadline counts from arming")
				require.Equal(t, 1, must(d.db.Posts.Post(t.Context(), "p1")).Attempt)
			}
		})
	}
}

// TestPublishLabels checks that X learns which posts were paid for. Its label for AI is for media, not texts.
func TestPublishLabels(t *testing.T) {
	t.Parallel()
	for generated, whose := range map[bool]*string{true: nil, false: new("ada")} {
		d := newPostWorld(t)
		require.NoError(t, d.db.Members.AddMember(t.Context(), member.Member{
			ID: "ada", Username: "ada", UsernameKey: "ada", Status: member.StatusActive, PaymentCents: 900, JoinedAt: noon,
		}, nil))
		p := post.Post{ID: "p1", Text: "hello", Status: post.StatusScheduled, ScheduledAt: noon, MadeWithAI: generated, MemberID: whose}
		must(d.db.Posts.CreatePost(t.Context(), p, noon))
		must(d.PublishPost(t.Context(), PublishPostInput{PostID: "p1", Attempt: 1, Send: time.Minute}))
		require.Equal(t, post.Draft{Text: "hello", PaidPartnership: whose != nil}, d.x.draft)
	}
}
