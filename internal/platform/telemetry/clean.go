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

// told are the attributes that may leave. Libraries know many more: addresses of visitors, their
// browsers, whole URLs, statements, texts of errors. A new one has to be let in here.
var told = map[attribute.Key]bool{
	"http.request.method": true, "http.route": true, "http.response.status_code": true, "error.type": true,
	urlFull:              true,
	"temporalWorkflowID": true, "temporalRunID": true, "temporalActivityID": true, "temporalUpdateID": true,
	"db.system.name": true, "db.operation.name": true, "db.collection.name": true,
}

const urlFull attribute.Key = "url.full"

// cleaning is the one door to the collector, for the spans of every library and our own.
type cleaning struct{ sdktrace.SpanExporter }

// ExportSpans hands the spans on, cleaned.
func (c cleaning) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	cleaned := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		cleaned[i] = clean{span}
	}
	return c.SpanExporter.ExportSpans(ctx, cleaned)
}

// clean is a span without what may not be told. That a step failed is told; why, is in the log,
// under the same trace: texts of errors repeat what they failed on.
type clean struct{ sdktrace.ReadOnlySpan }

// Attributes are those that may be told.
func (c clean) Attributes() []attribute.KeyValue {
	var kept []attribute.KeyValue
	for _, a := range c.ReadOnlySpan.Attributes() {
		if !told[a.Key] {
			continue
		}
		if a.Key == urlFull {
			a.Value = attribute.StringValue(bare(a.Value.AsString()))
		}
		kept = append(kept, a)
	}
	return kept
}

// Events are none: libraries note errors in them.
func (c clean) Events() []sdktrace.Event { return nil }

// Links are none.
func (c clean) Links() []sdktrace.Link { return nil }

// Status is without its text.
func (c clean) Status() sdktrace.Status { return sdktrace.Status{Code: c.ReadOnlySpan.Status().Code} }

// bare is an address without who asks and what for. One that would be read as another is not told:
// a path may begin like a host.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	told := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if again, err := url.Parse(told.String()); err != nil || *again != told {
		return ""
	}
	return told.String()
}

// sampler decides once for each trace that begins here, by lot. A trace's own id would be no lot:
// strangers choose theirs.
type sampler struct {
	share float64
	quiet []string
}

// ShouldSample follows what was decided where the trace began, unless a stranger did.
func (s *sampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	parent := trace.SpanContextFromContext(p.ParentContext)
	sampled := parent.IsSampled()
	if begins := !parent.IsValid() || parent.IsRemote() && ofStranger(p.ParentContext); begins {
		_, flow, _ := strings.Cut(p.Name, ":")
		sampled = rand.Float64() < s.share && !slices.Contains(s.quiet, flow)
	}
	decision := sdktrace.Drop
	if sampled {
		decision = sdktrace.RecordAndSample
	}
	return sdktrace.SamplingResult{Decision: decision, Tracestate: parent.TraceState()}
}

// Description is for the SDK.
func (s *sampler) Description() string { return "by lot" }

type strangerKey struct{}

func ofStranger(ctx context.Context) bool { return ctx.Value(strangerKey{}) != nil }

// Strangers reads the trace that a request says it belongs to. Its ids are taken over, so that the
// request can be followed; whether it is recorded is for us to decide, and whatever else comes
// along would end in histories.
func Strangers() propagation.TextMapPropagator { return strangers{} }

type strangers struct{ propagation.TraceContext }

// Extract reads the ids.
func (s strangers) Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context {
	said := trace.SpanContextFromContext(s.TraceContext.Extract(ctx, carrier))
	if !said.IsValid() {
		return ctx
	}
	ids := trace.NewSpanContext(trace.SpanContextConfig{TraceID: said.TraceID(), SpanID: said.SpanID()})
	return trace.ContextWithRemoteSpanContext(context.WithValue(ctx, strangerKey{}, true), ids)
}
