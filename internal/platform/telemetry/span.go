package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const scope = "customerzero"

// recording says whether something that is told to the collector is under way.
func recording(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Span notes a call to somebody else as part of what is under way; alone it is not noted. The name
// must not come from outside. end says how it went.
func Span(ctx context.Context, name string, attributes ...attribute.KeyValue) (inside context.Context, end func(error)) {
	if !recording(ctx) {
		return ctx, func(error) {}
	}
	ctx, span := otel.Tracer(scope).Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// Transport notes the requests that go out through another transport. It sends nothing along: our
// traces are nothing to vendors.
func Transport(next http.RoundTripper) http.RoundTripper {
	if !On() {
		return next
	}
	return otelhttp.NewTransport(next,
		otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator()), otelhttp.WithMeterProvider(noop.NewMeterProvider()),
		otelhttp.WithFilter(func(r *http.Request) bool { return recording(r.Context()) }),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method + " " + r.URL.Hostname() }))
}
