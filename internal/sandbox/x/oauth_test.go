package x

import (
	"bytes"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

const callback = "http://127.0.0.1:9/back?from=app"

// submit submits a form and follows no redirect.
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

func TestTheConsentPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, _ := w.sandbox.requests.open(callback)
	for _, path := range []string{"/oauth/authorize", "/sandbox/x/oauth/authorize"} {
		page := w.get(path + "?oauth_token=" + token)
		require.Equal(t, http.StatusOK, page.status)
		require.Contains(t, page.body, "Authorize Test app to access your account?")
		require.Regexp(t, `value="4242" checked`, page.body)
		require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self' http://127.0.0.1:9")
	}
	back := location(t, w.submit("/sandbox/x/oauth/authorize", allow(token, "7")))
	require.Equal(t, "http://127.0.0.1:9/back", back.Scheme+"://"+back.Host+back.Path)
	require.Equal(t, "app", back.Query().Get("from"))
}

func TestAConsentIsGivenOnceAndInTime(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]func(w *world, token string) url.Values{
		"an approved one": func(w *world, token string) url.Values {
			w.submit("/oauth/authorize", allow(token, "7"))
			return allow(token, "7")
		},
		"a canceled one": func(w *world, token string) url.Values {
			back := location(w.t, w.submit("/oauth/authorize", url.Values{"oauth_token": {token}, "decision": {"cancel"}}))
			require.Equal(w.t, token, back.Query().Get("denied"))
			require.Empty(w.t, back.Query().Get("oauth_verifier"))
			return allow(token, "7")
		},
		"one of 10 minutes ago": func(w *world, token string) url.Values {
			w.clock.Advance(requestLife)
			return allow(token, "7")
		},
		"an unknown one":     func(*world, string) url.Values { return allow("unknown", "7") },
		"an unknown account": func(_ *world, token string) url.Values { return allow(token, "8") },
	} {
		w := newWorld(t)
		token, _ := w.sandbox.requests.open(callback)
		answer := w.submit("/oauth/authorize", form(w, token))
		require.Equal(t, http.StatusForbidden, answer.status, name)
		require.Contains(t, answer.body, "This sign-in is over", name)
	}
}

// TestOtherSites: pages of other sites cannot approve a sign-in, change keys, or set faults.
// Proves: V3.4.2, V3.5.1
func TestOtherSites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.press("make", "7")
	token, _ := w.sandbox.requests.open(callback)
	foreign := []string{"Origin", "http://evil.example"}
	answers := []reply{
		w.submit("/oauth/authorize", allow(token, "7"), foreign...), w.submit("/sandbox/x/oauth/authorize", allow(token, "7"), foreign...),
		w.press("make", "4242", foreign...), w.press("revoke", "7", foreign...),
	}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		answers = append(answers, w.send(method, faultsPath, `{"rules":[]}`, foreign...))
	}
	for _, answer := range answers {
		require.Equal(t, http.StatusForbidden, answer.status)
		require.Empty(t, answer.header.Get("Access-Control-Allow-Origin"))
	}
	require.Len(t, w.shownKeys(), 2)
	require.Equal(t, http.StatusNotFound, w.send(http.MethodOptions, faultsPath, "", foreign...).status)
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
		"loopback by name":                        {nil, "http://localhost:8080/cb", true},
		"loopback by IPv4 address":                {nil, "http://127.9.9.9:1/cb?a=b", true},
		"loopback by IPv6 address":                {nil, "http://[::1]:1/cb", true},
		"a PIN":                                   {registered, "oob", false},
		"another host":                            {nil, "https://app.example/auth/callback", false},
		"a host that only looks like loopback":    {nil, "http://127.0.0.1.evil.example/", false},
		"a script":                                {nil, "javascript:alert(1)", false},
		"no callback":                             {nil, "", false},
		"the registered one":                      {registered, "https://app.example/auth/callback", true},
		"the registered one with another query":   {registered, "https://app.example/auth/callback?x=2", true},
		"the registered one over plain HTTP":      {registered, "http://app.example/auth/callback", false},
		"a path below the registered one":         {registered, "https://app.example/auth/callback/evil", false},
		"loopback is not where one is registered": {registered, "http://localhost/cb", false},
	} {
		s := &Server{config: Config{Callbacks: tt.registered}}
		require.Equal(t, tt.ok, s.approved(tt.callback), name)
	}
}

// press presses a button of the keys page.
func (w *world) press(action, account string, headers ...string) reply {
	w.t.Helper()
	return w.submit(keysPath, url.Values{"action": {action}, "account": {account}}, headers...)
}

var code = regexp.MustCompile(`<code>([^<]+)</code>`)

// shownKeys lists the tokens and secrets on the keys page.
func (w *world) shownKeys() []string {
	w.t.Helper()
	var found []string
	for _, match := range code.FindAllStringSubmatch(w.get(keysPath).body, -1) {
		found = append(found, html.UnescapeString(match[1]))
	}
	return found
}

func TestTokensThatPeopleMakeAndRevoke(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.jsonl")
	w := newWorld(t, onFile(file))
	require.NotContains(t, w.get(keysPath).body, "token-secret", "the configured one is not shown")
	for id, username := range map[string]string{"4242": "customerzero", "7": "ada"} {
		made := w.press("make", id)
		require.Equal(t, http.StatusSeeOther, made.status, made.body)
		require.Equal(t, "/sandbox/x/keys#account-"+id, made.header.Get("Location"))
		pair := w.shownKeys()
		require.Len(t, pair, 2)
		w.client = w.signedBy(pair[0], pair[1])
		require.Equal(t, username, w.me().at(t, "data.username"))

		w.press("make", id)
		require.Equal(t, pair, w.shownKeys(), "an account has one token, as at X")
		require.Equal(t, pair, newWorld(t, onFile(file)).shownKeys(), "it survives a restart")

		require.Equal(t, http.StatusSeeOther, w.press("revoke", id).status)
		require.Empty(t, w.shownKeys())
		require.Empty(t, newWorld(t, onFile(file)).shownKeys())
		require.Equal(t, http.StatusUnauthorized, w.me().status)
		w.press("revoke", id) // allowed again

		w.press("make", id)
		require.NotEqual(t, pair, w.shownKeys())
		require.Equal(t, http.StatusUnauthorized, w.me().status, "it stays revoked")
		w.press("revoke", id)
	}
	w.client = w.signedBy("4242-token", "token-secret")
	require.Equal(t, http.StatusOK, w.me().status, "the configured token still works")
	require.Equal(t, http.StatusNotFound, w.press("make", "8").status)
	require.Equal(t, http.StatusBadRequest, w.press("rotate", "7").status)
}

// TestAFileThatCannotBeWritten: a call that cannot be stored has no effect, and no secret is logged.
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
	require.Contains(t, log.String(), "could not be written")
	for _, secret := range append(pair, "consumer-secret", "token-secret") {
		require.NotContains(t, log.String(), secret)
	}
}
