package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"google.golang.org/protobuf/proto"

	"customerzero/internal/platform/ports/portstest"
	"customerzero/internal/platform/testwait"
)

// tracer returns a tracer for one test, and a function that returns its exported spans.
func tracer(t *testing.T, o Options) (trace.Tracer, func() tracetest.SpanStubs) {
	t.Helper()
	exported := tracetest.NewInMemoryExporter()
	o.Exporter = exported
	provider := o.provider(exported)
	t.Cleanup(func() { _ = provider.Shutdown(context.WithoutCancel(t.Context())) })
	return provider.Tracer("test"), exported.GetSpans
}

func oneSpan(ctx context.Context, t trace.Tracer) {
	_, span := t.Start(ctx, "something")
	span.End()
}

// fakeCollector responds with a status and stores the requests.
type fakeCollector struct {
	*httptest.Server
	mu       sync.Mutex
	status   int
	paths    []string
	logins   []string
	exported []*coltrace.ExportTraceServiceRequest
}

func newFakeCollector(t *testing.T) *fakeCollector {
	t.Helper()
	s := &fakeCollector{status: http.StatusOK}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *fakeCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	logged := &coltrace.ExportTraceServiceRequest{}
	_ = proto.Unmarshal(body, logged)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths, s.logins, s.exported = append(s.paths, r.URL.Path), append(s.logins, r.Header.Get("Authorization")), append(s.exported, logged)
	w.WriteHeader(s.status)
}

