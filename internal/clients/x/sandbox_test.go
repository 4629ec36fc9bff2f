package x_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/testwait"
	xsandbox "customerzero/internal/sandbox/x"
)

// world is a sandbox of X and a client that does not know that it is one.
type world struct {
	x      *xsandbox.Server
	client *x.Client
}

func newWorld(t *testing.T, changes ...func(*xsandbox.Config)) *world {
	t.Helper()
	config := xsandbox.Config{
		ConsumerKey: secrets[0], ConsumerSecret: secrets[1], AccessToken: secrets[2], AccessSecret: secrets[3],
		UserID: "4242", Username: "customerzero", Name: "Customer Zero", Log: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(&config)
	}
	sandbox, err := xsandbox.New(config)
	require.NoError(t, err)
	server := httptest.NewServer(sandbox.Handler())
	t.Cleanup(func() {
		require.NoError(t, sandbox.Close())
		server.Close()
	})
	return &world{x: sandbox, client: newClient(server.URL, func(c *x.Config) {
		c.UserID, c.Now = "", time.Now
	})}
}

func (w *world) fault(t *testing.T, on xsandbox.Target, fault xsandbox.Fault, delay time.Duration) {
	t.Helper()
	require.NoError(t, w.x.SetFaults(xsandbox.Faults{Rules: []xsandbox.Rule{{On: on, Fault: fault, Times: 1, Delay: delay}}}))
}

// Proves: V10.2.1
func TestSandboxKnowsUs(t *testing.T) {
	t.Parallel()
	me, err := newWorld(t).client.Me(t.Context())
	require.NoError(t, err)
	require.Equal(t, x.User{ID: "4242", Username: "customerzero", Name: "Customer Zero"}, me)
}

// TestSandboxGivesTextsBack is what finding a lost post on the timeline stands on.
// Proves: S-oauth-body
func TestSandboxGivesTextsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	texts := map[string]string{
		"a link":                     "Read https://example.com/a?b=1&c=2#d now",
		"a bare domain":              "We are at Example.com/Path/ again",
		"a domain at the end":        "See example.com.",
		"links side by side":         "a.co b.co/x,https://c.co",
		"the same link twice":        "https://example.com and https://example.com",
		"a link in brackets":         "(https://example.com/Film_(1999)) [b.org]",
		"a link behind foreign text": "見てexample.com/ü を",
		"a foreign host":             "https://bücher.example.com/ und https://例え.jp/x",
		"signs of HTML":              "a < b && c > d &amp; &lt; &copy; \"q\" 'r'",
		"signs in a link":            "https://example.com/?a=<b>&c=d",
		"emoji":                      "👩🏽‍💻 ships 🇯🇵 1️⃣ ❤️",
		"Chinese and Arabic":         "你好，世界。 مرحبا بالعالم",
		"marks apart":                "cafe\u0301 \u1100\u1161",
		"lines and blanks":           "  one\n\n  two\t three \n",
		"an address and a tag":       "me@example.com @zero #tag $CASH",
		"a forgotten blank":          "We turned it.off",
		"a quotation":                "\\ / %41 + ~ ` \u2028 \u00a0 .",
		"as long as can be":          strings.Repeat("好", 140),
		"a very long link":           "https://example.com/" + strings.Repeat("a", 1500),
	}
	keys := map[string]string{}
	since := time.Now()
	for name, text := range texts {
		require.NoError(t, post.CheckText(text), name)
		tweet, err := w.client.Publish(t.Context(), post.Draft{Text: text})
		require.NoError(t, err, name)
		keys[tweet.ID] = post.TextKey(text)
	}
	tweets, err := w.client.Timeline(t.Context(), since)
	require.NoError(t, err)
	require.Len(t, tweets, len(texts))
	for _, tweet := range tweets {
		require.Equal(t, keys[tweet.ID], post.TextKey(tweet.Text), "%q", tweet.Text)
		require.WithinDuration(t, time.Now(), tweet.CreatedAt, time.Minute)
	}
}

func TestSandboxTimelineInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *xsandbox.Config) { c.Limit = 1000 })
	const tweets = 205
	var last post.Tweet
	for i := range tweets {
		tweet, err := w.client.Publish(t.Context(), post.Draft{Text: strings.Repeat("a", i+1)})
		require.NoError(t, err)
		last = tweet
	}
	timeline, err := w.client.Timeline(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Len(t, timeline, tweets)
	require.Equal(t, last.ID, timeline[0].ID)

	timeline, err = w.client.Timeline(t.Context(), time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, timeline)
}

func TestSandboxCarriesOurDuties(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.client.Publish(t.Context(), post.Draft{Text: "hello", MadeWithAI: true, PaidPartnership: true})
	require.NoError(t, err)
	require.True(t, w.x.Tweets()[0].MadeWithAI)
	require.True(t, w.x.Tweets()[0].PaidPartnership)
}

