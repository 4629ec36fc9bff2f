package api_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"customerzero/api"
)

// followed makes a call under a trace of its own, and gives its answer and what was told of it.
func (w *world) followed(t *testing.T, c call) (string, tracetest.SpanStubs) {
	t.Helper()
	var id trace.TraceID
	_, _ = rand.Read(id[:]) // it never fails
	traces.Follow(id)
	c.header = map[string]string{"traceparent": "00-" + id.String() + "-00f067aa0ba902b7-00"}
	told := w.do(t, c).Header().Get("X-Trace-Id")
	if told != "" {
		require.Equal(t, id.String(), told)
	}
	return told, traces.Of(id)
}

func TestARequestIsFoundUnderItsTrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct{ method, path, body, name string }{
		{http.MethodGet, "/api/posts?limit=1", "", "GET /api/posts"},
		{http.MethodGet, "/api/posts/canary-in-the-path", "", "GET /api/posts/:id"},
		{http.MethodPost, "/api/posts", `{"content":"canary-in-the-body"}`, "POST /api/posts"},
		{http.MethodPost, "/api/posts", `canary-in-the-body`, "POST /api/posts"},
		{http.MethodGet, "/api/canary-in-the-path", "", "GET unknown route"},
		{"CANARY-METHOD", "/api/posts", "", "OTHER unknown route"},
		{http.MethodGet, "/openapi.json", "", "GET /openapi.json"},
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
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/", "/scheduler", "/assets/app.js", "/nothing.png"} {
		id, spans := w.followed(t, call{method: http.MethodGet, path: path})
		require.Empty(t, id, path)
		require.Empty(t, spans, path)
	}
}

// A route that is hidden must not give itself away by being traced.
func TestAHiddenRouteIsTracedLikeOneThatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/api/admin/audit", "/api/admin/nothing"} {
		id, _ := w.followed(t, call{method: http.MethodGet, path: path, key: "none"})
		require.NotEmpty(t, id, path)
	}
}

func TestALineOfARequestNamesRequestAndTrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.do(t, call{method: http.MethodGet, path: "/api/posts/who"})
	var lines []string
	for line := range strings.Lines(journal.String()) {
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

// A stream may last for minutes. Its span is told when it begins, and what it reads is in none.
func TestAStreamDoesNotHoldItsSpanOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url := w.listening(t)
	r := w.requested(t)
	id := trace.TraceID{1, 2, 3}
	traces.Follow(id)
	s := openStream(t, url+"/api/chaos/runs/"+r.ID+"/events", map[string]string{
		"traceparent": "00-" + id.String() + "-00f067aa0ba902b7-01",
	})
	told[api.ChaosEvent](t, s.next(t), "event", "")
	spans := traces.Of(id)
	require.NotEmpty(t, spans, "the stream goes on")
	begun := spans[len(spans)-1]
	require.Equal(t, "GET /api/chaos/runs/:id/events", begun.Name)
	require.Contains(t, begun.Attributes, attribute.Int("http.response.status_code", http.StatusOK))
	_, err := w.db.Chaos.BeginChaos(t.Context(), r.ID, "chaos:cell", "run")
	require.NoError(t, err)
	require.Equal(t, "checking", told[api.ChaosEvent](t, s.next(t), "event", "").Stage, "it has looked again")
	require.Len(t, traces.Of(id), len(spans))
}