func (s *fakeCollector) respondWith(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// captureLog returns the log of a test, which must not run in parallel.
func captureLog(t *testing.T) *testwait.Buffer {
	t.Helper()
	logged := &testwait.Buffer{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(logged, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return logged
}

// spans returns a batch.
func spans(t *testing.T) []sdktrace.ReadOnlySpan {
	t.Helper()
	tracer, exported := tracer(t, Options{Share: 1})
	oneSpan(t.Context(), tracer)
	require.NotEmpty(t, exported())
	return exported().Snapshots()
}

// The following tests use the log or the tracer of the process and are not parallel.

func TestOfAnOutageIsSaidOneSentence(t *testing.T) {
	for name, tt := range map[string]struct{ collector func(*testing.T) string }{
		"no server":      {portstest.Address},
		"it returns 500": {refusing(http.StatusInternalServerError)},
		"it returns 401": {refusing(http.StatusUnauthorized)},
		"it returns 404": {refusing(http.StatusNotFound)},
	} {
		t.Run(name, func(t *testing.T) {
			logged, address := captureLog(t), tt.collector(t)
			c, err := newCollector(t.Context(), "http://canary-user:canary-password@"+address+"/canary-path")
			require.NoError(t, err)
			for range 3 {
				require.Error(t, c.ExportSpans(t.Context(), spans(t)))
			}
			require.Equal(t, 1, strings.Count(logged.String(), "\n"), logged.String())
			require.Contains(t, logged.String(), "traces are lost")
			require.Contains(t, logged.String(), address)
			require.NotContains(t, logged.String(), "canary")
		})
	}
}

func TestTheEndOfAnOutageIsSaidAndTheNextOneToo(t *testing.T) {
	logged, s := captureLog(t), newFakeCollector(t)
	c, err := newCollector(t.Context(), s.URL)
	require.NoError(t, err)
	for _, status := range []int{500, 200, 200, 500} {
		s.respondWith(status)
		_ = c.ExportSpans(t.Context(), spans(t))
	}
	require.Equal(t, 2, strings.Count(logged.String(), "traces are lost"), logged.String())
	require.Equal(t, 1, strings.Count(logged.String(), "accepts traces again"))
}

func TestACollectorIsToldWhoSpeaks(t *testing.T) {
	s := newFakeCollector(t)
	stop, err := Start(t.Context(), Options{
		Endpoint: "http://me:secret@" + s.Listener.Addr().String() + "/tenant/", Share: 1, Service: "customerzero-api", Version: "1234567",
	})
	require.NoError(t, err)
	require.True(t, On())
	oneSpan(t.Context(), otel.Tracer("test"))
	stop()
	require.False(t, On())
	require.Equal(t, []string{"/tenant/v1/traces"}, s.paths)
	require.Equal(t, []string{"Basic bWU6c2VjcmV0"}, s.logins)
	require.Len(t, s.exported[0].ResourceSpans, 1)
	who := s.exported[0].ResourceSpans[0].Resource.Attributes
	require.Equal(t, "customerzero-api", valueOf(who, "service.name"))
	require.Equal(t, "1234567", valueOf(who, "service.version"))
	require.NotEmpty(t, valueOf(who, "service.instance.id"))
}

// TestStoppingDoesNotWaitForASilentCollector: the collector accepts connections and never responds.
func TestStoppingDoesNotWaitForASilentCollector(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close() //nolint:errcheck // of a test
	logged := captureLog(t)
	ctx, cancel := context.WithCancel(t.Context())
	stop, err := Start(ctx, Options{Endpoint: "http://" + silent.Addr().String(), Share: 1})
	require.NoError(t, err)
	oneSpan(t.Context(), otel.Tracer("test"))
	cancel() // like a signal
	stop()
	require.NotContains(t, logged.String(), "level=ERROR")

	hung := hanging{SpanExporter: tracetest.NewNoopExporter(), until: make(chan struct{})}
	stop, err = Start(ctx, Options{Exporter: hung, Share: 1})
	require.NoError(t, err)
	stop() // while it still hangs
	close(hung.until)
}

// hanging is an exporter whose Shutdown ignores its context.
type hanging struct {
	sdktrace.SpanExporter
	until chan struct{}
}

func (h hanging) Shutdown(context.Context) error {
	<-h.until
	return nil
}

func TestWithoutACollectorNothingIsInstalled(t *testing.T) {
	before := otel.GetTracerProvider()
	stop, err := Start(t.Context(), Options{Share: 1, Service: "customerzero-up"})
	require.NoError(t, err)
	defer stop()
	require.False(t, On())
	require.Nil(t, Flows())
	require.Same(t, http.DefaultTransport, Transport(http.DefaultTransport))
	require.Equal(t, before, otel.GetTracerProvider())
	ctx, end := Span(t.Context(), "alone")
	end(nil)
	require.Equal(t, t.Context(), ctx)
}

func refusing(status int) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		s := newFakeCollector(t)
		s.respondWith(status)
		return s.Listener.Addr().String()
	}
}

func valueOf(attributes []*common.KeyValue, key string) string {
	for _, a := range attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

func TestWhatGoesOutIsNotedAndToldNothing(t *testing.T) {
	exported := tracetest.NewInMemoryExporter()
	stop, err := Start(t.Context(), Options{Exporter: exported, Share: 1})
	require.NoError(t, err)
	defer stop()
	var header http.Header
	vendor := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { header = r.Header }))
	defer vendor.Close()
	client := &http.Client{Transport: Transport(http.DefaultTransport.(*http.Transport).Clone())}
	ask := func(under trace.Span) {
		req, err := http.NewRequestWithContext(trace.ContextWithSpan(t.Context(), under), http.MethodGet, vendor.URL+"/2/users/me?token=canary", nil)
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}

	ask(trace.SpanFromContext(t.Context()))
	require.Empty(t, exported.GetSpans(), "outside of a trace")

	provider := Options{Share: 1, Exporter: exported}.provider(exported)
	ctx, request := provider.Tracer("test").Start(t.Context(), "GET /api/bot-status")
	ask(request)
	require.Empty(t, header.Get("traceparent"), "vendors get no trace headers")
	_, end := Span(ctx, "SMTP send")
	end(errors.New("canary"))
	request.End()

	spans := exported.GetSpans()
	require.Len(t, spans, 3)
	require.Equal(t, "GET 127.0.0.1", spans[0].Name)
	require.Contains(t, spans[0].Attributes, attribute.String("url.full", vendor.URL+"/2/users/me"))
	require.Equal(t, "SMTP send", spans[1].Name)
	require.Equal(t, codes.Error, spans[1].Status.Code)
	for _, span := range spans[:2] {
		require.Equal(t, request.SpanContext().SpanID(), span.Parent.SpanID())
	}
}

// scheduleCounter is a client that only counts schedules.
type scheduleCounter struct {
	interceptor.ClientOutboundInterceptorBase
	schedules int
}

func (m *scheduleCounter) CreateSchedule(context.Context, *interceptor.ScheduleClientCreateInput) (client.ScheduleHandle, error) {
	m.schedules++
	return nil, errors.New("counted")
}

func TestAScheduleBelongsToNoTrace(t *testing.T) {
	exported := tracetest.NewInMemoryExporter()
	stop, err := Start(t.Context(), Options{Exporter: exported, Share: 1})
	require.NoError(t, err)
	defer stop()
	ctx, request := otel.Tracer("test").Start(t.Context(), "POST /api/recurring-posts")
	m := &scheduleCounter{}
	require.Len(t, Flows(), 1)
	_, err = Flows()[0].InterceptClient(m).CreateSchedule(ctx, &interceptor.ScheduleClientCreateInput{Options: &client.ScheduleOptions{ID: "series:1"}})
	require.Error(t, err, "of the fake client")
	request.End()
	require.Equal(t, 1, m.schedules)
	require.Len(t, exported.GetSpans(), 1, "its runs start long after the request")
}
