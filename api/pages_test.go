package api_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/problem"
)

func TestPagesAndFiles(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
		resp, err := http.Get(front.URL + path)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, status, resp.StatusCode, path)
	}
}

// Proves: F3
func TestReadinessNamesWhatFails(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
	w := newWorld(t)
	reply := read[api.ClientErrorReply](t, w.do(t, call{
		method: "POST", path: "/api/client-errors", key: "none", body: `{"message":"boom","path":"/dashboard"}`,
	}), 201)
	kept, err := w.db.ClientErrors.ClientErrors(t.Context(), reply.Reference, 1)
	require.NoError(t, err)
	require.Equal(t, "boom", kept[0].Message)

	rec := w.do(t, call{method: "POST", path: "/api/client-errors", body: `{"message":"","path":""}`})
	require.Equal(t, problem.Invalid, problemOf(t, rec).Code)
}

// Scrapers ask for compressed answers; one compressed twice is what none of them reads.
func TestMetricsAreCompressedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.do(t, call{method: "GET", path: "/metrics", header: map[string]string{"Accept-Encoding": "gzip"}})
	require.Equal(t, []string{"gzip"}, rec.Header().Values("Content-Encoding"))
	plain, err := gzip.NewReader(rec.Body)
	require.NoError(t, err)
	text, err := io.ReadAll(plain)
	require.NoError(t, err)
	require.Contains(t, string(text), "# HELP")
}
