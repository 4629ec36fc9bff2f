package api_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	asked  = "public, max-age=0, must-revalidate, s-maxage=2"
	minute = "public, max-age=60"
	hour   = "public, max-age=3600"
	little = "public, max-age=300"
	noKeep = "no-store"
)

// keptFor holds the Cache-Control of every GET route for anonymous visitors.
var keptFor = map[string][]string{
	asked: {
		"/api/bot-posts", "/api/bot-status", "/api/stats", "/api/members", "/api/posts", "/api/posts/{id}",
		"/api/verification/status", "/api/verification/runs", "/api/verification/runs/{id}", "/api/verification/baselines", "/api/verification/agreement",
		"/api/experiments", "/api/experiments/similar", "/api/experiments/{slug}",
		"/api/schedule", "/api/schedule/budget", "/api/posting-controls", "/api/recurring-posts", "/api/recurring-posts/{id}", "/api/ai/models", "/api/ai/leaderboard",
		"/api/chaos/recent", "/api/chaos/runs", "/api/chaos/runs/{id}", "/api/chaos/score", "/api/chaos/incidents", "/api/chaos/target", "/api/treasury",
	},
	minute: {"/feeds/{name}", "/api/chaos/badges/{name}", "/api/verification/badges/{name}"},
	hour:   {"/sitemap.xml", "/robots.txt"},
	little: {"/openapi.json", "/openapi.yaml", "/openapi-3.0.json", "/openapi-3.0.yaml"},
	noKeep: {
		"/api/experiments/mine", "/api/posting-times", "/api/posting-times/next", "/api/ai/generations/{id}",
		"/api/pricing", "/api/receipts/{id}", "/api/checkouts", "/api/auth/status", "/api/auth/test-oauth", "/auth/x/login", "/auth/x/callback",
		"/api/account", "/api/account/export", "/api/account/credits", "/api/account/onboarding", "/api/auth/credentials/status",
		"/api/admin/secrets", "/api/admin/audit", "/api/admin/failed-emails", "/api/admin/client-errors", "/healthz", "/readyz", "/metrics",
		"/sandbox/x", "/sandbox/x/{path}", "/sandbox/stripe", "/sandbox/stripe/{path}", "/sandbox/mail", "/sandbox/mail.json", "/sandbox/mail/{id}",
		"/api/runs", "/api/runs/{id}", // one that has ended is kept for a minute; see its own test
		"/api/chaos/runs/{id}/events",
	},
	"":                                    {"/api/chaos/runs.csv"},
	"public, max-age=31536000, immutable": {"/api/verification/pictures/{name}"},
}

func TestEveryReadHasACachePolicy(t *testing.T) {
	t.Parallel()
	c := &cast{}
	w := c.on(t)
	decided := map[string]string{}
	for want, paths := range keptFor {
		for _, path := range paths {
			decided["GET "+path] = want
		}
	}
	for _, route := range w.server.Routes() {
		if want, listed := decided[route]; strings.HasPrefix(route, "GET ") {
			require.True(t, listed, "%s: add its cache policy", route)
			w.isKept(t, w.callTo(route, "", c.ids, "", "", "none"), want)
			delete(decided, route)
		}
	}
	require.Empty(t, slices.Collect(maps.Keys(decided)), "there are no such routes")
}

// isKept requests a path as a visitor, and again with the returned ETag.
func (w *world) isKept(t *testing.T, c call, want string) {
	first := w.do(t, c)
	if first.Code >= http.StatusBadRequest {
		require.Equal(t, noKeep, first.Header().Get("Cache-Control"), c.path)
		require.Empty(t, first.Header().Get("ETag"), c.path)
		return
	}
	require.Equal(t, want, first.Header().Get("Cache-Control"), c.path)
	tag := first.Header().Get("ETag")
	if want == noKeep || want == "" {
		require.Empty(t, tag, c.path)
		return
	}
	require.NotEmpty(t, tag, c.path)
	if strings.HasPrefix(c.path, "/api/bot-status") {
		return // its body depends on the time
	}
	c.header["If-None-Match"] = tag
	again := w.do(t, c)
	require.Equal(t, http.StatusNotModified, again.Code, c.path)
	require.Empty(t, again.Body.Bytes(), c.path)
	require.Equal(t, []string{tag, want}, []string{again.Header().Get("ETag"), again.Header().Get("Cache-Control")}, c.path)
}

