package x_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/post"
)

// recorder is a server that records its requests.
type recorder struct {
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func (r *recorder) serve(t *testing.T, answer func(*http.Request) string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.requests = append(r.requests, req)
		r.bodies = append(r.bodies, string(body))
		_, _ = io.WriteString(w, answer(req))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Proves: S-oauth-body
func TestPublish(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		draft     post.Draft
		body      string
		page, url string
	}{
		"a text": {post.Draft{Text: "a <b> & \"c\" 😀"}, `{"text":"a <b> & \"c\" 😀"}`, "", "https://x.com/i/web/status/1234567890123456789"},
		"a paid text, shown elsewhere": {
			post.Draft{Text: "x", PaidPartnership: true},
			`{"text":"x","paid_partnership":true}`,
			"http://127.0.0.1/status/", "http://127.0.0.1/status/1234567890123456789",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			remote := &recorder{}
			url := remote.serve(t, func(*http.Request) string { return `{"data":{"id":"1234567890123456789","text":"…"}}` })
			tweet, err := newClient(url+"/", func(c *x.Config) { c.PageURL = tt.page }).Publish(t.Context(), tt.draft)
			require.NoError(t, err)
			require.Equal(t, post.Tweet{ID: "1234567890123456789", Text: tt.draft.Text, CreatedAt: noon, URL: tt.url}, tweet)
			require.Len(t, remote.requests, 1)
			require.Equal(t, "POST /2/tweets", remote.requests[0].Method+" "+remote.requests[0].RequestURI)
			require.Equal(t, "application/json", remote.requests[0].Header.Get("Content-Type"))
			require.Contains(t, remote.requests[0].Header.Get("Authorization"), `OAuth oauth_consumer_key="consumer-key"`)
			require.JSONEq(t, tt.body, remote.bodies[0])
		})
	}
}

func TestTimelineGivesTextsAsWritten(t *testing.T) {
	t.Parallel()
	url, _ := answering(t, 200, nil, `{"data":[
		{"id":"2","text":"a &lt;b&gt; &amp;amp; https://t.co/ab https://t.co/a","created_at":"2026-11-20T11:59:00.000Z",
		 "entities":{"urls":[{"url":"https://t.co/a","expanded_url":"http://short.example"},
			{"url":"https://t.co/ab","expanded_url":"https://example.com/?a=1&b=2"}]}},
		{"id":"1","text":"plain https://t.co/zz","created_at":"2026-11-20T11:58:00.000Z"}],
		"meta":{"result_count":2}}`)
	tweets, err := newClient(url).Timeline(t.Context(), noon)
	require.NoError(t, err)
	require.Equal(t, []post.Tweet{
		{
			ID: "2", Text: "a <b> &amp; https://example.com/?a=1&b=2 http://short.example",
			URL: "https://x.com/i/web/status/2", CreatedAt: noon.Add(-time.Minute),
		},
		{ID: "1", Text: "plain https://t.co/zz", URL: "https://x.com/i/web/status/1", CreatedAt: noon.Add(-2 * time.Minute)},
	}, tweets)
}

func TestTimelineReadsEveryPage(t *testing.T) {
	t.Parallel()
	x := &recorder{}
	url := x.serve(t, func(r *http.Request) string {
		page := map[string]string{"": "1", "p1": "2", "p2": "3"}[r.URL.Query().Get("pagination_token")]
		next := map[string]string{"1": `,"next_token":"p1"`, "2": `,"next_token":"p2"`}[page]
		return fmt.Sprintf(`{"data":[{"id":"9%s","text":"x"}],"meta":{"result_count":1%s}}`, page, next)
	})
	tweets, err := newClient(url).Timeline(t.Context(), noon.Add(-1500*time.Millisecond))
	require.NoError(t, err)
	require.Len(t, tweets, 3)
	require.Equal(t, "91", tweets[0].ID)
	require.Len(t, x.requests, 3)
	require.Equal(t, "/2/users/4242/tweets", x.requests[0].URL.Path)
	require.Equal(t, "2026-11-20T11:59:58Z", x.requests[2].URL.Query().Get("start_time"))
}

// Proves: F9
func TestTimelineIsCompleteOrNotAtAll(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"X hides the account":   `{"errors":[{"title":"Not Found Error","type":"https://api.twitter.com/2/problems/resource-not-found"}]}`,
		"X says nothing":        `{}`,
		"half an answer":        `{"data":[{"id":"1","te`,
		"the pages do not end":  `{"data":[{"id":"1","text":"x"}],"meta":{"result_count":1,"next_token":"again"}}`,
		"something else entire": `[]`,
	} {
		url, _ := answering(t, 200, nil, body)
		tweets, err := newClient(url).Timeline(t.Context(), noon)
		require.Equal(t, post.Unclear, failure(t, err).Class, name)
		require.Nil(t, tweets, name)
	}
}

