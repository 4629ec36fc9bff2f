package telemetry

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

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
