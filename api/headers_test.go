package api_test

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"customerzero/ui"
)

// said is what every answer says once, whatever it is.
func said(t *testing.T, header http.Header, what string) {
	t.Helper()
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

// Proves: V3.4.3, V3.4.4, V3.4.5, V3.4.6
func TestEveryAnswerIsHardened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Health.Database = func(context.Context) error { return http.ErrServerClosed }
	for what, c := range map[string]call{
		"a page":                 {method: "GET", path: "/dashboard"},
		"the front door":         {method: "GET", path: "/"},
		"a file":                 {method: "GET", path: "/assets/app.js"},
		"a picture":              {method: "GET", path: "/og-image.png"},
		"an answer":              {method: "GET", path: "/api/bot-posts"},
		"a feed":                 {method: "GET", path: "/feeds/posts.xml"},
		"a badge":                {method: "GET", path: "/api/chaos/badges/score.svg"},
		"nothing of the API":     {method: "GET", path: "/api/nothing"},
		"no such file":           {method: "GET", path: "/assets/none.js"},
		"a wrong method":         {method: "DELETE", path: "/api/bot-posts"},
		"somebody refused":       {method: "GET", path: "/api/account", key: "none"},
		"a field that is wrong":  {method: "GET", path: "/api/posts?limit=-1"},
		"a body that is wrong":   {method: "POST", path: "/api/posts", body: `{`},
		"another site's write":   {method: "POST", path: "/api/posts", body: `{}`, header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		"a redirect":             {method: "GET", path: "/auth/x/callback", key: "none"},
		"a table":                {method: "GET", path: "/api/chaos/runs.csv"},
		"a failure":              {method: "GET", path: "/readyz"},
		"what operators measure": {method: "GET", path: "/metrics"},
	} {
		said(t, w.do(t, c).Header(), what)
	}
	stream := openStream(t, w.listening(t)+"/api/chaos/runs/"+w.requested(t).ID+"/events", nil)
	said(t, stream.response.Header, "a stream")
}

// Proves: V3.4.6
func TestOthersMayShowWhatIsMeantForThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, want := range map[string]string{
		"/og-image.png": "cross-origin", "/feeds/posts.xml": "cross-origin", "/api/chaos/badges/score.svg": "cross-origin",
		"/api/verification/badges/status.svg": "cross-origin", "/api/bot-posts": "same-origin", "/": "same-origin",
	} {
		require.Equal(t, want, w.visits(t, path).Header().Get("Cross-Origin-Resource-Policy"), path)
	}
}

// Proves: V3.4.1
func TestBrowsersStayWithHTTPSWhereThereIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Empty(t, w.visits(t, "/").Header().Get("Strict-Transport-Security"))
	w.server.Site.PublicURL = "https://localhost"
	require.Empty(t, w.visits(t, "/").Header().Get("Strict-Transport-Security"), "other programs are at localhost, too")
	w.server.Site.PublicURL, w.server.Site.Local = "https://zero.example", false
	for _, path := range []string{"/", "/api/bot-posts", "/api/nothing"} {
		require.Equal(t, "max-age=63072000", w.visits(t, path).Header().Get("Strict-Transport-Security"), path)
	}
}

// Proves: V3.4.3
func TestEachPageHasANumberOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.UI = fstest.MapFS{"index.html": {Data: []byte(`<meta nonce="__STYLE_NONCE__">`)}}
	seen := map[string]bool{}
	for range 20 {
		rec := w.visits(t, "/dashboard")
		nonce := regexp.MustCompile(`nonce="([A-Z0-9]{26})"`).FindStringSubmatch(rec.Body.String())
		require.Len(t, nonce, 2, rec.Body.String())
		require.Contains(t, rec.Header().Get("Content-Security-Policy"), "style-src 'self' 'nonce-"+nonce[1]+"'")
		seen[nonce[1]] = true
	}
	require.Len(t, seen, 20)
}

// A page that holds a script or a style would be there without it.
// Proves: V3.4.3
func TestTheBuiltPagesHoldNothingThatTheirPolicyRefuses(t *testing.T) {
	t.Parallel()
	pages, err := fs.Glob(ui.Files(), "*.html")
	require.NoError(t, err)
	require.NotEmpty(t, pages, "run make build first")
	for _, name := range pages {
		text, err := fs.ReadFile(ui.Files(), name)
		require.NoError(t, err)
		page := string(text)
		require.Equal(t, 1, strings.Count(page, "__STYLE_NONCE__"), name)
		for what, forbidden := range map[string]string{
			"a script of its own":   `(?i)<script(?:\s[^>]*)?>\s*[^<\s]`,
			"a script from outside": `(?i)<script[^>]*\ssrc="[^/]`,
			"a style":               `(?i)<style`,
			"a style attribute":     `(?i)<[^>]+\sstyle=`,
			"a handler":             `(?i)<[^>]+\son[a-z]+=`,
			"a script as a link":    `(?i)href="javascript:`,
			"a frame":               `(?i)<(iframe|object|embed|base)\b`,
		} {
			require.NotRegexp(t, forbidden, page, "%s holds %s", path.Base(name), what)
		}
	}
}

// Proves: V3.4.3
func TestASandboxPageHasThePolicyThatItBringsAndEachHeaderOnce(t *testing.T) {
	t.Parallel()
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
		resp, err := http.Get(front.URL + path)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.Header
	}
	own := ask("/sandbox/x")
	require.Equal(t, []string{"form-action 'self'"}, own.Values("Content-Security-Policy"))
	require.Equal(t, []string{"same-origin"}, own.Values("Referrer-Policy"))
	require.Equal(t, []string{"no-store"}, own.Values("Cache-Control"))
	require.Equal(t, []string{"nosniff"}, own.Values("X-Content-Type-Options"))
	said(t, ask("/sandbox/x/other"), "what says nothing itself")
	sandbox.Close()
	said(t, ask("/sandbox/x"), "a sandbox that is away")
}