func TestTimelineAsksOnceWhoseItIs(t *testing.T) {
	t.Parallel()
	remote := &recorder{}
	url := remote.serve(t, func(r *http.Request) string {
		if r.URL.Path == "/2/users/me" {
			return `{"data":{"id":"77","username":"zero","name":"Zero"}}`
		}
		return `{"meta":{"result_count":0}}`
	})
	client := newClient(url, func(c *x.Config) { c.UserID = "" })
	for range 2 {
		tweets, err := client.Timeline(t.Context(), time.Time{})
		require.NoError(t, err)
		require.Empty(t, tweets)
	}
	require.Len(t, remote.requests, 3)
	require.Equal(t, "/2/users/77/tweets", remote.requests[2].URL.Path)
	require.NotContains(t, remote.requests[2].URL.Query(), "start_time")
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"repost_count", "retweet_count"} { // X renamed it in 2026
		url, _ := answering(t, 200, nil, `{"data":[{"id":"1","text":"x",
			"public_metrics":{"like_count":4,"`+name+`":3,"reply_count":2,"quote_count":1,"bookmark_count":9,"impression_count":99}}],
			"errors":[{"value":"2","title":"Not Found Error","type":"https://api.twitter.com/2/problems/resource-not-found"}]}`)
		counts, err := newClient(url).Metrics(t.Context(), []string{"1", "2"})
		require.NoError(t, err)
		require.Equal(t, map[string]post.Metrics{"1": {Likes: 4, Reposts: 3, Replies: 2, Quotes: 1}}, counts, name)
	}
}

func TestMetricsAsksForAHundredAtOnce(t *testing.T) {
	t.Parallel()
	x := &recorder{}
	url := x.serve(t, func(*http.Request) string { return `{"errors":[{}]}` })
	ids := make([]string, 101)
	for i := range ids {
		ids[i] = fmt.Sprint(i + 1)
	}
	counts, err := newClient(url).Metrics(t.Context(), ids)
	require.NoError(t, err)
	require.Empty(t, counts)
	require.Len(t, x.requests, 2)
	require.Equal(t, "101", x.requests[1].URL.Query().Get("ids"))

	counts, err = newClient(url).Metrics(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, counts)
	require.Len(t, x.requests, 2)
}

func TestDelete(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		body   string
		class  post.Class
	}{
		"it is gone now":          {200, `{"data":{"deleted":true}}`, ""},
		"it was gone before":      {404, `{"type":"https://api.twitter.com/2/problems/resource-not-found"}`, ""},
		"X does not say":          {200, `{"data":{}}`, post.Unclear},
		"there is no X":           {404, `<html>`, post.Refused},
		"it is another account's": {403, `{"detail":"You are not authorized to delete this Tweet."}`, post.Refused},
	} {
		url, _ := answering(t, tt.status, nil, tt.body)
		err := newClient(url).Delete(t.Context(), "7")
		if tt.class == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, tt.class, failure(t, err).Class, name)
	}
}

// TestNonsense checks that invalid IDs are never sent and that empty responses are errors.
func TestNonsense(t *testing.T) {
	t.Parallel()
	url, calls := answering(t, 200, nil, `{"data":{}}`)
	client := newClient(url)
	for _, err := range []error{
		second(client.Metrics(t.Context(), []string{"1,2"})), client.Delete(t.Context(), ""), client.Delete(t.Context(), "../users/me"),
		client.Delete(t.Context(), "7?x=1"), client.Delete(t.Context(), "12345678901234567890"),
	} {
		require.Equal(t, post.Refused, failure(t, err).Class)
	}
	require.Zero(t, calls.Load())
	require.Equal(t, post.Unclear, failure(t, second(client.Me(t.Context()))).Class)
	url, _ = answering(t, 200, nil, `{}`)
	require.Equal(t, post.Unclear, failure(t, second(newClient(url).Metrics(t.Context(), []string{"1"}))).Class)

	refused := failure(t, second(newClient("http://bad host").Publish(t.Context(), post.Draft{Text: "x"})))
	require.Equal(t, post.Refused, refused.Class)
	require.NotContains(t, fmt.Sprintf("%+v", refused), "bad host")
}

// Proves: V10.2.1
func TestClientAndAppAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	url, _ := answering(t, 200, nil, `{"data":{"id":"7"},"meta":{"result_count":0}}`)
	client := newClient(url, func(c *x.Config) { c.UserID = "" })
	url, _ = answering(t, 200, nil, "oauth_token=a&oauth_token_secret=b&oauth_callback_confirmed=true&user_id=7&screen_name=ada")
	app := newApp(url)
	calls := logins(app)
	calls["publish"] = func(ctx context.Context) error { return second(client.Publish(ctx, post.Draft{Text: "x"})) }
	calls["me"] = reads(client)["me"]
	var group errgroup.Group
	for range 20 {
		for _, call := range calls {
			group.Go(func() error { return call(t.Context()) })
		}
		group.Go(func() error {
			app.ProbeSignature(backURL)
			app.ProbeRequestToken(t.Context(), backURL)
			app.ProbeAccount(t.Context(), secrets[2], secrets[3])
			return nil
		})
	}
	require.NoError(t, group.Wait())
}
