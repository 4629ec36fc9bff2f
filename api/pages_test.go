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
	"customerzero/api/experiments"
	"customerzero/internal/domain/problem"
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

// TestUnknownPages checks that the app is sent with status 404 for a page that does not exist, so that it can still show
// so itself.
func TestUnknownPages(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	idea := read[experiments.SubmittedExperiment](t, ada.post(t, "/api/experiments/submit", anIdea), 201).Experiment
	for path, status := range map[string]int{
		"/nothing": 404, "/dashboard/more": 404, "/experiments/nothing": 404, "/chaos-monkey/runs/nothing": 404, "/receipts/": 404, "/receipts/nothing": 404,
		"/ai-verification/runs/nothing": 404, "/runs/%E2%80%AE": 404, "/auth": 404, "/members/nothing": 404,
		"/dashboard": 200, "/Dashboard/": 200, "/runs/post:p1": 200, "/members": 200, "/pricing/success": 200,
		"/experiments/" + idea.ID: 404, // it waits for approval
	} {
		rec := w.visits(t, path)
		require.Equal(t, status, rec.Code, path)
		require.Contains(t, rec.Body.String(), "<title>pages</title>", path)
		require.Equal(t, status == 404, rec.Header().Get("Cache-Control") == "no-store", path)
	}
	require.Equal(t, ok, ada.get(t, "/experiments/"+idea.ID).Code, "its submitter sees it")
	require.Equal(t, 404, w.do(t, call{method: http.MethodHead, path: "/nothing", key: "none"}).Code)
	w.runs.err = problem.New(problem.NotFound, "There is no such run.")
	require.Equal(t, 404, w.visits(t, "/runs/post:p1").Code)
	w.runs.err = errors.New("no Temporal")
	require.Equal(t, ok, w.visits(t, "/runs/post:p1").Code, "the page shows what failed")
}

// TestEveryPageNamesItself checks og:url, which link previews use.
func TestEveryPageNamesItself(t *testing.T) {
	w := newWorld(t)
	for path, own := range map[string]string{
		"/dashboard": "/dashboard", "/runs/post:p1?run=r1": "/runs/post:p1", `/x"><script>`: "/x%22%3E%3Cscript%3E", "/nothing/": "/nothing",
	} {
		require.Contains(t, w.visits(t, path).Body.String(), `<meta property="og:url" content="http://example.com`+own+`">`, path)
	}
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
