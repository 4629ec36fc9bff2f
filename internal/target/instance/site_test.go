package instance_test

import (
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
)

func TestEverythingThatTheChaosTargetAnswers(t *testing.T) {
	t.Parallel()
	r := start(t)
	for path, says := range map[string]string{
		"/":                      `data-target="home"`,
		"/posts":                 `data-target="posts"`,
		"/posts?page=2":          "Hello. I am the chaos target",
		"/status":                `data-target="status"`,
		"/healthz":               `"status":"ok"`,
		"/heartbeat":             `"rounds":`,
		"/api/bot-status":        `"status":"active"`,
		"/api/bot-posts?limit=1": `"total":3`,
		"/api/stats":             `"published":3`,
	} {
		require.Contains(t, r.is(t, http.StatusOK, path), says, path)
	}
}

func TestPagesLeadToTheProductAndNameTheProcess(t *testing.T) {
	t.Parallel()
	_, body := start(t).get(t, "/")
	require.Contains(t, body, `href="http://product.test/chaos-monkey"`)
	require.Contains(t, body, "<dd data-moving>"+strconv.Itoa(os.Getpid())+"</dd>")
}

func TestOnlyTheProductDoesTheRest(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/api/members", http.StatusServiceUnavailable},
		{http.MethodGet, "/api/posts", http.StatusServiceUnavailable},
		{http.MethodGet, "/api/chaos/target", http.StatusServiceUnavailable},
		{http.MethodPost, "/api/posts", http.StatusMethodNotAllowed},
		{http.MethodPost, "/api/bot-status", http.StatusMethodNotAllowed},
		{http.MethodDelete, "/posts", http.StatusMethodNotAllowed},
		{http.MethodPut, "/og-image.png", http.StatusMethodNotAllowed},
	} {
		status, body := r.send(t, tt.method, tt.path, nil)
		require.Equal(t, tt.status, status, "%s %s", tt.method, tt.path)
		require.Contains(t, body, "This is the chaos target, a replica that exists to be broken. Use the product instead.")
	}
	for _, path := range []string{"/metrics", "/readyz", "/openapi.json", "/docs", "/sandbox/x", "/auth/x/login", "/.well-known/nothing.md"} {
		r.is(t, http.StatusNotFound, path)
	}
}

func TestNobodyIsLookedUpInTheChaosTarget(t *testing.T) {
	t.Parallel()
	r := start(t)
	for name, value := range map[string]string{
		"Cookie": "cz_session=somebody; __Host-cz_session=somebody; session=somebody", "Authorization": "Bearer token", "X-Admin-Key": "key",
	} {
		status, body := r.send(t, http.MethodGet, "/api/bot-status", http.Header{name: {value}})
		require.Equal(t, http.StatusOK, status, "%s: %s", name, body)
	}
}

func TestNothingOfTheChaosTargetIsKeptByBrowsers(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, path := range []string{"/", "/og-image.png", "/heartbeat", "/nowhere"} {
		answer, err := http.Get(r.url + path)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, "no-store", answer.Header.Get("Cache-Control"), path)
		require.Contains(t, answer.Header.Get("Content-Security-Policy"), "script-src 'none'", path)
		require.Contains(t, answer.Header.Get("X-Robots-Tag"), "noindex", path)
	}
}

func TestTheWorkerBeatsOnlyAfterGoodRounds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no rules at all":                  "",
		"rules that are no JSON":           "\x00\x01nonsense",
		"rules with unknown words":         `{"rules":{},"checks":[],"and":1}`,
		"rules without a check":            `{"rules":{"maxWeight":280,"monthlyPosts":500,"newest":20}}`,
		"rules that fail their own checks": `{"rules":{"maxWeight":9,"monthlyPosts":500,"newest":20},"checks":[{"name":"x","text":"ten emails","verdict":"goes_out"}]}`,
		"rules that what went out breaks":  `{"rules":{"maxWeight":9,"monthlyPosts":500,"newest":20},"checks":[{"name":"x","text":"x","verdict":"goes_out"}]}`,
		"rules of a month that is smaller": `{"rules":{"maxWeight":280,"monthlyPosts":2,"newest":20},"checks":[{"name":"x","text":"x","verdict":"goes_out"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			require.Eventually(t, func() bool { return r.beat(t).Rounds > 1 }, testwait.Limit, often)
			if text == "" {
				require.NoError(t, os.Remove(r.live(target.FileRules)))
			} else {
				require.NoError(t, os.WriteFile(r.live(target.FileRules), []byte(text), 0o600))
			}
			require.Eventually(t, func() bool { return r.beat(t).Error != "" }, testwait.Limit, often)
			unhealthy := r.beat(t)
			r.is(t, http.StatusOK, "/posts") // pages do not use the rules
			require.Equal(t, unhealthy.Rounds, r.beat(t).Rounds)
			require.Equal(t, unhealthy.At, r.beat(t).At)

			r.restore(t, target.FileRules)
			require.Eventually(t, func() bool { return r.beat(t).Error == "" }, testwait.Limit, often)
			require.Greater(t, r.beat(t).Rounds, unhealthy.Rounds)
		})
	}
}
