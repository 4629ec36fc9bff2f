package api_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/platform/metrics"
	"customerzero/internal/platform/testwait"
)

// isScraped lets /metrics tell what the world's server measures.
func (w *world) isScraped() {
	registry := metrics.NewRegistry("test")
	w.server.Meters = api.NewMeters()
	registry.MustRegister(w.server.Meters)
	w.server.Scrape = metrics.Handler(registry)
}

// scraped is the lines of /metrics that begin so.
func (w *world) scraped(t *testing.T, begin string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(w.do(t, call{method: "GET", path: "/metrics"}).Body.String()) {
		if strings.HasPrefix(line, begin) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestRequestsAreTimedByRoute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	createPost(t, w, `{"content":"hi"}`)
	require.Contains(t, w.scraped(t, "customerzero_http_request_duration_seconds_count"),
		`customerzero_http_request_duration_seconds_count{method="POST",route="/api/posts",status="201"} 1`)
}

// Whatever strangers ask for, there are as many series as routes.
func TestStrangersMakeNoSeries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 50 {
		name := strconv.Itoa(i)
		for _, path := range []string{"/nothing/" + name, "/api/nothing/" + name, "/api/posts/" + name, "/assets/" + name + ".js"} {
			w.do(t, call{method: "GET", path: path})
		}
		w.do(t, call{method: "BREW" + name, path: "/api/posts"})
	}
	lines := w.scraped(t, "customerzero_http_request_duration_seconds_count")
	require.NotEmpty(t, lines)
	require.Less(t, len(lines), 10, "%v", lines)
	require.Contains(t, strings.Join(lines, "\n"), `method="other"`)
}

func TestQuotesAreTimedByWhetherThereWasOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.browse(t)
	require.Equal(t, http.StatusOK, w.buy(t, v, wantsToBuy).Code)
	require.Equal(t, http.StatusOK, w.buy(t, v, wantsToBuy).Code, "the same page again, for which nobody waits")
	w.runs.err = errors.New("no flow")
	require.NotEqual(t, http.StatusOK, w.buy(t, w.browse(t), wantsToBuy).Code)
	require.Equal(t, []string{
		`customerzero_quote_duration_seconds_count{outcome="given"} 1`, `customerzero_quote_duration_seconds_count{outcome="refused"} 1`,
	}, w.scraped(t, "customerzero_quote_duration_seconds_count"))
}

func TestWhoLooksOnIsCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := openStream(t, w.listening(t)+"/api/chaos/runs/"+w.broken(t).ID+"/events", nil)
	s.next(t)
	require.Equal(t, []string{"customerzero_event_streams_open 1"}, w.scraped(t, "customerzero_event_streams_open"))
	require.NoError(t, s.response.Body.Close())
	require.Eventually(t, func() bool {
		return w.scraped(t, "customerzero_event_streams_open")[0] == "customerzero_event_streams_open 0"
	}, testwait.Limit, 20*time.Millisecond)
}

// Where operators are answered at an address of their own, others learn nothing.
func TestMetricsAreNotForEverybodyWhereOperatorsAreAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Scrape = nil
	rec := w.do(t, call{method: "GET", path: "/metrics"})
	require.Equal(t, http.StatusNotFound, rec.Code)
	require.NotContains(t, rec.Body.String(), "customerzero_")
}
