package x

import (
	"bytes"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dghubble/oauth1"
	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

const callback = "http://127.0.0.1:9/back?from=app"

// signIn is the app's side of a sign-in.
func (w *world) signIn(callback string) *oauth1.Config {
	return &oauth1.Config{
		ConsumerKey: "consumer-key", ConsumerSecret: "consumer-secret&%", CallbackURL: callback,
		HTTPClient: &http.Client{Timeout: testwait.Limit},
		Endpoint:   oauth1.Endpoint{RequestTokenURL: w.url + "/oauth/request_token", AccessTokenURL: w.url + "/oauth/access_token"},
	}
}

// requestToken begins a sign-in.
func (w *world) requestToken() (token, secret string) {
	w.t.Helper()
	token, secret, err := w.signIn(callback).RequestToken()
	require.NoError(w.t, err)
	return token, secret
}

// submit sends a form as a browser that follows no redirect.
func (w *world) submit(path string, form url.Values, headers ...string) reply {
	w.t.Helper()
	r := w.request(http.MethodPost, path, form.Encode(), append([]string{"Content-Type", formType}, headers...)...)
	return w.do(&http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, r)
}

func allow(token, account string) url.Values {
	return url.Values{"oauth_token": {token}, "account": {account}, "decision": {"allow"}}
}

func location(t *testing.T, r reply) *url.URL {
	t.Helper()
	require.Equal(t, http.StatusFound, r.status, r.body)
	u, err := url.Parse(r.header.Get("Location"))
	require.NoError(t, err)
	return u
}

func TestSigningIn(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/oauth/authorize", "/sandbox/x/oauth/authorize"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			token, secret := w.requestToken()
			page := w.get(path + "?oauth_token=" + token)
			require.Equal(t, http.StatusOK, page.status)
			require.Contains(t, page.body, "Authorize Test app to access your account?")
			require.Regexp(t, `value="4242" checked`, page.body)
			require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self' http://127.0.0.1:9")

			back := location(t, w.submit(path, allow(token, "7")))
			require.Equal(t, "http://127.0.0.1:9/back", back.Scheme+"://"+back.Host+back.Path)
			require.Equal(t, "app", back.Query().Get("from"))
			require.Equal(t, token, back.Query().Get("oauth_token"))

			app := w.signIn(callback)
			access, accessSecret, err := app.AccessToken(token, secret, back.Query().Get("oauth_verifier"))
			require.NoError(t, err)
			w.client = w.signedBy(access, accessSecret)
			require.JSONEq(t, `{"data":{"id":"7","name":"Ada","username":"ada"}}`, w.me().body)
			require.Equal(t, []string{access, accessSecret}, w.shownKeys())

			_, _, err = app.AccessToken(token, secret, back.Query().Get("oauth_verifier"))
			require.Error(t, err, "a request token is for one use")
		})
	}
}

func TestTheTokenAnswerNamesTheAccount(t *testing.T) {
	t.Parallel()
	h := newWorld(t).handSigned()
	token, secret := h.w.sandbox.requests.open(callback)
	req, ok := h.w.sandbox.requests.approve(token, Account{ID: "7", Username: "ada"})
	require.True(t, ok)
	h.method, h.path, h.tokenSecret = http.MethodPost, "/oauth/access_token", secret
	h.oauth["oauth_token"] = token
	h.form = url.Values{"oauth_verifier": {req.verifier}, "oauth_token": {token}}.Encode() // as some clients repeat it
	answer, err := url.ParseQuery(h.send().body)
	require.NoError(t, err)
	require.Equal(t, []string{"7", "ada"}, []string{answer.Get("user_id"), answer.Get("screen_name")})
	require.True(t, strings.HasPrefix(answer.Get("oauth_token"), "7-"))
}

func TestAConsentIsGivenOnceAndInTime(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]func(w *world, token string) url.Values{
		"an answered one is over": func(w *world, token string) url.Values {
			w.submit("/oauth/authorize", allow(token, "7"))
			return allow(token, "7")
		},
		"a cancelled one is over": func(w *world, token string) url.Values {
			back := location(w.t, w.submit("/oauth/authorize", url.Values{"oauth_token": {token}, "decision": {"cancel"}}))
			require.Equal(w.t, token, back.Query().Get("denied"))
			require.Empty(w.t, back.Query().Get("oauth_verifier"))
			return allow(token, "7")
		},
		"one of ten minutes ago is over": func(w *world, token string) url.Values {
			w.clock.advance(requestLife)
			return allow(token, "7")
		},
		"an unknown one never was":        func(*world, string) url.Values { return allow("unknown", "7") },
		"an unknown account cannot agree": func(_ *world, token string) url.Values { return allow(token, "8") },
	} {
		w := newWorld(t)
		token, _ := w.requestToken()
		answer := w.submit("/oauth/authorize", form(w, token))
		require.Equal(t, http.StatusForbidden, answer.status, name)
		require.Contains(t, answer.body, "This sign-in is over", name)
	}
}

