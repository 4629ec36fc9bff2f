package x

import (
	"net/http"
	"net/http/httptest"
	"net/url"
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
		Endpoint: oauth1.Endpoint{
			RequestTokenURL: w.url + "/oauth/request_token", AuthorizeURL: w.url + "/oauth/authorize",
			AccessTokenURL: w.url + "/oauth/access_token",
		},
	}
}

// decide sends the consent form.
func (w *world) decide(path string, form url.Values, headers ...string) reply {
	w.t.Helper()
	r := w.request(http.MethodPost, path, form.Encode())
	r.Header.Set("Content-Type", formType)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	require.NoError(w.t, err)
	return read(w.t, response)
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
	for _, path := range []string{"/oauth/authorize", "/oauth/authenticate", "/sandbox/x/oauth/authorize"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			app := w.signIn(callback)
			token, secret, err := app.RequestToken()
			require.NoError(t, err)

			page := w.get(path + "?oauth_token=" + token + "&screen_name=ada")
			require.Equal(t, http.StatusOK, page.status)
			require.Contains(t, page.body, "Authorize Test app to access your account?")
			require.Regexp(t, `value="7" checked`, page.body)
			require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self' http://127.0.0.1:9")

			back := location(t, w.decide(path, allow(token, "7")))
			require.Equal(t, "http://127.0.0.1:9/back", back.Scheme+"://"+back.Host+back.Path)
			require.Equal(t, "app", back.Query().Get("from"))
			require.Equal(t, token, back.Query().Get("oauth_token"))

			access, accessSecret, err := app.AccessToken(token, secret, back.Query().Get("oauth_verifier"))
			require.NoError(t, err)
			w.client = w.signedBy(access, accessSecret)
			require.Equal(t, "ada", w.call(http.MethodGet, "/2/users/me", "").at(t, "data.username"))

			_, _, err = app.AccessToken(token, secret, back.Query().Get("oauth_verifier"))
			require.Error(t, err, "a request token is for one use")
		})
	}
}

func TestTheTokenAnswerNamesTheAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, secret := w.sandbox.requests.open(callback)
	req, ok := w.sandbox.requests.agree(token, Account{ID: "7", Username: "ada"})
	require.True(t, ok)
	h := newHandSigned(w)
	h.method, h.path, h.tokenSecret = http.MethodPost, "/oauth/access_token", secret
	h.oauth["oauth_token"] = token
	h.form = url.Values{"oauth_verifier": {req.verifier}, "oauth_token": {token}}.Encode() // as some clients repeat it
	response, err := testwait.Client.Do(h.request(t, w))
	require.NoError(t, err)
	answer, err := url.ParseQuery(read(t, response).body)
	require.NoError(t, err)
	require.Equal(t, []string{"7", "ada"}, []string{answer.Get("user_id"), answer.Get("screen_name")})
	require.True(t, strings.HasPrefix(answer.Get("oauth_token"), "7-"))
}

func TestSigningInAgainGivesTheSameToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, err := w.sandbox.state.grantFor("7")
	require.NoError(t, err)
	second, err := w.sandbox.state.grantFor("7")
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.NoError(t, w.sandbox.state.revoke(first.token))
	third, err := w.sandbox.state.grantFor("7")
	require.NoError(t, err)
	require.NotEqual(t, first.token, third.token)
}

func TestCancellingASignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, _, err := w.signIn(callback).RequestToken()
	require.NoError(t, err)
	back := location(t, w.decide("/oauth/authorize", url.Values{"oauth_token": {token}, "decision": {"cancel"}}))
	require.Equal(t, token, back.Query().Get("denied"))
	require.Empty(t, back.Query().Get("oauth_verifier"))
	require.Equal(t, http.StatusForbidden, w.decide("/oauth/authorize", allow(token, "7")).status)
}

func TestAConsentIsGivenOnceAndInTime(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before func(*world, string)
		form   func(token string) url.Values
	}{
		"an answered one is over": {
			before: func(w *world, token string) { w.decide("/oauth/authorize", allow(token, "7")) },
		},
		"one of ten minutes ago is over": {
			before: func(w *world, _ string) { w.clock.advance(requestLife) },
		},
		"an unknown one never was": {
			form: func(string) url.Values { return allow("unknown", "7") },
		},
		"an unknown account cannot agree": {
			form: func(token string) url.Values { return allow(token, "8") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			token, _, err := w.signIn(callback).RequestToken()
			require.NoError(t, err)
			form := allow(token, "7")
			if tt.before != nil {
				tt.before(w, token)
			}
			if tt.form != nil {
				form = tt.form(token)
			}
			answer := w.decide("/oauth/authorize", form)
			require.Equal(t, http.StatusForbidden, answer.status)
			require.Contains(t, answer.body, "This sign-in is over")
		})
	}
}

