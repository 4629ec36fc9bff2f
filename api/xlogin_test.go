package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
)

func TestEveryLoginOutcomeIsReported(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runs    func(r *runs)
		outcome account.Outcome
		detail  string
	}{
		"X logs a founder in":        {func(*runs) {}, "", ""},
		"X refuses the user":         {func(r *runs) { r.finished = account.Unauthorized }, account.Unauthorized, "http_401"},
		"the workflow fails":         {func(r *runs) { r.finished = account.ServerError }, account.ServerError, "http_401"},
		"X is down at the beginning": {func(r *runs) { r.asked = account.XDown }, account.XDown, "http_503"},
		"Temporal is down":           {func(r *runs) { r.down = true }, account.ServerError, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tt.runs(w.runs)
			b := w.browser()
			rec := b.get(t, "/auth/x/login?next=/dashboard%3Fview%3Dweek")
			if to, err := url.Parse(rec.Header().Get("Location")); err == nil && to.Host == "x.example" {
				rec = b.get(t, callback+"?"+consent(to.Query().Get("oauth_token")))
			}
			page, says := landed(t, rec)
			require.Equal(t, "/dashboard", page)
			require.Equal(t, "week", says.Get("view"))
			require.Equal(t, "x", says.Get("auth"))
			require.Equal(t, string(tt.outcome), says.Get("error"))
			require.Equal(t, tt.detail, says.Get("details"))
			require.Equal(t, tt.outcome == "", b.who(t).IsAuthenticated)
		})
	}
}

// Values in the query of X's redirect or of next never reach the page.
// Proves: S-link-text
func TestTheLandingRepeatsNobodysWords(t *testing.T) {
	const words = "call+this+number"
	for name, link := range map[string]string{
		"in the page to return to":             "?next=" + url.QueryEscape("/experiments?auth=x&error="+words+"&details="+words),
		"in the page to return to, repeatedly": "?next=" + url.QueryEscape("/experiments?details=a&details="+words+"&error=b&error="+words),
		"beside it":                            "?error=" + words + "&details=" + words,
	} {
		w := newWorld(t)
		for _, query := range []string{"", "&error=" + words + "&details=" + words} {
			b := w.browser()
			rec := b.get(t, callback+"?"+consent(b.leaveForX(t, link))+query)
			_, says := landed(t, rec)
			require.NotContains(t, rec.Header().Get("Location"), words, name)
			require.Equal(t, url.Values{"auth": {"x"}}, says, name)
		}
	}
	w := newWorld(t)
	b := w.browser()
	for _, query := range []string{"denied=" + words, "oauth_verifier=v&oauth_token=" + words, "oauth_problem=" + words, "details=" + words + "&error=" + words} {
		require.NotContains(t, b.get(t, callback+"?"+query).Header().Get("Location"), words)
	}
}

// Proves: V3.7.2
func TestALoginReturnsToAPageOfOurs(t *testing.T) {
	w := newWorld(t)
	pages := map[string]string{
		"/bot-posts?page=2": "/bot-posts", "/über": "/über", "/dashboard#queue": "/dashboard", "/@evil.example": "/@evil.example", "/.//evil.example": "/evil.example",
	}
	for _, elsewhere := range []string{"", "https://evil.example", "//evil.example", `/\evil.example`, "/a\r\nSet-Cookie: session=x", "/%5cevil.example", "/\xff"} {
		pages[elsewhere] = "/experiments"
	}
	for next, want := range pages {
		b := w.browser()
		w.now = w.now.Add(account.XLogins.PerNetwork.Per) // resets the limit
		page, _ := landed(t, b.get(t, callback+"?"+consent(b.leaveForX(t, "?next="+url.QueryEscape(next)))))
		require.Equal(t, want, page, "%q", next)
	}
	// X redirects to the configured host, so the cookie must be set there.
	b, before := w.browser(), w.rows(t)
	b.host = "evil.example"
	rec := b.get(t, "/auth/x/login?next=//evil.example")
	require.Equal(t, []any{303, "http://example.com/auth/x/login?moved=1&next=%2Fexperiments"}, []any{rec.Code, rec.Header().Get("Location")})
	require.Empty(t, b.cookies)
	require.Equal(t, before, w.rows(t))
}

// Proves: S-sandboxes
func TestTheSandboxLetsNoStrangersIn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		host    string
		sandbox bool
		local   bool
		open    bool
	}{
		"a laptop on localhost":         {"localhost:8080", true, true, true},
		"a laptop under another host":   {"evil.example:8080", true, true, false},
		"a public site":                 {"localhost:8080", true, false, false},
		"a public site with the real X": {"localhost:8080", false, false, true},
		"any host with the real X":      {"evil.example", false, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.server.Site.Sandbox, w.server.Site.Local = tt.sandbox, tt.local
			before := w.rows(t)
			b := w.browser()
			b.host = tt.host
			if tt.open {
				b.leaveForX(t, "?moved=1")
				return
			}
			page, says := landed(t, b.get(t, "/auth/x/login?moved=1&next=/dashboard"))
			require.Equal(t, "/dashboard", page)
			require.Equal(t, "sandbox_on", says.Get("error"))
			require.Empty(t, b.cookies)
			require.Equal(t, before, w.rows(t))
		})
	}
}