// TestOtherSites: another site's page cannot answer the consent page, change keys, or set faults.
// Proves: V3.4.2, V3.5.1
func TestOtherSites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		headers []string
		foreign bool
	}{
		{[]string{"Origin", "http://evil.example"}, true},
		{[]string{"Origin", "null"}, true},
		{[]string{"Origin", "http://127.0.0.1:1"}, true},
		{[]string{"Sec-Fetch-Site", "cross-site"}, true},
		{[]string{"Sec-Fetch-Site", "same-site"}, true},
		{[]string{"Sec-Fetch-Site", "same-origin"}, false},
		{[]string{"Origin", w.url}, false},
		{[]string{"Origin", "https://app.example", "X-Forwarded-Host", "app.example"}, false}, // behind a proxy
	} {
		token, _ := w.requestToken()
		answers := []reply{w.submit("/oauth/authorize", allow(token, "7"), tt.headers...), w.press("make", "4242", tt.headers...)}
		w.press("make", "4242")
		answers = append(answers, w.press("revoke", "4242", tt.headers...))
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
			answers = append(answers, w.send(method, faultsPath, `{"rules":[]}`, tt.headers...))
		}
		for _, answer := range answers {
			require.Equal(t, tt.foreign, answer.status == http.StatusForbidden, "%v: %s", tt.headers, answer.body)
			require.Empty(t, answer.header.Get("Access-Control-Allow-Origin"))
		}
		require.Equal(t, tt.foreign, len(w.shownKeys()) == 2)
	}
	require.Equal(t, http.StatusNotFound, w.send(http.MethodOptions, faultsPath, "", "Origin", "http://evil.example").status)
}

// Proves: V10.2.1
func TestCallbacks(t *testing.T) {
	t.Parallel()
	registered := []string{"https://app.example/auth/callback?x=1"}
	for name, tt := range map[string]struct {
		registered []string
		callback   string
		ok         bool
	}{
		"loopback by name is fine":                {nil, "http://localhost:8080/cb", true},
		"loopback by number is fine":              {nil, "http://127.9.9.9:1/cb?a=b", true},
		"loopback in version six is fine":         {nil, "http://[::1]:1/cb", true},
		"a PIN is not":                            {registered, "oob", false},
		"another host is not":                     {nil, "https://app.example/auth/callback", false},
		"a host that only looks like loopback":    {nil, "http://127.0.0.1.evil.example/", false},
		"a script is not":                         {nil, "javascript:alert(1)", false},
		"nothing is not":                          {nil, "", false},
		"the registered one is fine":              {registered, "https://app.example/auth/callback", true},
		"the registered one with another query":   {registered, "https://app.example/auth/callback?x=2", true},
		"the registered one over plain HTTP":      {registered, "http://app.example/auth/callback", false},
		"a path below the registered one":         {registered, "https://app.example/auth/callback/evil", false},
		"loopback is not where one is registered": {registered, "http://localhost/cb", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newWorld(t, func(c *Config) { c.Callbacks = tt.registered }).handSignedLogin()
			h.oauth["oauth_callback"] = tt.callback
			answer := h.send()
			if tt.ok {
				require.Contains(t, answer.body, "oauth_callback_confirmed=true")
				return
			}
			require.Equal(t, http.StatusForbidden, answer.status)
			require.InDelta(t, 415, answer.at(t, "errors.0.code"), 0)
		})
	}
}

func TestRequestTokensAreBounded(t *testing.T) {
	t.Parallel()
	q := newRequests((&clock{now: time.Now()}).Now)
	first, _ := q.open(callback)
	for range maxRequests {
		q.open(callback)
	}
	require.Len(t, q.byToken, maxRequests)
	_, known := q.secret(first)
	require.False(t, known)
}

func TestARequestTokenIsNoAccessToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client = w.signedBy(w.sandbox.requests.open(callback))
	require.Equal(t, http.StatusUnauthorized, w.me().status)
}

func TestTheSandboxLeavesOtherPathsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := w.get("/1.1/statuses/update.json")
	require.Equal(t, http.StatusNotFound, answer.status)
	require.JSONEq(t, `{"title":"Not Found","type":"about:blank","status":404,"detail":"Not Found"}`, answer.body)
	require.Equal(t, http.StatusNotFound, w.send(http.MethodPut, "/2/tweets", "").status)
}

