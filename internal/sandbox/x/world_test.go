package x

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dghubble/oauth1"
	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

// clock is a time that tests move. OAuth's timestamps are real, so a test that signs calls
// may move it by less than their window.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a sandbox that listens, and a client that knows nothing of it.
type world struct {
	t       *testing.T
	sandbox *Server
	clock   *clock
	url     string
	client  *http.Client // signs for the account that posts
}

func testConfig() Config {
	return Config{
		App: "Test app", ConsumerKey: "consumer-key", ConsumerSecret: "consumer-secret&%",
		AccessToken: "4242-token", AccessSecret: "token-secret", UserID: "4242", Username: "customerzero",
		Name: "Customer Zero", Accounts: []Account{{ID: "7", Username: "ada", Name: "Ada"}},
		PublicURLs: []string{"https://api.x.com"}, Log: slog.New(slog.DiscardHandler),
	}
}

func newWorld(t *testing.T, changes ...func(*Config)) *world {
	t.Helper()
	ticking := &clock{now: time.Now()}
	config := testConfig()
	config.Now = ticking.Now
	for _, change := range changes {
		change(&config)
	}
	sandbox, err := New(config)
	require.NoError(t, err)
	listener := httptest.NewServer(sandbox.Handler())
	t.Cleanup(func() {
		require.NoError(t, sandbox.Close())
		listener.Close()
	})
	w := &world{t: t, sandbox: sandbox, clock: ticking, url: listener.URL}
	w.client = w.signedBy("4242-token", "token-secret")
	return w
}

// signedBy gives a client that signs with a token.
func (w *world) signedBy(token, secret string) *http.Client {
	config := oauth1.NewConfig("consumer-key", "consumer-secret&%")
	ctx := context.WithValue(w.t.Context(), oauth1.HTTPClient, &http.Client{Timeout: testwait.Limit})
	return oauth1.NewClient(ctx, config, oauth1.NewToken(token, secret))
}

// reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
	err    error // what broke while it was read
}

func (r reply) json(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.body), &out), r.body)
	return out
}

// at finds a value by its path: "data.0.id".
func (r reply) at(t *testing.T, path string) any {
	t.Helper()
	var value any = r.json(t)
	for key := range strings.SplitSeq(path, ".") {
		switch inner := value.(type) {
		case map[string]any:
			value = inner[key]
		case []any:
			require.Len(t, key, 1)
			require.Less(t, int(key[0]-'0'), len(inner), r.body)
			value = inner[key[0]-'0']
		default:
			require.Fail(t, "no "+path, r.body)
		}
	}
	return value
}

func read(t *testing.T, response *http.Response) reply {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, response.Body.Close())
	return reply{status: response.StatusCode, header: response.Header, body: string(body), err: err}
}

func (w *world) request(method, path, body string) *http.Request {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	require.NoError(w.t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// call sends a signed call.
func (w *world) call(method, path, body string) reply {
	w.t.Helper()
	response, err := w.client.Do(w.request(method, path, body))
	require.NoError(w.t, err)
	return read(w.t, response)
}

// get fetches a page, unsigned.
func (w *world) get(path string) reply {
	w.t.Helper()
	response, err := testwait.Client.Do(w.request(http.MethodGet, path, ""))
	require.NoError(w.t, err)
	return read(w.t, response)
}

// tweet posts a text and gives its ID.
func (w *world) tweet(text string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]string{"text": text})
	require.NoError(w.t, err)
	answer := w.call(http.MethodPost, "/2/tweets", string(body))
	require.Equal(w.t, http.StatusCreated, answer.status, answer.body)
	return answer.at(w.t, "data.id").(string)
}

// texts gives what was accepted, oldest first.
func (w *world) texts() []string {
	var texts []string
	for _, t := range w.sandbox.Tweets() {
		texts = append(texts, t.Text)
	}
	return texts
}
