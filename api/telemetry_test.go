package api_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	accountapi "customerzero/api/account"
	chaosapi "customerzero/api/chaos"
	"customerzero/api/experiments"
	"customerzero/api/httpapi"
	verificationapi "customerzero/api/verification"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/metrics"
	"customerzero/internal/platform/testwait"
)

// registerMetrics exposes the server's metrics at /metrics.
func (w *world) registerMetrics() {
	registry := metrics.NewRegistry("test")
	w.server.Meters = httpapi.NewMeters()
	registry.MustRegister(w.server.Meters)
	w.server.Scrape = metrics.Handler(registry)
}

// scraped returns the lines of /metrics with a prefix.
func (w *world) scraped(t *testing.T, begin string) (lines []string) {
	for line := range strings.Lines(w.send(t, "GET", "/metrics", "").Body.String()) {
		if strings.HasPrefix(line, begin) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// Unknown paths and methods create no new series.
func TestUnknownPathsCreateNoSeries(t *testing.T) {
	w := newWorld(t)
	for i := range 50 {
		name := strconv.Itoa(i)
		for _, path := range []string{"/nothing/" + name, "/api/nothing/" + name, "/api/posts/" + name, "/assets/" + name + ".js"} {
			w.send(t, "GET", path, "")
		}
		w.send(t, "BREW"+name, "/api/posts", "")
	}
	lines := w.scraped(t, "customerzero_http_request_duration_seconds_count")
	require.NotEmpty(t, lines)
	require.Less(t, len(lines), 10, "%v", lines)
	require.Contains(t, strings.Join(lines, "\n"), `method="other"`)
	require.Contains(t, lines, `customerzero_http_request_duration_seconds_count{method="GET",route="/api/posts/:id",status="404"} 50`)
	w.server.Scrape = nil // another listener serves the metrics
	rec := w.send(t, "GET", "/metrics", "")
	require.Equal(t, nothing, rec.Code)
	require.NotContains(t, rec.Body.String(), "customerzero_")
}

func TestQuotesAreTimedByOutcome(t *testing.T) {
	w := newWorld(t)
	v := w.browse(t)
	require.Equal(t, ok, w.buy(t, v, wantsToBuy).Code)
	require.Equal(t, ok, w.buy(t, v, wantsToBuy).Code, "the same offer, without a new quote")
	w.runs.err = errors.New("no flow")
	require.NotEqual(t, ok, w.buy(t, w.browse(t), wantsToBuy).Code)
	require.Equal(t, []string{
		`customerzero_quote_duration_seconds_count{outcome="given"} 1`, `customerzero_quote_duration_seconds_count{outcome="refused"} 1`,
	}, w.scraped(t, "customerzero_quote_duration_seconds_count"))
}

func TestOpenStreamsAreCounted(t *testing.T) {
	w := newWorld(t)
	s := openStream(t, w.listening(t)+"/api/chaos/runs/"+w.broken(t).ID+"/events", nil)
	s.next(t)
	require.Equal(t, []string{"customerzero_event_streams_open 1"}, w.scraped(t, "customerzero_event_streams_open"))
	require.NoError(t, s.response.Body.Close())
	require.Eventually(t, func() bool {
		return w.scraped(t, "customerzero_event_streams_open")[0] == "customerzero_event_streams_open 0"
	}, testwait.Limit, 20*time.Millisecond)
}

// followed sends a request with a new trace, and returns the trace ID of the reply and the spans.
func (w *world) followed(t *testing.T, c call) (string, tracetest.SpanStubs) {
	var id trace.TraceID
	_, _ = rand.Read(id[:]) // it never fails
	traces.Follow(id)
	c.header = map[string]string{"traceparent": "00-" + id.String() + "-00f067aa0ba902b7-00"}
	returned := w.do(t, c).Header().Get("X-Trace-Id")
	require.Contains(t, []string{"", id.String()}, returned)
	return returned, traces.Of(id)
}

func TestARequestIsTraced(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct{ method, path, body, name string }{
		{http.MethodGet, "/api/posts?limit=1", "", "GET /api/posts"},
		{http.MethodGet, "/api/posts/canary-in-the-path", "", "GET /api/posts/:id"},
		{http.MethodPost, "/api/posts", `{"content":"canary-in-the-body"}`, "POST /api/posts"},
		{http.MethodPost, "/api/posts", `canary-in-the-body`, "POST /api/posts"},
		{http.MethodGet, "/api/canary-in-the-path", "", "GET unknown route"},
		{"CANARY-METHOD", "/api/posts", "", "OTHER unknown route"},
		{http.MethodGet, "/openapi.json", "", "GET /openapi.json"},
		{http.MethodGet, "/api/admin/audit", "", "GET /api/admin/audit"}, // hidden, so it must be traced like an unknown path
	} {
		id, spans := w.followed(t, call{method: tt.method, path: tt.path, body: tt.body})
		require.NotEmpty(t, id, tt.path)
		request := spans[len(spans)-1]
		require.Equal(t, tt.name, request.Name)
		require.Equal(t, "00f067aa0ba902b7", request.Parent.SpanID().String())
		for _, span := range spans[:len(spans)-1] {
			require.True(t, span.Parent.IsValid(), span.Name)
		}
	}
	for _, canary := range []string{"canary-in-the-path", "canary-in-the-body", "CANARY-METHOD"} {
		require.False(t, traces.Holds(canary), canary)
	}
}

func TestFilesAndProbesAreNotTraced(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/", "/scheduler", "/assets/app.js", "/nothing.png"} {
		id, spans := w.followed(t, call{method: http.MethodGet, path: path})
		require.Empty(t, id, path)
		require.Empty(t, spans, path)
	}
}

func TestLogLinesCarryRequestAndTraceID(t *testing.T) {
	w := newWorld(t)
	rec := w.send(t, http.MethodGet, "/api/posts/who", "")
	var lines []string
	for line := range strings.Lines(logs.String()) {
		if strings.Contains(line, "request_id="+rec.Header().Get("X-Request-Id")) {
			lines = append(lines, line)
		}
	}
	require.NotEmpty(t, lines)
	for _, line := range lines {
		require.Equal(t, 1, strings.Count(line, "request_id="), line)
		require.Contains(t, line, "trace_id="+rec.Header().Get("X-Trace-Id"))
	}
}

// The span of a stream ends when the stream begins, and its reads are not traced.
func TestAStreamEndsItsSpanFirst(t *testing.T) {
	w := newWorld(t)
	url := w.listening(t)
	r := w.requested(t)
	id := trace.TraceID{1, 2, 3}
	traces.Follow(id)
	s := openStream(t, url+"/api/chaos/runs/"+r.ID+"/events", map[string]string{
		"traceparent": "00-" + id.String() + "-00f067aa0ba902b7-01",
	})
	decoded[chaosapi.ChaosEvent](t, s.next(t), "event", "")
	spans := traces.Of(id)
	require.NotEmpty(t, spans, "the stream is still open")
	begun := spans[len(spans)-1]
	require.Equal(t, "GET /api/chaos/runs/:id/events", begun.Name)
	require.Contains(t, begun.Attributes, attribute.Int("http.response.status_code", ok))
	must(w.db.Chaos.BeginChaos(t.Context(), r.ID, "chaos:chaos-target", "run"))(t)
	require.Equal(t, "checking", decoded[chaosapi.ChaosEvent](t, s.next(t), "event", "").Stage, "it polled again")
	require.Len(t, traces.Of(id), len(spans))
}

// Proves: V16.5.4
func TestV16_5_4_APanicIsAnAnswerAndALine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		breaks func(w *world)
		path   string
	}{
		"of a page's handler": {func(w *world) {
			w.server.Consent = func(string) string { panic("boom, says the consent page") }
		}, "/auth/x/login"},
		"of an operation":      {func(w *world) { w.server.Posts = struct{ httpapi.PostStore }{} }, "/api/bot-posts"},
		"of the authorization": {func(w *world) { w.server.Accounts = struct{ httpapi.AccountStore }{} }, "/api/account"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := w.newMember(t, "ada")
			tt.breaks(w)
			rec := b.get(t, tt.path)
			p := refused(t, rec, problem.Internal)
			require.Equal(t, "Something went wrong on our end. Include the request ID if you contact us.", p.Message)
			for _, ours := range []string{"boom", "nil pointer", "runtime", "goroutine", ".go:"} {
				require.NotContains(t, rec.Body.String(), ours)
			}
			requireHardened(t, rec.Header(), "a panic")
			require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
			requirePanicLogged(t, rec)
			require.Equal(t, ok, w.visits(t, "/healthz").Code, "other requests are served")
		})
	}
}