// press presses a button of the page of keys.
func (w *world) press(action, account string, headers ...string) reply {
	w.t.Helper()
	return w.submit(keysPath, url.Values{"action": {action}, "account": {account}}, headers...)
}

var code = regexp.MustCompile(`<code>([^<]+)</code>`)

// shownKeys lists the tokens and secrets that the page shows.
func (w *world) shownKeys() []string {
	w.t.Helper()
	var found []string
	for _, match := range code.FindAllStringSubmatch(w.get(keysPath).body, -1) {
		found = append(found, html.UnescapeString(match[1]))
	}
	return found
}

func TestThePageOfKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.get(keysPath)
	require.Equal(t, http.StatusOK, page.status)
	for _, part := range []string{
		`<html lang="en">`, "Keys and tokens</h1>", "<strong>Test app</strong>", "@customerzero", "@ada", "worth nothing outside",
		"Test app was started with a token of its own", `action="/sandbox/x/keys"`, "Make an access token",
	} {
		require.Contains(t, page.body, part)
	}
	require.Empty(t, w.shownKeys())
	for _, secret := range []string{"consumer-secret", "4242-token", "token-secret"} {
		require.NotContains(t, page.body, secret, "the app's own are not shown")
	}
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self'")
	require.Contains(t, w.get("/sandbox/x").body, `href="/sandbox/x/keys"`)

	bare := newWorld(t, func(c *Config) { c.AccessToken, c.AccessSecret = "", "" })
	require.NotContains(t, bare.get(keysPath).body, "a token of its own")
}

func TestTokensThatPeopleMakeAndRevoke(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.jsonl")
	w := newWorld(t, onFile(file))
	for id, username := range map[string]string{"4242": "customerzero", "7": "ada"} {
		made := w.press("make", id)
		require.Equal(t, http.StatusSeeOther, made.status, made.body)
		require.Equal(t, "/sandbox/x/keys#account-"+id, made.header.Get("Location"))
		pair := w.shownKeys()
		require.Len(t, pair, 2)
		w.client = w.signedBy(pair[0], pair[1])
		require.Equal(t, username, w.me().at(t, "data.username"))

		w.press("make", id)
		require.Equal(t, pair, w.shownKeys(), "an account has one at a time, as on X")
		require.Equal(t, pair, newWorld(t, onFile(file)).shownKeys(), "it survives a restart")

		require.Equal(t, http.StatusSeeOther, w.press("revoke", id).status)
		require.Empty(t, w.shownKeys())
		require.Empty(t, newWorld(t, onFile(file)).shownKeys())
		require.Equal(t, http.StatusUnauthorized, w.me().status)
		w.press("revoke", id) // once more is harmless

		w.press("make", id)
		require.NotEqual(t, pair, w.shownKeys())
		require.Equal(t, http.StatusUnauthorized, w.me().status, "it stays revoked")
		w.press("revoke", id)
	}
	w.client = w.signedBy("4242-token", "token-secret")
	require.Equal(t, http.StatusOK, w.me().status, "the app's own token is left alone")
}

func TestChangesOfKeysThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		action, account string
		status          int
	}{{"make", "8", 404}, {"revoke", "", 404}, {"rotate", "7", 400}, {"", "7", 400}} {
		require.Equal(t, tt.status, w.press(tt.action, tt.account).status, tt)
		require.Empty(t, w.shownKeys(), tt)
	}
	for range keysLimit {
		require.Equal(t, http.StatusSeeOther, w.press("make", "7").status)
	}
	require.Equal(t, http.StatusTooManyRequests, w.press("revoke", "7").status, "that was often")
	require.Len(t, w.shownKeys(), 2)
	w.clock.advance(shortWindow)
	require.Equal(t, http.StatusSeeOther, w.press("revoke", "7").status)
}

// TestAFileThatCannotBeWritten: nothing happens that is not in it, and no secret is logged.
// Proves: F37, V16.2.5
func TestAFileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWorld(t, onFile(filepath.Join(t.TempDir(), "x.jsonl")), func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	w.tweet("kept")
	w.press("make", "7")
	pair := w.shownKeys()
	require.Len(t, pair, 2)

	w.breakFile()
	for _, failed := range []reply{
		w.press("revoke", "7"), w.press("make", "4242"), w.call(http.MethodPost, "/2/tweets", `{"text":"lost"}`),
	} {
		require.Equal(t, http.StatusServiceUnavailable, failed.status)
		require.NotContains(t, failed.body, pair[1])
	}
	require.Equal(t, pair, w.shownKeys())
	require.Equal(t, []string{"kept"}, w.texts())
	require.Contains(t, log.String(), "cannot be written")
	for _, secret := range append(pair, "consumer-secret", "token-secret") {
		require.NotContains(t, log.String(), secret)
	}
}
