package api_test

import (
	"context"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/ui"
)

// requireHardened requires each security header exactly once.
func requireHardened(t *testing.T, header http.Header, what string) {
	for name, want := range map[string]string{
		"Content-Security-Policy":      "default-src 'none'; .*frame-ancestors 'none'",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin|cross-origin",
		"Permissions-Policy":           `.*camera=\(\).*usb=\(\)`,
		"Referrer-Policy":              "strict-origin-when-cross-origin",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
	} {
		require.Len(t, header.Values(name), 1, "%s: %s", what, name)
		require.Regexp(t, "^("+want+")$", header.Get(name), "%s: %s", what, name)
	}
	require.NotContains(t, header.Get("Content-Security-Policy"), "unsafe", what)
}

// No reply allows cross-origin reads (CORS); other sites may only embed badges, feeds and the preview image.
// Proves: V3.4.1, V3.4.2, V3.4.3, V3.4.4, V3.4.5, V3.4.6
func TestEveryAnswerIsHardened(t *testing.T) {
	w := newWorld(t)
	w.server.Health.Database = func(context.Context) error { return http.ErrServerClosed }
	stream := openStream(t, w.listening(t)+"/api/chaos/runs/"+w.requested(t).ID+"/events", nil)
	requireHardened(t, stream.response.Header, "a stream")
	for _, site := range []struct{ address, strict string }{
		{"http://example.com", ""}, {"https://localhost", ""}, // HSTS would affect other programs on localhost
		{"https://zero.example", "max-age=63072000"},
	} {
		w.server.Site.PublicURL, w.server.Site.Local = site.address, site.strict == ""
		w.handler = handlerOf(w.server)
		for what, c := range everyKind {
			for _, origin := range []string{"https://evil.example", "null", "http://localhost", "http://example.com"} {
				c.header = maps.Clone(c.header)
				if c.header == nil {
					c.header = map[string]string{}
				}
				c.header["Origin"] = origin
				for name := range w.do(t, c).Header() {
					require.False(t, strings.HasPrefix(name, "Access-Control-"), "%s for %s has %s", what, origin, name)
				}
			}
			delete(c.header, "Origin")
			header := w.do(t, c).Header()
			requireHardened(t, header, what)
			require.Equal(t, site.strict, strings.Join(header.Values("Strict-Transport-Security"), ", "), what)
			policy := header.Get("Content-Security-Policy")
			for _, directive := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
				require.Contains(t, policy, directive, what)
			}
			require.NotContains(t, policy, "object-src", "%s: default-src covers it", what)
			require.NotRegexp(t, `unsafe|\*|https?:`, policy, what)
			require.Equal(t, strings.HasPrefix(what, "a page"), strings.Contains(policy, "script-src 'self';"), what)
			embeddable := strings.Contains(what, "badge") || what == "a feed" || what == "a picture"
			require.Equal(t, map[bool]string{true: "cross-origin", false: "same-origin"}[embeddable], header.Get("Cross-Origin-Resource-Policy"), what)
		}
	}
}

// The page policy blocks inline scripts and styles, so the built pages must not contain any.
// Proves: V3.4.3
func TestTheBuiltPagesHoldNothingThatTheirPolicyRefuses(t *testing.T) {
	t.Parallel()
	pages := must(fs.Glob(ui.Files(), "*.html"))(t)
	require.NotEmpty(t, pages, "run make build first")
	for _, name := range pages {
		text := must(fs.ReadFile(ui.Files(), name))(t)
		page := string(text)
		require.Equal(t, 1, strings.Count(page, "__STYLE_NONCE__"), name)
		for what, forbidden := range map[string]string{
			"an inline script":   `(?i)<script(?:\s[^>]*)?>\s*[^<\s]`,
			"an external script": `(?i)<script[^>]*\ssrc="[^/]`,
			"a style":            `(?i)<style`,
			"a style attribute":  `(?i)<[^>]+\sstyle=`,
			"a handler":          `(?i)<[^>]+\son[a-z]+=`,
			"a script as a link": `(?i)href="javascript:`,
			"a frame":            `(?i)<(iframe|object|embed|base)\b`,
		} {
			require.NotRegexp(t, forbidden, page, "%s holds %s", path.Base(name), what)
		}
	}
}

