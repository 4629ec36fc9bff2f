package telemetry

import (
	"context"
	"io"
	"log/slog"
	"slices"

	"go.opentelemetry.io/otel/trace"
)

// NewLog returns a logger that writes text or JSON, with the attributes of each line's context.
func NewLog(out io.Writer, format string, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: rename}
	if format == "json" {
		return slog.New(Knowing(slog.NewJSONHandler(out, options)))
	}
	return slog.New(Knowing(slog.NewTextHandler(out, options)))
}

// renamed maps the keys of Temporal's SDK to ours.
var renamed = map[string]string{
	"WorkflowID": "workflow_id", "RunID": "run_id", "WorkflowType": "workflow", "ActivityType": "activity",
	"Attempt": "attempt", "TraceID": traceID, "SpanID": "span_id", "Error": "error",
}

const traceID = "trace_id"

func rename(groups []string, a slog.Attr) slog.Attr {
	if name, ok := renamed[a.Key]; ok && len(groups) == 0 {
		a.Key = name
	}
	return a
}

type attrsKey struct{}

// With adds attributes to every line that is logged with the returned context.
func With(ctx context.Context, attrs ...slog.Attr) context.Context {
	before, _ := ctx.Value(attrsKey{}).([]slog.Attr)
	return context.WithValue(ctx, attrsKey{}, slices.Concat(before, attrs))
}

// Knowing adds to each line the attributes of its context, from With, and its trace ID.
func Knowing(next slog.Handler) slog.Handler { return contextHandler{next} }

type contextHandler struct{ slog.Handler }

func (k contextHandler) Handle(ctx context.Context, line slog.Record) error {
	attrs, _ := ctx.Value(attrsKey{}).([]slog.Attr)
	span := trace.SpanContextFromContext(ctx)
	if len(attrs) == 0 && !span.IsValid() {
		return k.Handler.Handle(ctx, line)
	}
	line = line.Clone()
	line.AddAttrs(attrs...)
	if span.IsValid() {
		line.AddAttrs(slog.String(traceID, span.TraceID().String()))
	}
	return k.Handler.Handle(ctx, line)
}

func (k contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return contextHandler{k.Handler.WithAttrs(attrs)}
}

func (k contextHandler) WithGroup(name string) slog.Handler {
	return contextHandler{k.Handler.WithGroup(name)}
}
