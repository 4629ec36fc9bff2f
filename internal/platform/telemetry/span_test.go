package telemetry

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

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
