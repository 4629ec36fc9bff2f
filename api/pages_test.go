package api_test

import (
	"compress/gzip"
	"context"
	"customerzero/api"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/target/golden"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPagesAndFiles(t *testing.T) {
	w := newWorld(t)
	for path, tt := range map[string]struct {
		status int
		body   string
		cache  string
	}{
		"/":              {200, "<title>front door</title>", "no-cache"},
		"/?customer0=1":  {200, "<title>front door</title>", "no-cache"},
		"//":             {200, "<title>front door</title>", "no-cache"},
		"/dashboard":     {200, "<title>pages</title>", "no-cache"},
		"/assets/app.js": {200, "1", "public, max-age=31536000, immutable"},
		"/assets/old.js": {404, "", "no-store"},
		"/docs":          {503, "", "no-store"},
		"/sandbox/x":     {404, "", "no-store"},
	} {
		rec := w.do(t, call{method: http.MethodGet, path: path, key: "none"})
		require.Equal(t, tt.status, rec.Code, path)
		require.Contains(t, rec.Body.String(), tt.body)
		require.Equal(t, tt.cache, rec.Header().Get("Cache-Control"), path)
		require.Contains(t, rec.Header().Get("Content-Security-Policy"), "default-src 'none'")
		require.Equal(t, "nosniff", rec.Header().Get("X-Content-Type-Options"))
	}
}

func TestSandboxPagesAreShownButItsFaultsAreNot(t *testing.T) {
	sandbox := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("sandbox " + r.URL.Path))
	}))
	t.Cleanup(sandbox.Close)
	w := newWorld(t)
	w.server.Site.Sandbox, w.server.Site.XBaseURL = true, sandbox.URL
	front := httptest.NewServer(w.server.Handler())
	t.Cleanup(front.Close)
	for path, status := range map[string]int{
		"/sandbox/x": 200, "/sandbox/x/status/7": 200, "/sandbox/x/faults": 404, "/sandbox/x//faults": 404, "/sandbox/x/faults/": 404, "/sandbox/x/./faults": 404,
		"/sandbox/x/%66aults": 404,
	} {
		resp := must(http.Get(front.URL + path))(t)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, status, resp.StatusCode, path)
	}
}

// Proves: F3
func TestReadinessNamesWhatFails(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, 200, w.do(t, call{method: "GET", path: "/readyz"}).Code)

	w.server.Health.Database = func(context.Context) error { return errors.New("password=hunter2") }
	rec := w.do(t, call{method: "GET", path: "/readyz"})
	report := read[api.HealthReport](t, rec, 503)
	require.Equal(t, "unavailable", report.Status)
	require.False(t, report.Checks[0].OK)
	require.NotContains(t, report.Checks[0].Detail, "hunter2")
	require.Equal(t, 200, w.do(t, call{method: "GET", path: "/healthz"}).Code, "the process itself is well")
}

func TestCanaryIsTrustedForAMinuteOnly(t *testing.T) {
	clock, sings, broken := now, 0, false
	w := newWorld(t)
	w.server.Health.Now = func() time.Time { return clock }
	w.server.Health.Canary = func(context.Context) error {
		sings++
		if broken {
			return errors.New("no worker")
		}
		return nil
	}
	ready := func() int { return w.do(t, call{method: "GET", path: "/readyz"}).Code }
	require.Equal(t, 200, ready())
	require.Equal(t, 200, ready())
	require.Equal(t, 1, sings, "probes do not each start a flow")

	broken = true
	clock = clock.Add(40 * time.Second)
	require.Equal(t, 200, ready(), "one ended in the last minute")
	clock = clock.Add(30 * time.Second)
	require.Equal(t, 503, ready())
	broken = false
	require.Equal(t, 200, ready())
}

