package telemetry

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	common "go.opentelemetry.io/proto/otlp/common/v1"

	"customerzero/internal/platform/ports/portstest"
)

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
