package api_test

import (
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/ui"
)

// everyKind are answers of every kind, and whether they are pages.
var everyKind = map[string]struct {
	call call
	page bool
}{
	"a page":                 {call{method: "GET", path: "/dashboard"}, true},
	"the front door":         {call{method: "GET", path: "/"}, true},
	"a file":                 {call{method: "GET", path: "/assets/app.js"}, false},
	"an answer":              {call{method: "GET", path: "/api/bot-posts"}, false},
	"an answer to a founder": {call{method: "GET", path: "/api/posts"}, false},
	"a feed":                 {call{method: "GET", path: "/feeds/posts.xml"}, false},
	"a badge":                {call{method: "GET", path: "/api/chaos/badges/score.svg"}, false},
	"a redirect":             {call{method: "GET", path: "/auth/x/callback", key: "none"}, false},
	"nothing of the API":     {call{method: "GET", path: "/api/nothing"}, false},
	"somebody refused":       {call{method: "GET", path: "/api/account", key: "none"}, false},
	"a field that is wrong":  {call{method: "GET", path: "/api/posts?limit=-1"}, false},
	"a body that is wrong":   {call{method: "POST", path: "/api/posts", body: `{`}, false},
	"a body that is too big": {call{method: "POST", path: "/api/posts", body: strings.Repeat("x", 1<<20)}, false},
	"another site's write":   {call{method: "POST", path: "/api/posts", body: `{}`, header: map[string]string{"Sec-Fetch-Site": "cross-site"}}, false},
	"what a browser asks":    {call{method: "OPTIONS", path: "/api/posts", header: map[string]string{"Access-Control-Request-Method": "POST"}}, false},
}

// Proves: V3.4.1
func TestV3_4_1_EveryAnswerKeepsBrowsersWithHTTPSForTwoYears(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.overHTTPS()
	for what, kind := range everyKind {
		header := w.do(t, kind.call).Header()
		require.Equal(t, []string{"max-age=63072000"}, header.Values("Strict-Transport-Security"), what)
	}
}

// Neither anybody nor a list of friends: no page of another site reads what we answer.
// Proves: V3.4.2
func TestV3_4_2_NoOtherSiteMayReadAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for what, kind := range everyKind {
		for _, origin := range []string{"https://evil.example", "null", "http://localhost", "http://example.com"} {
			c := kind.call
			c.header = map[string]string{"Origin": origin}
			for name, value := range kind.call.header {
				c.header[name] = value
			}
			for name := range w.do(t, c).Header() {
				require.False(t, strings.HasPrefix(name, "Access-Control-"), "%s tells %s %s", what, origin, name)
			}
		}
	}
}

// Proves: V3.4.3
func TestV3_4_3_NoAnswerMovesItsBaseSendsFormsOrHoldsObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for what, kind := range everyKind {
		policy := w.do(t, kind.call).Header().Get("Content-Security-Policy")
		for _, directive := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
			require.Contains(t, policy, directive, what)
		}
		require.NotContains(t, policy, "object-src", "%s: what default-src says is enough", what)
		require.Equal(t, kind.page, strings.Contains(policy, "script-src 'self';"), what)
		require.NotRegexp(t, `unsafe|\*|https?:`, policy, what)
	}
}

// Proves: V3.3.1, V3.3.2
func TestV3_3_1_TheCookieThatCountsVisitsIsAsWellGuarded(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]bool{"visitor": false, "__Host-visitor": true} {
		w := newWorld(t)
		b := w.browser()
		if secure {
			w.overHTTPS()
			b.host = "zero.example"
		}
		requireFlags(t, cookieOf(t, b.post(t, "/api/visits", `{"page":"pricing"}`), name), secure)
		require.Contains(t, b.cookies, name)
		req := b.request(t, http.MethodPost, "/api/visits", `{"page":"pricing"}`)
		req.Header.Set("Sec-GPC", "1")
		gone := cookieOf(t, w.answer(t, req), name)
		requireFlags(t, gone, secure)
		require.Negative(t, gone.MaxAge)
	}
}

// Whoever opens a page has all that it is made of.
// Proves: S-admin-key
func TestTheBuiltPagesKnowNoKey(t *testing.T) {
	t.Parallel()
	read := 0
	require.NoError(t, fs.WalkDir(ui.Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		read++
		text, err := fs.ReadFile(ui.Files(), name)
		for _, ours := range []string{"x-admin-key", "admin-key", "admin_key", "adminkey"} {
			require.NotContains(t, strings.ToLower(string(text)), ours, name)
		}
		return err
	}))
	require.Greater(t, read, 10, "run make build first")
}