func TestBrokenPagesAreReported(t *testing.T) {
	w := newWorld(t)
	reply := read[api.ClientErrorReply](t, w.do(t, call{
		method: "POST", path: "/api/client-errors", key: "none", body: `{"message":"boom","path":"/dashboard"}`,
	}), 201)
	kept := must(w.db.ClientErrors.ClientErrors(t.Context(), reply.Reference, 1))(t)
	require.Equal(t, "boom", kept[0].Message)

	rec := w.do(t, call{method: "POST", path: "/api/client-errors", body: `{"message":"","path":""}`})
	require.Equal(t, problem.Invalid, problemOf(t, rec).Code)
}

// Scrapers ask for compressed answers; one compressed twice is what none of them reads.
func TestMetricsAreCompressedOnce(t *testing.T) {
	w := newWorld(t)
	rec := w.do(t, call{method: "GET", path: "/metrics", header: map[string]string{"Accept-Encoding": "gzip"}})
	require.Equal(t, []string{"gzip"}, rec.Header().Values("Content-Encoding"))
	plain := must(gzip.NewReader(rec.Body))(t)
	text := must(io.ReadAll(plain))(t)
	require.Contains(t, string(text), "# HELP")
}

func TestThePagesKnowTheirAbsoluteAddress(t *testing.T) {
	w := newWorld(t)
	w.server.Site.PublicURL = `https://zero.example/"><script>`
	for path, said := range map[string]string{
		"/":                `content="https://zero.example/&#34;&gt;&lt;script&gt;/og-image.png"`,
		"/dashboard":       `content="https://zero.example/&#34;&gt;&lt;script&gt;/og-image.png"`,
		"/color-scheme.js": "__PUBLIC_URL__", // no page
	} {
		body := w.do(t, call{method: http.MethodGet, path: path, key: "none"}).Body.String()
		require.Contains(t, body, said, path)
		require.NotContains(t, body, "<script>", path)
	}
}

func TestThePreviewPictureIsTheOneThatTheCellKeeps(t *testing.T) {
	kept := must(fs.ReadFile(golden.FS, target.FileOGImage))(t)
	rec := newWorld(t).do(t, call{method: http.MethodGet, path: "/og-image.png", key: "none"})
	require.Equal(t, http.StatusOK, rec.Code)
	require.Equal(t, "image/png", rec.Header().Get("Content-Type"))
	require.Equal(t, kept, rec.Body.Bytes())
}

func TestTheFrontDoorTakesNoWrites(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, http.StatusOK, w.do(t, call{method: http.MethodHead, path: "/", key: "none"}).Code)
	require.Equal(t, http.StatusNotFound, w.do(t, call{method: http.MethodPost, path: "/", key: "none"}).Code)
}

func TestAProductWithoutPagesSaysSoAtTheFrontDoor(t *testing.T) {
	w := newWorld(t)
	w.server.UI = fstest.MapFS{}
	rec := w.do(t, call{method: http.MethodGet, path: "/", key: "none"})
	require.Equal(t, http.StatusServiceUnavailable, rec.Code)
	require.Contains(t, rec.Body.String(), "make up")
}

func TestWhatThePagesAreMadeOfIsCompressed(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("a page, a script, a style, a drawing. ", 100)
	w.server.UI = fstest.MapFS{
		"landing.html": {Data: []byte(long)}, "index.html": {Data: []byte(long)}, "assets/a.js": {Data: []byte(long)},
		"assets/a.css": {Data: []byte(long)}, "favicon.svg": {Data: []byte(long)},
	}
	for _, path := range []string{"/", "/dashboard", "/assets/a.js", "/assets/a.css", "/favicon.svg"} {
		rec := w.do(t, call{method: http.MethodGet, path: path, key: "none", header: map[string]string{"Accept-Encoding": "gzip"}})
		require.Equal(t, "gzip", rec.Header().Get("Content-Encoding"), path)
		require.Less(t, rec.Body.Len(), len(long)/10, path)
		plain := must(gzip.NewReader(rec.Body))(t)
		text := must(io.ReadAll(plain))(t)
		require.Equal(t, long, string(text))
	}
}