// Proves: F11
func TestSandboxRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.client.Publish(t.Context(), post.Draft{Text: "hello"})
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		text  string
		class post.Class
	}{
		"a text that is there already": {"hello", post.Duplicate},
		"a text that is too long":      {strings.Repeat("a", 281), post.Refused},
		"no text":                      {" ", post.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := w.client.Publish(t.Context(), post.Draft{Text: tt.text})
			require.Equal(t, tt.class, said(t, err).Class)
		})
	}
}

func TestSandboxKnowsWrongKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *xsandbox.Config) { c.AccessSecret = "another" })
	_, err := w.client.Publish(t.Context(), post.Draft{Text: "hello"})
	require.Equal(t, "x_bad_token", said(t, err).Code)
	require.Empty(t, w.x.Tweets())
}

func TestSandboxLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *xsandbox.Config) { c.Limit = 1 })
	_, err := w.client.Publish(t.Context(), post.Draft{Text: "one"})
	require.NoError(t, err)
	_, err = w.client.Publish(t.Context(), post.Draft{Text: "two"})
	failed := said(t, err)
	require.Equal(t, post.RateLimited, failed.Class)
	require.WithinDuration(t, time.Now().Add(15*time.Minute), failed.RetryAt, time.Minute)
}

// TestSandboxFaults: whatever goes wrong, the class never promises more than is so.
// Proves: F8
func TestSandboxFaults(t *testing.T) {
	t.Parallel()
	for fault, tt := range map[xsandbox.Fault]struct {
		class    post.Class
		accepted bool
	}{
		xsandbox.RateLimit:        {post.RateLimited, false},
		xsandbox.Unauthorized:     {post.AccountRefused, false},
		xsandbox.NoCredits:        {post.AccountRefused, false},
		xsandbox.Forbidden:        {post.AccountRefused, false},
		xsandbox.Unavailable:      {post.Unclear, false},
		xsandbox.UnavailableAfter: {post.Unclear, true},
		xsandbox.DropBefore:       {post.Unclear, false},
		xsandbox.DropAfter:        {post.Unclear, true},
		xsandbox.HangBefore:       {post.Unclear, false},
		xsandbox.HangAfter:        {post.Unclear, true},
		xsandbox.Truncate:         {post.Unclear, true},
		xsandbox.Late:             {post.Unclear, true},
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(t, xsandbox.OnPost, fault, 10*time.Millisecond)
			patience := testwait.Limit
			if slices.Contains([]xsandbox.Fault{xsandbox.HangBefore, xsandbox.HangAfter, xsandbox.Late}, fault) {
				patience = 2 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := w.client.Publish(ctx, post.Draft{Text: "hello"})
			require.Equal(t, tt.class, said(t, err).Class)
			want := 0
			if tt.accepted {
				want = 1
			}
			require.Eventually(t, func() bool {
				tweets, err := w.client.Timeline(t.Context(), time.Time{})
				return err == nil && len(tweets) == want
			}, testwait.Limit, 20*time.Millisecond)
		})
	}
}

func TestSandboxFaultsOfReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.client.Timeline(t.Context(), time.Time{})
	require.NoError(t, err)
	for fault, class := range map[xsandbox.Fault]post.Class{
		xsandbox.RateLimit: post.RateLimited, xsandbox.Unauthorized: post.AccountRefused, xsandbox.NoCredits: post.AccountRefused,
		xsandbox.Unavailable: post.Unclear, xsandbox.DropBefore: post.Unclear, xsandbox.Truncate: post.Unclear,
	} {
		w.fault(t, xsandbox.OnRead, fault, time.Second)
		_, err := w.client.Timeline(t.Context(), time.Time{})
		require.Equal(t, class, said(t, err).Class, fault)
	}
}

func TestSandboxIsSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(t, xsandbox.OnPost, xsandbox.Slow, 50*time.Millisecond)
	_, err := w.client.Publish(t.Context(), post.Draft{Text: "hello"})
	require.NoError(t, err)
}

func TestSandboxMetricsAndDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kept, err := w.client.Publish(t.Context(), post.Draft{Text: "stays"})
	require.NoError(t, err)
	gone, err := w.client.Publish(t.Context(), post.Draft{Text: "goes"})
	require.NoError(t, err)
	require.NoError(t, w.client.Delete(t.Context(), gone.ID))
	require.NoError(t, w.client.Delete(t.Context(), gone.ID), "gone is gone")

	counts, err := w.client.Metrics(t.Context(), []string{kept.ID, gone.ID, "1"})
	require.NoError(t, err)
	require.Len(t, counts, 1)
	require.Contains(t, counts, kept.ID)
	counts, err = w.client.Metrics(t.Context(), []string{gone.ID})
	require.NoError(t, err)
	require.Empty(t, counts)

	tweets, err := w.client.Timeline(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Len(t, tweets, 1)
}
