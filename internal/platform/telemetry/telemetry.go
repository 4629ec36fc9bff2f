// Package telemetry exports traces to a collector and writes the log, whose lines name their request and
// their run. A process has one tracer and one log. Without a collector nothing is installed, and the trace
// functions do nothing.
//
// No personal data and no secret may be exported: every span passes clean.go.
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

// Options configures what is traced and where traces are sent.
type Options struct {
	Endpoint string   // URL of an OTLP/HTTP collector; empty: no traces
	Share    float64  // of the traces that start here, 0 to 1
	Service  string   // such as customerzero-api
	Version  string   // of the program
	Quiet    []string // workflows that are not traced because they never end

	Exporter sdktrace.SpanExporter // used instead of Endpoint in tests
}

// flushWithin bounds the delivery of the last traces at a shutdown.
const flushWithin = 2 * time.Second

var installed atomic.Bool

// On reports whether this process traces.
func On() bool { return installed.Load() }

// Start installs the tracer until stop is called, which sends the buffered traces.
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
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {})) // the collector logs an outage once
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
	processor := sdktrace.WithSyncer(cleaning{exporter}) // tests get each span immediately
	if o.Exporter == nil {
		processor = sdktrace.WithBatcher(cleaning{exporter}, sdktrace.WithExportTimeout(exportWithin))
	}
	process := resource.NewSchemaless(attribute.String("service.name", o.Service), attribute.String("service.version", o.Version),
		attribute.String("service.instance.id", xid.New().String()))
	limits := sdktrace.NewSpanLimits()
	limits.AttributeValueLengthLimit = 256 // libraries add long values
	return sdktrace.NewTracerProvider(sdktrace.WithSampler(&sampler{o.Share, o.Quiet}), sdktrace.WithResource(process), sdktrace.WithRawSpanLimits(limits), processor)
}

const scope = "customerzero"

func recording(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Span records an outgoing call as part of the current trace; without one, it records nothing. The name must
// not come from user input. Call end with the call's error.
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

// Transport records the requests of another transport. It sends no trace headers to vendors.
func Transport(next http.RoundTripper) http.RoundTripper {
	if !On() {
		return next
	}
	return otelhttp.NewTransport(next,
		otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator()), otelhttp.WithMeterProvider(noop.NewMeterProvider()),
		otelhttp.WithFilter(func(r *http.Request) bool { return recording(r.Context()) }),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method + " " + r.URL.Hostname() }))
}

// exportWithin bounds the delivery of a batch with its retries. Later spans wait in a queue and are dropped
// when it is full.
const exportWithin = 10 * time.Second

// collector exports spans and logs an outage once, not for each batch.
type collector struct {
	sdktrace.SpanExporter
	host string // without credentials, for the log
	out  atomic.Bool
}

func newCollector(ctx context.Context, endpoint string) (*collector, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that starts with http:// or https://")
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

// ExportSpans logs when deliveries start to fail and when they succeed again, without the library's error,
// which repeats the collector's response.
func (c *collector) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !c.out.Swap(true):
		slog.Warn("traces are lost: the collector does not accept them. Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT",
			"collector", c.host)
	case err == nil && c.out.Swap(false):
		slog.Info("the collector accepts traces again", "collector", c.host)
	}
	return err
}

// Flows returns interceptors that let a Temporal client and its workers pass traces on to runs and
// activities. It returns nil if this process does not trace.
func Flows() []interceptor.ClientInterceptor {
	if !On() {
		return nil
	}
	tracing, err := temporaltrace.NewTracingInterceptor(temporaltrace.TracerOptions{
		Tracer:            otel.Tracer(scope),
		TextMapPropagator: propagation.TraceContext{}, // no baggage: callers control its content
		DisableBaggage:    true, AllowInvalidParentSpans: true,
	})
	if err != nil {
		slog.Warn("workflow runs are not traced", "error", err)
		return nil
	}
	return []interceptor.ClientInterceptor{flows{tracing}}
}

// flows is the library's interceptor, except for schedules.
type flows struct{ interceptor.Interceptor }

func (f flows) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	return &outbound{ClientOutboundInterceptor: f.Interceptor.InterceptClient(next), plain: next}
}

type outbound struct {
	interceptor.ClientOutboundInterceptor
	plain interceptor.ClientOutboundInterceptor
}

// CreateSchedule passes no trace on: all runs of the schedule, for months, would belong to the trace of the
// request that created it.
func (o *outbound) CreateSchedule(ctx context.Context, in *interceptor.ScheduleClientCreateInput) (client.ScheduleHandle, error) {
	return o.plain.CreateSchedule(ctx, in)
}
