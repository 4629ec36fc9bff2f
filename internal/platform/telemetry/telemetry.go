// Package telemetry tells operators what happened: traces to a collector, and a log whose lines
// say to which request and which run they belong. A process has one tracer, as it has one log.
// Without a collector nothing is installed, and everything here does nothing.
//
// Nothing personal and no secret may leave through it: see clean.go, which every span passes.
package telemetry

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/xid"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/client"
	temporaltrace "go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"
)

// Options say what is traced, and who takes it.
type Options struct {
	Endpoint string   // a collector that takes OTLP over HTTP; empty: nothing is traced
	Share    float64  // of what begins here, from 0 to 1
	Service  string   // customerzero-api, say
	Version  string   // of the program
	Quiet    []string // workflows that go on for ever: a trace of them would never end

	Exporter sdktrace.SpanExporter // instead of Endpoint, for tests
}

// flushWithin is how long a process that stops waits for the collector.
const flushWithin = 2 * time.Second

// installed is whether this process traces.
var installed atomic.Bool

// On says whether this process traces.
func On() bool { return installed.Load() }

// Start lets this process trace until stop is called, which sends what is still here.
func Start(ctx context.Context, o Options) (stop func(), err error) {
	exporter := o.Exporter
	if exporter == nil && o.Endpoint == "" {
		return func() {}, nil
	}
	if exporter == nil {
		if exporter, err = newCollector(ctx, o.Endpoint); err != nil {
			return nil, err
		}
	}
	provider := o.provider(exporter)
	otel.SetTracerProvider(provider)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {})) // the exporter says once what is wrong
	installed.Store(true)
	return func() {
		installed.Store(false)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushWithin)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			slog.Debug("the last traces were not delivered", "error", err)
		}
	}, nil
}

func (o Options) provider(exporter sdktrace.SpanExporter) *sdktrace.TracerProvider {
	return sdktrace.NewTracerProvider(sdktrace.WithSampler(&sampler{o.Share, o.Quiet}),
		sdktrace.WithResource(o.resource()), sdktrace.WithRawSpanLimits(limits()), o.processor(cleaning{exporter}))
}

// processor sends spans in batches; a test sees each at once.
func (o Options) processor(exporter sdktrace.SpanExporter) sdktrace.TracerProviderOption {
	if o.Exporter != nil {
		return sdktrace.WithSyncer(exporter)
	}
	return sdktrace.WithBatcher(exporter, sdktrace.WithExportTimeout(exportWithin))
}

func (o Options) resource() *resource.Resource {
	return resource.NewSchemaless(attribute.String("service.name", o.Service), attribute.String("service.version", o.Version),
		attribute.String("service.instance.id", xid.New().String()))
}

// limits keep a span small, whatever a library wants to tell.
func limits() sdktrace.SpanLimits {
	limits := sdktrace.NewSpanLimits()
	limits.AttributeValueLengthLimit = 256
	return limits
}

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

// exportWithin bounds the delivery of a batch, with its second tries. Spans that come meanwhile
// wait in a queue of a fixed length, and are dropped when it is full.
const exportWithin = 10 * time.Second

// collector hands spans to the collector. It complains once of an outage, not of each batch.
type collector struct {
	sdktrace.SpanExporter
	host string // as it may be logged
	out  atomic.Bool
}

func newCollector(ctx context.Context, endpoint string) (*collector, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not a URL that begins with http:// or https://")
	}
	options := []otlptracehttp.Option{
		otlptracehttp.WithEndpoint(u.Host), otlptracehttp.WithURLPath(strings.TrimRight(u.Path, "/") + "/v1/traces"),
		otlptracehttp.WithTimeout(exportWithin / 2),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: time.Second, MaxInterval: exportWithin / 4, MaxElapsedTime: exportWithin,
		}),
	}
	if u.Scheme != "https" {
		options = append(options, otlptracehttp.WithInsecure())
	}
	if u.User != nil {
		password, _ := u.User.Password()
		login := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		options = append(options, otlptracehttp.WithHeaders(map[string]string{"Authorization": "Basic " + login}))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, errors.New("the collector of OTEL_EXPORTER_OTLP_ENDPOINT cannot be used")
	}
	return &collector{SpanExporter: exporter, host: u.Host}, nil
}

// ExportSpans says when deliveries begin to fail, and when they succeed again. What the library
// says of it stays at debug: it repeats what the collector answered.
func (c *collector) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !c.out.Swap(true):
		slog.Warn("traces are lost, because the collector does not take them; everything else works. Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT",
			"collector", c.host)
	case err == nil && c.out.Swap(false):
		slog.Info("the collector takes traces again", "collector", c.host)
	}
	return err
}

// Flows makes a Temporal client, and the workers that use it, carry traces into runs and their
// steps. Without a tracer it is nothing.
func Flows() []interceptor.ClientInterceptor {
	if !On() {
		return nil
	}
	tracing, err := temporaltrace.NewTracingInterceptor(temporaltrace.TracerOptions{
		Tracer:            otel.Tracer(scope),
		TextMapPropagator: propagation.TraceContext{}, // no baggage: strangers could fill it
		DisableBaggage:    true, AllowInvalidParentSpans: true,
	})
	if err != nil {
		slog.Warn("runs are not traced", "error", err)
		return nil
	}
	return []interceptor.ClientInterceptor{flows{tracing}}
}

// flows is the library's interceptor, but for schedules.
type flows struct{ interceptor.Interceptor }

// InterceptClient puts it around a client.
func (f flows) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	return &outbound{ClientOutboundInterceptor: f.Interceptor.InterceptClient(next), plain: next}
}

type outbound struct {
	interceptor.ClientOutboundInterceptor
	plain interceptor.ClientOutboundInterceptor
}

// CreateSchedule leaves no trace in the schedule: all its runs, for months, would belong to the
// request that made it.
func (o *outbound) CreateSchedule(ctx context.Context, in *interceptor.ScheduleClientCreateInput) (client.ScheduleHandle, error) {
	return o.plain.CreateSchedule(ctx, in)
}
