package telemetry

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// tracer traces for one test, and gives what was told so far.
func tracer(t *testing.T, o Options) (trace.Tracer, func() tracetest.SpanStubs) {
	t.Helper()
	told := tracetest.NewInMemoryExporter()
	o.Exporter = told
	provider := o.provider(told)
	t.Cleanup(func() { _ = provider.Shutdown(context.WithoutCancel(t.Context())) })
	return provider.Tracer("test"), told.GetSpans
}

func oneSpan(ctx context.Context, t trace.Tracer) {
	_, span := t.Start(ctx, "something")
	span.End()
}

// standIn is a collector that answers with a status, and keeps what it was told.
type standIn struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	paths  []string
	logins []string
	told   []*coltrace.ExportTraceServiceRequest
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{status: http.StatusOK}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	said := &coltrace.ExportTraceServiceRequest{}
	_ = proto.Unmarshal(body, said)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths, s.logins, s.told = append(s.paths, r.URL.Path), append(s.logins, r.Header.Get("Authorization")), append(s.told, said)
	w.WriteHeader(s.status)
}

func (s *standIn) answers(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// hear gives everything that is logged while a test runs, which must be the only one then.
func hear(t *testing.T) *journal {
	t.Helper()
	said := &journal{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(said, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return said
}

type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// spans are what a batch holds.
func spans(t *testing.T) []sdktrace.ReadOnlySpan {
	t.Helper()
	tracer, told := tracer(t, Options{Share: 1})
	oneSpan(t.Context(), tracer)
	require.NotEmpty(t, told())
	return told().Snapshots()
}