// A browser with a cookie must read its own changes, whatever proxies cache.
func TestAVisitorReadsTheirOwnChanges(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "one")
	rec := w.visits(t, "/api/bot-posts", "Cookie", "visitor=somebody")
	require.Equal(t, "private, no-cache", rec.Header().Get("Cache-Control"))
	tag := rec.Header().Get("ETag")
	require.Equal(t, http.StatusNotModified, w.visits(t, "/api/bot-posts", "Cookie", "visitor=somebody", "If-None-Match", tag).Code)
	w.publish(t, "two")
	require.Equal(t, ok, w.visits(t, "/api/bot-posts", "Cookie", "visitor=somebody", "If-None-Match", tag).Code)

	stranger := w.visits(t, "/api/bot-posts")
	require.Equal(t, []string{"Cookie, Authorization, X-Admin-Key", "Accept-Encoding"}, stranger.Header().Values("Vary"))
	founder := w.founder(t).get(t, "/api/bot-posts")
	require.Equal(t, noKeep, founder.Header().Get("Cache-Control"))
	require.Empty(t, founder.Header().Get("ETag"))
	require.Equal(t, noKeep, w.send(t, http.MethodGet, "/api/bot-posts", "").Header().Get("Cache-Control"), "with the admin key")
}

func TestARefusedReadDoesNotRevealChanges(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/api/admin/audit", "/api/account", "/api/posting-times"} {
		rec := w.visits(t, path, "If-None-Match", "*")
		require.GreaterOrEqual(t, rec.Code, 400, path)
		require.Equal(t, noKeep, rec.Header().Get("Cache-Control"), path)
	}
	missing := w.visits(t, "/api/posts/nobody", "If-None-Match", "*")
	require.Equal(t, http.StatusNotFound, missing.Code)
	require.Equal(t, noKeep, missing.Header().Get("Cache-Control"))
}

func TestACompressedReplyHasAWeakETag(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "one")
	for _, path := range []string{"/api/bot-posts", "/feeds/posts.xml", "/color-scheme.js"} {
		plain := w.visits(t, path).Header().Get("ETag")
		small := w.visits(t, path, "Accept-Encoding", "gzip")
		require.Equal(t, "gzip", small.Header().Get("Content-Encoding"), path)
		require.Equal(t, "W/"+plain, small.Header().Get("ETag"), path)
		require.Contains(t, strings.Join(small.Header().Values("Vary"), ", "), "Accept-Encoding")
		again := w.visits(t, path, "Accept-Encoding", "gzip", "If-None-Match", "W/"+plain)
		require.Equal(t, http.StatusNotModified, again.Code, path)
		require.Empty(t, again.Body.Bytes())
		require.Empty(t, again.Header().Get("Content-Encoding"))
	}
}

// Proves: V3.5.3
func TestTheHeadersAloneCanBeAskedFor(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "one")
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	for _, path := range []string{"/api/bot-posts", "/feeds/posts.xml", "/api/chaos/badges/score.svg", "/openapi.json", "/"} {
		whole := must(client.Get(server.URL + path))(t)
		require.NoError(t, whole.Body.Close())
		head := must(client.Head(server.URL + path))(t)
		require.NoError(t, head.Body.Close())
		require.Equal(t, ok, head.StatusCode, path)
		require.Equal(t, whole.Header.Get("ETag"), head.Header.Get("ETag"), path)
		require.Equal(t, whole.Header.Get("Cache-Control"), head.Header.Get("Cache-Control"), path)
	}
	stream := must(client.Head(server.URL + "/api/chaos/runs/" + w.requested(t).ID + "/events"))(t)
	require.NoError(t, stream.Body.Close())
	require.Equal(t, http.StatusNotFound, stream.StatusCode, "a stream has no HEAD route")
}

func TestChangedRepliesHaveANewETag(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "the first")
	for _, path := range []string{"/api/bot-posts", "/feeds/posts.xml", "/feeds/posts.json"} {
		before := w.visits(t, path).Header().Get("ETag")
		again := w.visits(t, path, "If-None-Match", `"other", W/"more",  `+before)
		require.Equal(t, []any{http.StatusNotModified, before, 0}, []any{again.Code, again.Header().Get("ETag"), again.Body.Len()}, path)
		w.publish(t, "there are news for "+path)
		rec := w.visits(t, path, "If-None-Match", before)
		require.Equal(t, ok, rec.Code)
		require.Contains(t, rec.Body.String(), "there are news for")
		require.NotEqual(t, before, rec.Header().Get("ETag"))
	}
	gone := strings.Repeat("0", 64)
	require.Equal(t, nothing, w.visits(t, pictures+gone+".png", "If-None-Match", `"`+gone+`"`).Code)
}
