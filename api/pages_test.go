package api_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/admin"
	"customerzero/internal/domain/target"
	"customerzero/internal/target/golden"
)

func TestPagesAndFiles(t *testing.T) {
	w := newWorld(t)
	for path, tt := range map[string]struct {
		status      int
		body, cache string
	}{
		"/":              {200, "<title>front door</title>", "no-cache"},
		"/dashboard":     {200, "<title>pages</title>", "no-cache"},
		"/assets/app.js": {200, "1", "public, max-age=31536000, immutable"},
		"/docs":          {200, "<title>pages</title>", "no-cache"},
		"/sandbox/x":     {404, "", "no-store"},
	} {
		rec := w.visits(t, path)
		require.Equal(t, []any{tt.status, tt.cache}, []any{rec.Code, rec.Header().Get("Cache-Control")}, path)
		require.Contains(t, rec.Body.String(), tt.body)
	}
	require.Equal(t, ok, w.do(t, call{method: http.MethodHead, path: "/", key: "none"}).Code)
	require.Equal(t, nothing, w.do(t, call{method: http.MethodPost, path: "/", key: "none"}).Code, "pages accept no writes")

	picture := w.visits(t, "/og-image.png")
	require.Equal(t, []any{ok, "image/png"}, []any{picture.Code, picture.Header().Get("Content-Type")})
	require.Equal(t, must(fs.ReadFile(golden.FS, target.FileOGImage))(t), picture.Body.Bytes(), "the chaos target's image")

	w.server.UI = fstest.MapFS{}
	missing := w.visits(t, "/")
	require.Equal(t, http.StatusServiceUnavailable, missing.Code)
	require.Contains(t, missing.Body.String(), "make up")
}

// Proves: F3
func TestReadinessNamesWhatFails(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, 200, w.send(t, "GET", "/readyz", "").Code)

	w.server.Health.Database = func(context.Context) error { return errors.New("password=hunter2") }
	rec := w.send(t, "GET", "/readyz", "")
	report := read[api.HealthReport](t, rec, 503)
	require.Equal(t, []any{"unavailable", false}, []any{report.Status, report.Checks[0].OK})
	require.NotContains(t, report.Checks[0].Detail, "hunter2")
	require.Equal(t, 200, w.send(t, "GET", "/healthz", "").Code, "the process itself is healthy")
}

func TestCanaryIsTrustedForOneMinute(t *testing.T) {
	clock, runs, broken := now, 0, false
	w := newWorld(t)
	w.server.Health.Now = func() time.Time { return clock }
	w.server.Health.Canary = func(context.Context) error {
		runs++
		if broken {
			return errors.New("no worker")
		}
		return nil
	}
	ready := func() int { return w.send(t, "GET", "/readyz", "").Code }
	require.Equal(t, 200, ready())
	require.Equal(t, 200, ready())
	require.Equal(t, 1, runs, "not every probe starts a workflow")

	broken = true
	clock = clock.Add(40 * time.Second)
	require.Equal(t, 200, ready(), "a canary passed in the last minute")
	clock = clock.Add(30 * time.Second)
	require.Equal(t, 503, ready())
	broken = false
	require.Equal(t, 200, ready())
}

func TestPagesAndAssetsAreCompressed(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("a page, a script, a style, a drawing. ", 100)
	w.server.UI = fstest.MapFS{
		"landing.html": {Data: []byte(long)}, "index.html": {Data: []byte(long)}, "assets/a.js": {Data: []byte(long)},
		"assets/a.css": {Data: []byte(long)}, "favicon.svg": {Data: []byte(long)},
	}
	for _, path := range []string{"/", "/dashboard", "/assets/a.js", "/assets/a.css", "/favicon.svg", "/metrics"} {
		rec := w.visits(t, path, "Accept-Encoding", "gzip")
		require.Equal(t, []string{"gzip"}, rec.Header().Values("Content-Encoding"), "%s: compressed once", path)
		sent := rec.Body.Len()
		text := string(must(io.ReadAll(must(gzip.NewReader(rec.Body))(t)))(t))
		if path == "/metrics" {
			require.Contains(t, text, "# HELP")
			continue
		}
		require.Less(t, sent, len(long)/10, path)
		require.Equal(t, long, text)
	}
}

func TestClientErrorsAreReported(t *testing.T) {
	w := newWorld(t)
	rec := w.browser().post(t, "/api/client-errors", `{"message":"boom","path":"/dashboard","stack":"at x"}`)
	reference := read[admin.ClientErrorReply](t, rec, http.StatusCreated).Reference
	kept := read[admin.ClientErrorReports](t, w.founder(t).get(t, "/api/admin/client-errors?reference="+reference), ok)
	require.Equal(t, []admin.ClientErrorReport{{Reference: reference, At: now, Path: "/dashboard", Message: "boom", Stack: "at x"}}, kept.Reports)
}