// Proves: V3.4.3
func TestASandboxPageHasThePolicyThatItBringsAndEachHeaderOnce(t *testing.T) {
	sandbox := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("X-Content-Type-Options", "nosniff")
		rw.Header().Set("Cache-Control", "no-cache")
		if r.URL.Path == "/sandbox/x" {
			rw.Header().Set("Content-Security-Policy", "form-action 'self'")
			rw.Header().Set("Referrer-Policy", "same-origin")
		}
	}))
	w := newWorld(t)
	w.server.Site.Sandbox, w.server.Site.XBaseURL = true, sandbox.URL
	front := httptest.NewServer(w.server.Handler())
	t.Cleanup(front.Close)
	ask := func(path string) http.Header {
		resp := must(http.Get(front.URL + path))(t)
		require.NoError(t, resp.Body.Close())
		return resp.Header
	}
	own := ask("/sandbox/x")
	require.Equal(t, []string{"form-action 'self'"}, own.Values("Content-Security-Policy"))
	require.Equal(t, []string{"same-origin"}, own.Values("Referrer-Policy"))
	require.Equal(t, []string{"no-store"}, own.Values("Cache-Control"))
	require.Equal(t, []string{"nosniff"}, own.Values("X-Content-Type-Options"))
	requireHardened(t, ask("/sandbox/x/other"), "a page without headers")
	sandbox.Close()
	requireHardened(t, ask("/sandbox/x"), "an unavailable sandbox")
}

// The files of the pages are public, so they must not use the admin key.
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
		for _, word := range []string{"x-admin-key", "admin-key", "admin_key", "adminkey"} {
			require.NotContains(t, strings.ToLower(string(text)), word, name)
		}
		return err
	}))
	require.Greater(t, read, 10, "run make build first")
}