const callback = "/auth/x/callback"

// landed returns the page and the query that a login redirects to.
func landed(t *testing.T, rec *httptest.ResponseRecorder) (page string, says url.Values) {
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body.String())
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	location := rec.Header().Get("Location")
	require.Regexp(t, `^/([^/\\]|$)`, location, "a path of this site")
	to := must(url.Parse(location))(t)
	require.Empty(t, to.Host)
	return to.Path, to.Query()
}

// Every invalid return from X redirects to a page with a known outcome.
// Proves: F32, V10.1.2
func TestReturnsFromXThatLeadNowhere(t *testing.T) {
	t.Parallel()
	const nonsense, over = account.InvalidResponse, account.ExpiredToken
	const yes, denied = "oauth_verifier=" + verifier + "&oauth_token={token}", "denied={token}"
	for name, tt := range map[string]struct {
		query   string // {token} is this login's, {other} another browser's
		prepare func(t *testing.T, w *world, b *browser, token string)
		outcome account.Outcome
	}{
		"an empty query":              {"", nil, nonsense},
		"a token alone":               {"oauth_token={token}", nil, nonsense},
		"a token that is too long":    {"oauth_verifier=v&oauth_token={long}", nil, nonsense},
		"a verifier that is too long": {"oauth_token={token}&oauth_verifier={long}", nil, nonsense},
		"the token twice":             {"oauth_verifier=v&oauth_token={token}&oauth_token=x", nil, nonsense},
		"a broken query":              {"oauth_verifier=v;oauth_token={token}%zz", nil, nonsense},
		"a forged token":              {"oauth_verifier=v&oauth_token=forged", nil, over},
		"another login's token":       {"oauth_verifier=v&oauth_token={other}", nil, over},
		"a denial with a verifier":    {"oauth_verifier=v&oauth_token={token}&denied={token}", nil, account.Denied},
		"a denial":                    {denied, nil, account.Denied},
		"ten minutes later":           {yes, func(_ *testing.T, w *world, _ *browser, _ string) { w.now = now.Add(account.XLoginLife) }, over},
		"another browser":             {yes, func(_ *testing.T, _ *world, b *browser, _ string) { b.cookies = map[string]string{} }, over},
		"a second time": {yes, func(t *testing.T, w *world, b *browser, token string) {
			cookie := b.cookies["login"]
			w.runs.finished = account.Unauthorized
			b.get(t, callback+"?"+consent(token))
			w.runs.finished, b.cookies["login"] = "", cookie
		}, over},
		"a consent after a denial": {yes, func(t *testing.T, _ *world, b *browser, token string) {
			cookie := b.cookies["login"]
			b.get(t, callback+"?denied="+token)
			b.cookies["login"] = cookie
		}, over},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b, another := w.browser(), w.browser()
			token, other := b.leaveForX(t, ""), another.leaveForX(t, "")
			if tt.prepare != nil {
				tt.prepare(t, w, b, token)
			}
			query := strings.NewReplacer("{token}", token, "{other}", other, "{long}", strings.Repeat("a", 201)).Replace(tt.query)
			page, says := landed(t, b.get(t, callback+"?"+query))
			detail := map[bool]string{true: "no_token"}[tt.outcome == nonsense]
			require.Equal(t, []string{"/experiments", "x", string(tt.outcome), detail}, []string{page, says.Get("auth"), says.Get("error"), says.Get("details")})
			require.Zero(t, w.count(t, "SELECT count(*) FROM sessions"))
			require.NotContains(t, b.cookies, "session")
			require.NotContains(t, b.cookies, "login", "the login has ended")

			w.now = now
			page, says = landed(t, another.get(t, callback+"?"+consent(other)))
			require.Equal(t, []string{"/experiments", ""}, []string{page, says.Get("error")}, "the other browser's login still works")
		})
	}
}

func consent(token string) string { return "oauth_verifier=" + verifier + "&oauth_token=" + token }

// TestALoginThatBeganOnLocalhost moves to the host of PUBLIC_URL, to which X returns.
func TestALoginThatBeganOnLocalhost(t *testing.T) {
	w := newWorld(t)
	w.server.Site.PublicURL = "http://127.0.0.1:8080"
	b := w.browser()
	b.host = "localhost:8080"
	require.Equal(t, "http://127.0.0.1:8080/auth/x/login?moved=1&next=%2Fexperiments", b.get(t, "/auth/x/login").Header().Get("Location"))
	b.host = "127.0.0.1:8080"
	b.get(t, callback+"?"+consent(b.leaveForX(t, "?moved=1")))
	require.True(t, b.who(t).IsAuthenticated)
}