func requirePanicLogged(t *testing.T, rec *httptest.ResponseRecorder) {
	for line := range strings.Lines(logs.String()) {
		if strings.Contains(line, "request panicked") && strings.Contains(line, rec.Header().Get("X-Request-Id")) {
			require.Contains(t, line, "stack=")
			return
		}
	}
	require.Fail(t, "the panic was not logged")
}

// hangingPosts is a store that never responds.
type hangingPosts struct{ httpapi.PostStore }

func (hangingPosts) Posts(ctx context.Context, _ post.Filter) ([]post.Listed, int, error) {
	<-ctx.Done()
	return nil, 0, ctx.Err()
}

func (hangingPosts) CreatePost(ctx context.Context, p post.Post, _ time.Time) (post.Post, error) {
	<-ctx.Done()
	return p, ctx.Err()
}

// Proves: F4
func TestNobodyWaitsForADatabaseThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		call   call
		within time.Duration
	}{
		"a read":  {call{method: http.MethodGet, path: "/api/posts"}, 20 * time.Second},
		"a write": {call{method: http.MethodPost, path: "/api/posts", body: `{"content":"hello"}`, key: key}, 57 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.server.Posts = hangingPosts{w.db.Posts}
			w.handler = w.server.Handler()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				answer := w.do(t, tt.call)
				require.Equal(t, tt.within, time.Since(began))
				require.Equal(t, http.StatusServiceUnavailable, answer.Code, answer.Body)
				require.Contains(t, answer.Body.String(), "The request timed out.")
			})
		})
	}
}