// Cross-site writes are refused even if the browser sends the session cookie.
// Proves: F32, V3.5.1
func TestPagesOfOtherSitesChangeNothing(t *testing.T) {
	w := newWorld(t)
	w.withSandboxStub(t)
	var reached atomic.Int32
	sandbox := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(sandbox.Close)
	w.server.Site.XBaseURL, w.server.Site.MailURL = sandbox.URL, sandbox.URL
	w.handler = w.server.Handler()
	p, ids := w.loginAll(t)
	before, commands := w.rows(t), w.runs.sent()

	walked := 0
	for _, route := range w.server.Routes() {
		if strings.HasPrefix(route, http.MethodGet+" ") {
			continue
		}
		walked++
		for name, header := range map[string]map[string]string{
			"a form of another site":                   {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
			"a neighbour under the same domain":        {"Sec-Fetch-Site": "same-site", "Origin": "http://evil.localhost"},
			"an old browser":                           {"Origin": "https://evil.example"},
			"an opaque origin":                         {"Origin": "null"},
			"a host name that begins with ours":        {"Origin": "http://localhost.evil.example"},
			"the right origin that the browser denies": {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
		} {
			for who, token := range map[string]string{"a founder": p.founder, "a member": p.member, "nobody": ""} {
				c := w.callTo(route, answers[route].body, ids, token, "", "none")
				maps.Copy(c.header, header)
				rec := w.do(t, c)
				refused(t, rec, problem.Forbidden, "%s, %s, to %s: %s", name, who, route, rec.Body)
				require.Empty(t, rec.Header()["Set-Cookie"])
			}
		}
	}
	require.Greater(t, walked, 15)
	require.Equal(t, before, w.rows(t))
	require.Equal(t, commands, w.runs.sent())
	require.Zero(t, reached.Load())
}

// Proves: F32, V3.5.1
func TestOurOwnPagesMayWrite(t *testing.T) {
	w := newWorld(t)
	for name, header := range map[string]map[string]string{
		"a modern browser": {"Sec-Fetch-Site": "same-origin", "Origin": "http://example.com"}, "an old browser": {"Origin": "http://example.com"},
		"the user, directly": {"Sec-Fetch-Site": "none"}, "a program": {},
	} {
		rec := w.do(t, call{method: http.MethodPost, path: "/api/posts", body: `{"content":"by ` + name + `"}`, header: header})
		require.Equal(t, http.StatusCreated, rec.Code, "%s: %s", name, rec.Body)
	}
}

// writingReads are the GET routes that write, and the tables: rate limits, the audit of reading secrets, logins with X,
// and the diagnostic.
var writingReads = map[string]string{
	"GET /api/admin/secrets":   "audit_entries",
	"GET /api/account/export":  "rate_windows",
	"GET /api/runs":            "rate_windows",
	"GET /api/runs/{id}":       "rate_windows",
	"GET /auth/x/login":        "rate_windows x_logins secrets",
	"GET /auth/x/callback":     "",
	"GET /api/auth/test-oauth": "rate_windows diagnoses diagnosis_findings",
}

// Proves: V3.5.3
func TestV3_5_3_ReadingChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.withSandboxStub(t)
	p, ids := w.loginAll(t)
	walked, before := 0, w.rows(t)
	for _, route := range w.server.Routes() {
		if !strings.HasPrefix(route, http.MethodGet+" ") || strings.HasSuffix(route, "/events") {
			continue
		}
		walked++
		commands := w.runs.sent()
		for _, token := range []string{p.founder, p.member, ""} {
			rec := w.do(t, w.callTo(route, "", ids, token, "", "none"))
			require.NotEqual(t, http.StatusInternalServerError, rec.Code, "%s: %s", route, rec.Body)
		}
		after := w.rows(t)
		for _, line := range changed(before, after) {
			table, _, _ := strings.Cut(line, " ")
			require.Contains(t, strings.Fields(writingReads[route]), table, "%s has written %s", route, line)
		}
		if writingReads[route] == "" {
			require.Equal(t, commands, w.runs.sent(), route)
		}
		before = after
	}
	require.Greater(t, walked, 60)
}

// changed returns the lines that only one of two dumps contains.
func changed(before, after string) (lines []string) {
	known := map[string]int{}
	for _, line := range strings.Split(before, "\n") {
		known[line]++
	}
	for _, line := range strings.Split(after, "\n") {
		if known[line]--; known[line] < 0 {
			lines = append(lines, line)
		}
	}
	for line, n := range known {
		if n > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// GET routes with side effects refuse cross-site requests, which an image on another site could send.
// Proves: V3.5.3
func TestV3_5_3_OtherSitesBeginNothingByReading(t *testing.T) {
	w := newWorld(t)
	session := w.newMember(t, "ada").cookies["session"]
	for path, good := range map[string]int{"/api/auth/test-oauth?step=env": ok, "/api/account/export": ok, "/auth/x/login": http.StatusSeeOther} {
		linked := never // the status of a followed link
		if path == "/auth/x/login" {
			linked = good // other host names redirect there
		}
		for name, tt := range map[string]struct {
			site, dest string
			status     int
		}{
			"a picture of another site":    {"cross-site", "image", never},
			"a frame of another site":      {"cross-site", "iframe", never},
			"a neighbour under the domain": {"same-site", "image", never},
			"our own page":                 {"same-origin", "empty", good},
			"a typed address":              {"none", "document", good},
			"a program, or an old browser": {"", "", good},
			"a followed link":              {"cross-site", "document", linked},
		} {
			before, commands := w.rows(t), w.runs.sent()
			rec := w.visits(t, path, "Cookie", "session="+session, "Sec-Fetch-Site", tt.site, "Sec-Fetch-Dest", tt.dest)
			require.Equal(t, tt.status, rec.Code, "%s requests %s: %s", name, path, rec.Body)
			if tt.status == never {
				refused(t, rec, problem.Forbidden)
				require.Empty(t, rec.Header()["Set-Cookie"])
				require.Equal(t, before, w.rows(t), "%s requests %s", name, path)
				require.Equal(t, commands, w.runs.sent())
			}
		}
	}
}

// everyKind holds a request for every kind of reply.
var everyKind = map[string]call{
	"a page":                 {method: "GET", path: "/dashboard"},
	"a page at the front":    {method: "GET", path: "/"},
	"a file":                 {method: "GET", path: "/assets/app.js"},
	"a picture":              {method: "GET", path: "/og-image.png"},
	"an answer":              {method: "GET", path: "/api/bot-posts", key: "none"},
	"an answer to a founder": {method: "GET", path: "/api/posts"},
	"a feed":                 {method: "GET", path: "/feeds/posts.xml"},
	"a badge":                {method: "GET", path: "/api/chaos/badges/score.svg"},
	"another badge":          {method: "GET", path: "/api/verification/badges/status.svg"},
	"an unknown API path":    {method: "GET", path: "/api/nothing"},
	"an unknown file":        {method: "GET", path: "/assets/none.js"},
	"a wrong method":         {method: "DELETE", path: "/api/bot-posts"},
	"a refused caller":       {method: "GET", path: "/api/account", key: "none"},
	"a field that is wrong":  {method: "GET", path: "/api/posts?limit=-1"},
	"a body that is wrong":   {method: "POST", path: "/api/posts", body: `{`},
	"a body that is too big": {method: "POST", path: "/api/posts", body: strings.Repeat("x", 1<<20)},
	"another site's write":   {method: "POST", path: "/api/posts", body: `{}`, header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
	"a preflight request":    {method: "OPTIONS", path: "/api/posts", header: map[string]string{"Access-Control-Request-Method": "POST"}},
	"a redirect":             {method: "GET", path: "/auth/x/callback", key: "none"},
	"a CSV file":             {method: "GET", path: "/api/chaos/runs.csv"},
	"a failure":              {method: "GET", path: "/readyz"},
	"the metrics":            {method: "GET", path: "/metrics"},
}
