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
func hear(t *testing.T) *testwait.Buffer {
	t.Helper()
	said := &testwait.Buffer{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(said, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return said
}

// spans are what a batch holds.
func spans(t *testing.T) []sdktrace.ReadOnlySpan {
	t.Helper()
	tracer, told := tracer(t, Options{Share: 1})
	oneSpan(t.Context(), tracer)
	require.NotEmpty(t, told())
	return told().Snapshots()
}

// These have the log or the tracer of the process to themselves, and are not parallel.

func TestOfAnOutageIsSaidOneSentence(t *testing.T) {
	for name, tt := range map[string]struct{ collector func(*testing.T) string }{
		"nobody listens":     {portstest.Address},
		"it answers 500":     {refusing(http.StatusInternalServerError)},
		"it answers 401":     {refusing(http.StatusUnauthorized)},
		"it is no collector": {refusing(http.StatusNotFound)},
	} {
		t.Run(name, func(t *testing.T) {
			said, address := hear(t), tt.collector(t)
			c, err := newCollector(t.Context(), "http://canary-user:canary-password@"+address+"/canary-path")
			require.NoError(t, err)
			for range 3 {
				require.Error(t, c.ExportSpans(t.Context(), spans(t)))
			}
			require.Equal(t, 1, strings.Count(said.String(), "\n"), said.String())
			require.Contains(t, said.String(), "traces are lost")
			require.Contains(t, said.String(), address)
			require.NotContains(t, said.String(), "canary")
		})
	}
}

func TestTheEndOfAnOutageIsSaidAndTheNextOneToo(t *testing.T) {
	said, s := hear(t), newStandIn(t)
	c, err := newCollector(t.Context(), s.URL)
	require.NoError(t, err)
	for _, status := range []int{500, 200, 200, 500} {
		s.answers(status)
		_ = c.ExportSpans(t.Context(), spans(t))
	}
	require.Equal(t, 2, strings.Count(said.String(), "traces are lost"), said.String())
	require.Equal(t, 1, strings.Count(said.String(), "takes traces again"))
}

func TestACollectorIsToldWhoSpeaks(t *testing.T) {
	s := newStandIn(t)
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
	require.Len(t, s.told[0].ResourceSpans, 1)
	who := s.told[0].ResourceSpans[0].Resource.Attributes
	require.Equal(t, "customerzero-api", valueOf(who, "service.name"))
	require.Equal(t, "1234567", valueOf(who, "service.version"))
	require.NotEmpty(t, valueOf(who, "service.instance.id"))
}

// The worst collector takes the connection and says nothing.
func TestStoppingDoesNotWaitForASilentCollector(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close() //nolint:errcheck // a test's
	said := hear(t)
	ctx, cancel := context.WithCancel(t.Context())
	stop, err := Start(ctx, Options{Endpoint: "http://" + silent.Addr().String(), Share: 1})
	require.NoError(t, err)
	oneSpan(t.Context(), otel.Tracer("test"))
	cancel() // as a signal does
	stop()
	require.NotContains(t, said.String(), "level=ERROR")

	hung := hanging{SpanExporter: tracetest.NewNoopExporter(), until: make(chan struct{})}
	stop, err = Start(ctx, Options{Exporter: hung, Share: 1})
	require.NoError(t, err)
	stop() // while it still hangs
	close(hung.until)
}

// hanging is an exporter that ends for nobody's sake.
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
		s := newStandIn(t)
		s.answers(status)
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

// It has the tracer of the process to itself, and is not parallel.
func TestWhatGoesOutIsNotedAndToldNothing(t *testing.T) {
	told := tracetest.NewInMemoryExporter()
	stop, err := Start(t.Context(), Options{Exporter: told, Share: 1})
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
	require.Empty(t, told.GetSpans(), "nobody asked")

	provider := Options{Share: 1, Exporter: told}.provider(told)
	ctx, request := provider.Tracer("test").Start(t.Context(), "GET /api/bot-status")
	ask(request)
	require.Empty(t, header.Get("traceparent"), "our traces are nothing to vendors")
	_, end := Span(ctx, "SMTP send")
	end(errors.New("canary"))
	request.End()

	spans := told.GetSpans()
	require.Len(t, spans, 3)
	require.Equal(t, "GET 127.0.0.1", spans[0].Name)
	require.Contains(t, spans[0].Attributes, attribute.String("url.full", vendor.URL+"/2/users/me"))
	require.Equal(t, "SMTP send", spans[1].Name)
	require.Equal(t, codes.Error, spans[1].Status.Code)
	for _, span := range spans[:2] {
		require.Equal(t, request.SpanContext().SpanID(), span.Parent.SpanID())
	}
}

// made is a client that only counts schedules.
type made struct {
	interceptor.ClientOutboundInterceptorBase
	schedules int
}

func (m *made) CreateSchedule(context.Context, *interceptor.ScheduleClientCreateInput) (client.ScheduleHandle, error) {
	m.schedules++
	return nil, errors.New("made, and nobody to ask of it")
}

// It has the tracer of the process to itself, and is not parallel.
func TestAScheduleBelongsToNoTrace(t *testing.T) {
	told := tracetest.NewInMemoryExporter()
	stop, err := Start(t.Context(), Options{Exporter: told, Share: 1})
	require.NoError(t, err)
	defer stop()
	ctx, request := otel.Tracer("test").Start(t.Context(), "POST /api/recurring-posts")
	m := &made{}
	require.Len(t, Flows(), 1)
	_, err = Flows()[0].InterceptClient(m).CreateSchedule(ctx, &interceptor.ScheduleClientCreateInput{Options: &client.ScheduleOptions{ID: "series:1"}})
	require.Error(t, err, "the stand-in's")
	request.End()
	require.Equal(t, 1, m.schedules)
	require.Len(t, told.GetSpans(), 1, "its runs go on when the request is long over")
}
