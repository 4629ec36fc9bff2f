package activities

import (
	"errors"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
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
	for name, c := range map[string]struct {
		given  func(t *testing.T, d *desk)
		after  time.Duration
		status post.Status
		tries  int // of this publication
		calls  int
	}{
		"arms, calls X once, and books what came of it": {func(_ *testing.T, d *desk) {
			d.x.tweet = post.Tweet{ID: "77", URL: "https://x.com/i/web/status/77"}
		}, 0, post.StatusPublished, 1, 1},
		"sends nothing beside a call of another run": {func(t *testing.T, d *desk) {
			must(d.db.Posts.ArmPost(t.Context(), "p1", 1, storetest.Connection(t, d.db), noon))
		}, time.Second, post.StatusArmed, 1, 0},
		"sends nothing when the post was cancelled meanwhile": {func(t *testing.T, d *desk) {
			must(d.CancelPost(t.Context(), PostRef{PostID: "p1"}))
		}, 0, post.StatusCancelled, 1, 0},
		"sends nothing when its try has been made and the next is due": {func(_ *testing.T, d *desk) {
			d.x.err = saying(post.NotSent)
		}, 0, post.StatusScheduled, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
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

// X escapes texts and shortens their links. A post must be found all the same, or it would go
// out twice.
// Proves: F9
func TestReconcileFindsWhatXHasChanged(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"signs that HTML escapes":      `fish & chips <3 "both" > one`,
		"text that is escaped already": "write &amp; for &, and &lt; for <",
		"a link without a scheme":      "read example.com/a?b=1&c=2 today",
		"a link with a slash behind":   "read https://example.com/ today",
		"two links and a host in caps": "HTTPS://Example.COM/Path, then example.org",
		"a link of another alphabet":   "siehe https://bücher.example/straße",
		"lines and blanks":             "  one\n\n\ttwo   three ",
		"emoji and marks":              "👩‍👩‍👧 cafe\u0301 ❤️",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, db, x := newDeskAtX(t)
			now := time.Now()
			must(db.Posts.CreatePost(t.Context(), post.Post{
				ID: "p1", Text: text, Status: post.StatusScheduled, ScheduledAt: now,
			}, now))
			require.NoError(t, x.SetFaults(xsandbox.Faults{Rules: []xsandbox.Rule{
				{On: xsandbox.OnPost, Fault: xsandbox.DropAfter, Times: 1},
			}}))
			state := must(d.PublishPost(t.Context(), PublishPostInput{PostID: "p1", Attempt: 1, Send: time.Minute}))
			require.Equal(t, post.StatusArmed, state.Status, "its answer is lost")

			state = must(d.ReconcilePost(t.Context(), ReconcilePostInput{PostID: "p1"}))
			require.Equal(t, post.StatusPublished, state.Status)
			require.Equal(t, x.Tweets()[0].ID, state.TweetID)
		})
	}
}

// newDeskAtX is the activities of posts with the real client of X, before its sandbox.
func newDeskAtX(t *testing.T) (*Post, *store.DB, *xsandbox.Server) {
	t.Helper()
	remote := must(xsandbox.New(xsandbox.Config{
		ConsumerKey: "key", ConsumerSecret: "secret", AccessToken: "4242-token", AccessSecret: "token-secret",
		UserID: "4242", Username: "customerzerobot", Log: slog.New(slog.DiscardHandler),
	}))
	listener := httptest.NewServer(remote.Handler())
	t.Cleanup(func() {
		require.NoError(t, remote.Close())
		listener.Close()
	})
	client := x.New(x.Config{
		BaseURL: listener.URL, ConsumerKey: "key", ConsumerSecret: "secret", AccessToken: "4242-token", AccessSecret: "token-secret",
	})
	db := storetest.New(t, "sqlite")
	return &Post{Posts: db.Posts, Accounts: connected{client, storetest.Connection(t, db)}, Now: time.Now}, db, remote
}

// X wants to know which posts a model wrote, and which were paid for.
func TestXIsToldWhatAPostIs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ generated, sponsored bool }{
		"by people, for the founders":  {},
		"by a model, for the founders": {generated: true},
		"by people, for a member":      {sponsored: true},
		"by a model, for a member":     {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, db, x := newDeskAtX(t)
			p := post.Post{ID: "p1", Text: "hello", Status: post.StatusScheduled, ScheduledAt: time.Now(), MadeWithAI: tt.generated}
			if tt.sponsored {
				ada := "ada"
				require.NoError(t, db.Members.AddMember(t.Context(), member.Member{
					ID: ada, Username: ada, UsernameKey: ada, Status: member.StatusActive, PaymentCents: 900, JoinedAt: time.Now(),
				}, nil))
				p.MemberID = &ada
			}
			must(db.Posts.CreatePost(t.Context(), p, time.Now()))
			state := must(d.PublishPost(t.Context(), PublishPostInput{PostID: "p1", Attempt: 1, Send: time.Minute}))
			require.Equal(t, post.StatusPublished, state.Status)
			tweet := x.Tweets()[0]
			require.Equal(t, []bool{tt.generated, tt.sponsored}, []bool{tweet.MadeWithAI, tweet.PaidPartnership})
		})
	}
}
