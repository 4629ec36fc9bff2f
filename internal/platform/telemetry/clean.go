package telemetry

import (
	"context"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// exported lists the attributes that are sent to the collector. Libraries add others with personal data:
// visitors' addresses and browsers, complete URLs, SQL statements, error texts.
var exported = map[attribute.Key]bool{
	"http.request.method": true, "http.route": true, "http.response.status_code": true, "error.type": true,
	urlFull:              true,
	"temporalWorkflowID": true, "temporalRunID": true, "temporalActivityID": true, "temporalUpdateID": true,
	"db.system.name": true, "db.operation.name": true, "db.collection.name": true,
}

const urlFull attribute.Key = "url.full"

// cleaning removes data from all spans before they are sent to the collector.
type cleaning struct{ sdktrace.SpanExporter }

func (c cleaning) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	cleaned := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		cleaned[i] = clean{span}
	}
	return c.SpanExporter.ExportSpans(ctx, cleaned)
}

// clean is a span without personal data. It reports failures without their texts, which may repeat user
// input; the log has them under the same trace ID.
type clean struct{ sdktrace.ReadOnlySpan }

func (c clean) Attributes() []attribute.KeyValue {
	var kept []attribute.KeyValue
	for _, a := range c.ReadOnlySpan.Attributes() {
		if !exported[a.Key] {
			continue
		}
		if a.Key == urlFull {
			a.Value = attribute.StringValue(bare(a.Value.AsString()))
		}
		kept = append(kept, a)
	}
	return kept
}

// Events returns none: libraries put error texts in them.
func (c clean) Events() []sdktrace.Event { return nil }

func (c clean) Links() []sdktrace.Link { return nil }

// Status omits the description.
func (c clean) Status() sdktrace.Status { return sdktrace.Status{Code: c.ReadOnlySpan.Status().Code} }

// bare returns a URL without user, query and fragment. It returns an empty string for a URL that does not
// round-trip through url.Parse: its path may start like a host.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	short := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if parsed, err := url.Parse(short.String()); err != nil || *parsed != short {
		return ""
	}
	return short.String()
}

// sampler decides at random for each trace that starts here. It does not use the trace ID, which callers
// choose.
type sampler struct {
	share float64
	quiet []string
}

// ShouldSample keeps the decision of the parent span, unless the parent comes from an untrusted caller.
func (s *sampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	parent := trace.SpanContextFromContext(p.ParentContext)
	sampled := parent.IsSampled()
	if starts := !parent.IsValid() || parent.IsRemote() && isUntrusted(p.ParentContext); starts {
		_, flow, _ := strings.Cut(p.Name, ":")
		sampled = rand.Float64() < s.share && !slices.Contains(s.quiet, flow)
	}
	decision := sdktrace.Drop
	if sampled {
		decision = sdktrace.RecordAndSample
	}
	return sdktrace.SamplingResult{Decision: decision, Tracestate: parent.TraceState()}
}

func (s *sampler) Description() string { return "random" }

type untrustedKey struct{}

func isUntrusted(ctx context.Context) bool { return ctx.Value(untrustedKey{}) != nil }

// Strangers extracts the trace of requests from untrusted callers: only its IDs. Whether the request is
// recorded is our decision, and other fields would end up in workflow histories.
func Strangers() propagation.TextMapPropagator { return untrusted{} }

type untrusted struct{ propagation.TraceContext }

func (s untrusted) Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context {
	parent := trace.SpanContextFromContext(s.TraceContext.Extract(ctx, carrier))
	if !parent.IsValid() {
		return ctx
	}
	ids := trace.NewSpanContext(trace.SpanContextConfig{TraceID: parent.TraceID(), SpanID: parent.SpanID()})
	return trace.ContextWithRemoteSpanContext(context.WithValue(ctx, untrustedKey{}, true), ids)
}