// A request succeeds once its row is stored. Without Temporal the dispatcher starts its workflow later, and the
// response contains a notice.
// Proves: F5, V16.5.2
func TestWhatIsWrittenIsKeptWhileTemporalIsAway(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	w.runs.down, w.runs.err = true, errors.New("dial tcp 10.0.0.3: connection refused")
	p := createPost(t, w, `{"content":"hi"}`)
	require.Equal(t, p.ID, must(w.db.Posts.Waiting(t.Context(), false))(t)[0].ID)
	require.True(t, w.controls(t, `{"paused":true}`).Paused)
	require.False(t, w.controls(t, `{"paused":false}`).Paused)

	broken := read[chaosapi.ChaosStarted](t, w.browser().post(t, "/api/chaos", crash), ok)
	require.Contains(t, broken.Message, "couldn't be started yet")
	open := must(w.db.Chaos.OpenChaos(t.Context()))(t)
	require.Equal(t, []string{"requested", broken.ID, ""}, []string{broken.Stage, open.ID, open.RunID})

	for i, body := range []string{`{}`, `{"wait":false}`} {
		waiting := read[verificationapi.Verification](t, w.verifyFrom(t, "198.51.100."+strconv.Itoa(i), body), ok)
		require.Contains(t, waiting.Reason, "couldn't be started yet. It starts automatically")
		require.Equal(t, []any{"requested", httpapi.RunRef{}}, []any{waiting.Stage, waiting.RunRef})
		require.Zero(t, w.runs.patient, "no workflow to wait for")
	}
	require.Len(t, must(w.db.Verifications.OpenVerifications(t.Context()))(t), 2)

	rec := w.step(t, "001", map[string]any{"version": 1, "to": "testing"})
	require.Equal(t, "testing", read[experiments.ExperimentDetail](t, rec, ok).Status)
	require.NotContains(t, rec.Body.String(), "10.0.0.3")
	require.Contains(t, logs.String(), "experiment workflow not notified")
	require.Equal(t, "testing", w.shown(t, "001").Status)

	read[accountapi.Deleted](t, ada.post(t, "/api/account/deletion", `{"confirm":"ada"}`), http.StatusAccepted)
	deletions := must(w.db.Deletions.OpenDeletions(t.Context()))(t)
	require.Len(t, deletions, 1)
	require.Equal(t, account.DeletionRequested, deletions[0].Stage)
}
