package telemetry

import (
	"context"
	"io"
	"log/slog"
	"slices"

	"go.opentelemetry.io/otel/trace"
)

// NewLog writes lines for people, or JSON for machines. Each says what its context knows.
func NewLog(out io.Writer, format string, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: ourWords}
	if format == "json" {
		return slog.New(Knowing(slog.NewJSONHandler(out, options)))
	}
	return slog.New(Knowing(slog.NewTextHandler(out, options)))
}

// theirWords are what Temporal's library calls what we have a word for.
var theirWords = map[string]string{
	"WorkflowID": "workflow_id", "RunID": "run_id", "WorkflowType": "workflow", "ActivityType": "activity",
	"Attempt": "attempt", "TraceID": traceID, "SpanID": "span_id", "Error": "error",
}

const traceID = "trace_id"

// ourWords has one thing bear one name, whoever says it.
func ourWords(groups []string, a slog.Attr) slog.Attr {
	if word, ok := theirWords[a.Key]; ok && len(groups) == 0 {
		a.Key = word
	}
	return a
}

type knownKey struct{}

// With adds what every line says that is logged with this context.
func With(ctx context.Context, known ...slog.Attr) context.Context {
	before, _ := ctx.Value(knownKey{}).([]slog.Attr)
	return context.WithValue(ctx, knownKey{}, slices.Concat(before, known))
}

// Knowing adds to each line what its context knows: what With gave it, and the trace.
func Knowing(next slog.Handler) slog.Handler { return knowing{next} }

type knowing struct{ slog.Handler }

// Handle adds it.
func (k knowing) Handle(ctx context.Context, line slog.Record) error {
	known, _ := ctx.Value(knownKey{}).([]slog.Attr)
	span := trace.SpanContextFromContext(ctx)
	if len(known) == 0 && !span.IsValid() {
		return k.Handler.Handle(ctx, line)
	}
	line = line.Clone()
	line.AddAttrs(known...)
	if span.IsValid() {
		line.AddAttrs(slog.String(traceID, span.TraceID().String()))
	}
	return k.Handler.Handle(ctx, line)
}

// WithAttrs keeps knowing.
func (k knowing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return knowing{k.Handler.WithAttrs(attrs)}
}

// WithGroup keeps knowing.
func (k knowing) WithGroup(name string) slog.Handler { return knowing{k.Handler.WithGroup(name)} }
