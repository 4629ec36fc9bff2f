package x

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dghubble/oauth1"
	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

// world is a sandbox with an independent client.
type world struct {
	t       *testing.T
	sandbox *Server
	clock   *testwait.Clock // OAuth timestamps are real: a test that signs calls advances it by less than their window
	url     string
	client  *http.Client // signs as the posting account
}

func testConfig() Config {
	return Config{
		App: "Test app", ConsumerKey: "consumer-key", ConsumerSecret: "consumer-secret&%",
		AccessToken: "4242-token", AccessSecret: "token-secret", UserID: "4242", Username: "customerzero",
		Name: "Customer Zero", Accounts: []Account{{ID: "7", Username: "ada", Name: "Ada"}},
		PublicURLs: []string{"https://api.x.com"}, Log: slog.New(slog.DiscardHandler),
	}
}

func onFile(file string) func(*Config) { return func(c *Config) { c.File = file } }

func newWorld(t *testing.T, changes ...func(*Config)) *world {
	t.Helper()
	w := &world{t: t, clock: testwait.NewClock(time.Now())}
	config := testConfig()
	config.Now = w.clock.Now
	for _, change := range changes {
		change(&config)
	}
	var err error
	w.sandbox, err = New(config)
	require.NoError(t, err)
	listener := httptest.NewServer(w.sandbox.Handler())
	t.Cleanup(func() {
		require.NoError(t, w.sandbox.Close())
		listener.Close()
	})
	w.url = listener.URL
	w.client = w.signedBy("4242-token", "token-secret")
	return w
}

// newTestState returns a state without a server.
func newTestState(t *testing.T, file string, now func() time.Time) *state {
	t.Helper()
	st, err := newState(file, grant{}, now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return st
}

// breakFile makes every further write fail.
func (w *world) breakFile() {
	w.t.Helper()
	require.NoError(w.t, w.sandbox.state.journal.Close())
	w.t.Cleanup(func() { _ = w.sandbox.Close() }) // its file is already closed
}

func (w *world) signedBy(token, secret string) *http.Client {
	ctx := context.WithValue(w.t.Context(), oauth1.HTTPClient, &http.Client{Timeout: testwait.Limit})
	return oauth1.NewClient(ctx, oauth1.NewConfig("consumer-key", "consumer-secret&%"), oauth1.NewToken(token, secret))
}

// reply is a response, read completely.
type reply struct {
	status int
	header http.Header
	body   string
}

// at returns the JSON value at a path such as data.0.id.
func (r reply) at(t *testing.T, path string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(r.body), &value), r.body)
	for key := range strings.SplitSeq(path, ".") {
		switch inner := value.(type) {
		case map[string]any:
			value = inner[key]
		case []any:
			i, err := strconv.Atoi(key)
			require.NoError(t, err)
			require.Less(t, i, len(inner), r.body)
			value = inner[i]
		default:
			require.Fail(t, "no "+path, r.body)
		}
	}
	return value
}

// request builds a request with pairs of headers.
func (w *world) request(method, path, body string, headers ...string) *http.Request {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	require.NoError(w.t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	return request
}

func (w *world) do(client *http.Client, r *http.Request) reply {
	w.t.Helper()
	response, err := client.Do(r)
	require.NoError(w.t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	require.NoError(w.t, response.Body.Close())
	return reply{response.StatusCode, response.Header, string(body)}
}

// call sends a signed request, and send an unsigned one.
func (w *world) call(method, path, body string) reply {
	w.t.Helper()
	return w.do(w.client, w.request(method, path, body))
}

func (w *world) send(method, path, body string, headers ...string) reply {
	w.t.Helper()
	return w.do(testwait.Client, w.request(method, path, body, headers...))
}

func (w *world) get(path string) reply {
	w.t.Helper()
	return w.send(http.MethodGet, path, "")
}

func (w *world) me() reply {
	w.t.Helper()
	return w.call(http.MethodGet, "/2/users/me", "")
}

// tweet posts a text and returns its ID.
func (w *world) tweet(text string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]string{"text": text})
	require.NoError(w.t, err)
	answer := w.call(http.MethodPost, "/2/tweets", string(body))
	require.Equal(w.t, http.StatusCreated, answer.status, answer.body)
	return answer.at(w.t, "data.id").(string)
}

// texts lists the accepted texts, oldest first.
func (w *world) texts() []string {
	var texts []string
	for _, t := range w.sandbox.Tweets() {
		texts = append(texts, t.Text)
	}
	return texts
}

// handSigned is a call that is signed step by step, so that tests can change each step.
type handSigned struct {
	w                           *world
	base, path                  string
	oauth                       map[string]string
	consumerSecret, tokenSecret string
}

func (w *world) handSigned() handSigned {
	return handSigned{
		w: w, base: w.url, path: "/2/users/me",
		consumerSecret: "consumer-secret&%", tokenSecret: "token-secret",
		oauth: map[string]string{
			"oauth_consumer_key": "consumer-key", "oauth_token": "4242-token", "oauth_signature_method": "HMAC-SHA1",
			"oauth_version": "1.0", "oauth_nonce": strconv.FormatInt(time.Now().UnixNano(), 36),
			"oauth_timestamp": strconv.FormatInt(w.clock.Now().Unix(), 10),
		},
	}
}

func (h handSigned) request() *http.Request {
	h.w.t.Helper()
	path, query, _ := strings.Cut(h.path, "?")
	inQuery, err := url.ParseQuery(query)
	require.NoError(h.w.t, err)
	oauth := maps.Clone(h.oauth)
	oauth["oauth_signature"] = sign(http.MethodGet, h.base+path, signedParams(h.oauth, inQuery), h.consumerSecret, h.tokenSecret)
	return h.w.request(http.MethodGet, h.path, "", "Authorization", authorization(oauth))
}

func (h handSigned) send() reply {
	h.w.t.Helper()
	return h.w.do(testwait.Client, h.request())
}

// authorization formats an OAuth Authorization header.
func authorization(params map[string]string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		pairs = append(pairs, oauth1.PercentEncode(name)+`="`+oauth1.PercentEncode(params[name])+`"`)
	}
	return "OAuth " + strings.Join(pairs, ", ")
}