// Proves: V3.5.1
func TestAnotherSiteCannotConsent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		headers []string
		status  int
	}{
		"its origin gives it away":        {[]string{"Origin", "http://evil.example"}, 403},
		"an opaque origin is refused":     {[]string{"Origin", "null"}, 403},
		"the browser says cross-site":     {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"our own page may":                {[]string{"Sec-Fetch-Site", "same-origin"}, 302},
		"our own page may behind a proxy": {[]string{"Origin", "https://app.example", "X-Forwarded-Host", "app.example"}, 302},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			token, _, err := w.signIn(callback).RequestToken()
			require.NoError(t, err)
			require.Equal(t, tt.status, w.decide("/oauth/authorize", allow(token, "7"), tt.headers...).status)
		})
	}
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
		"a PIN needs no callback":                 {registered, "oob", true},
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
			w := newWorld(t, func(c *Config) { c.Callbacks = tt.registered })
			h := newHandSigned(w)
			h.method, h.path, h.tokenSecret = http.MethodPost, "/oauth/request_token", ""
			delete(h.oauth, "oauth_token")
			h.oauth["oauth_callback"] = tt.callback
			response, err := testwait.Client.Do(h.request(t, w))
			require.NoError(t, err)
			answer := read(t, response)
			if tt.ok {
				require.Contains(t, answer.body, "oauth_callback_confirmed=true")
				return
			}
			require.Equal(t, http.StatusForbidden, answer.status)
			require.InDelta(t, 415, answer.at(t, "errors.0.code"), 0)
		})
	}
}

func TestSigningInWithAPIN(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.signIn(outOfBand)
	token, secret, err := app.RequestToken()
	require.NoError(t, err)
	page := w.decide("/oauth/authorize", allow(token, ""))
	pin := regexp.MustCompile(`class="pin">(\d{7})<`).FindStringSubmatch(page.body)
	require.NotNil(t, pin, page.body)
	_, _, err = app.AccessToken(token, secret, "1")
	require.Error(t, err, "another PIN")
	_, _, err = app.AccessToken(token, secret, pin[1])
	require.NoError(t, err)
}

func TestRequestTokensAreBounded(t *testing.T) {
	t.Parallel()
	q := newRequests((&clock{now: time.Now()}).Now)
	first, _ := q.open(callback)
	for range maxRequests {
		q.open(callback)
	}
	require.Len(t, q.byTok, maxRequests)
	_, known := q.secret(first)
	require.False(t, known)
}

func TestARequestTokenIsNoAccessToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, secret := w.sandbox.requests.open(callback)
	w.client = w.signedBy(token, secret)
	require.Equal(t, http.StatusUnauthorized, w.call(http.MethodGet, "/2/users/me", "").status)
}

func TestInvalidatingATokenLastsAcrossARestart(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/x.jsonl"
	w := newWorld(t, func(c *Config) { c.File = file })
	answer := w.call(http.MethodPost, "/1.1/oauth/invalidate_token.json", "")
	require.JSONEq(t, `{"access_token":"4242-token"}`, answer.body)
	require.Equal(t, http.StatusUnauthorized, w.call(http.MethodGet, "/2/users/me", "").status)

	again := newWorld(t, func(c *Config) { c.File = file })
	require.Equal(t, http.StatusUnauthorized, again.call(http.MethodGet, "/2/users/me", "").status)
}

func TestTheSandboxLeavesOtherPathsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := w.get("/1.1/statuses/update.json")
	require.Equal(t, http.StatusNotFound, answer.status)
	require.JSONEq(t, `{"title":"Not Found","type":"about:blank","status":404,"detail":"Not Found"}`, answer.body)
	recorder := httptest.NewRecorder()
	w.sandbox.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/2/tweets", nil))
	require.Equal(t, http.StatusNotFound, recorder.Code)
}
