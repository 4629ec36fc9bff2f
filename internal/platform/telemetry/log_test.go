package telemetry

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	sdklog "go.temporal.io/sdk/log"
)

// lines parses a JSON log.
func lines(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var logged map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &logged), line)
		all = append(all, logged)
	}
	return all
}

func TestALineSaysWhatItsContextKnows(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := NewLog(&out, "json", slog.LevelInfo)
	request := With(t.Context(), slog.String("request_id", "r1"))
	tracer, _ := tracer(t, Options{Share: 0})
	traced, span := tracer.Start(request, "GET /api/posts")
	step := With(traced, slog.String("workflow_id", "post:1"), slog.Int("attempt", 2))
	sibling := With(traced, slog.String("workflow_id", "post:2"))

	log.InfoContext(t.Context(), "alone")
	log.InfoContext(request, "asked")
	log.With("more", 1).InfoContext(step, "a step\nof two lines", "error", "what happened")
	log.InfoContext(sibling, "another")
	log.DebugContext(step, "below the level")

	logged := lines(t, out.String())
	require.Len(t, logged, 4)
	require.NotContains(t, logged[0], "request_id")
	require.NotContains(t, logged[0], "trace_id")
	require.Equal(t, "r1", logged[1]["request_id"])
	require.NotContains(t, logged[1], "trace_id")
	require.Subset(t, logged[2], map[string]any{
		"request_id": "r1", "workflow_id": "post:1", "attempt": 2.0, "more": 1.0,
		"trace_id": span.SpanContext().TraceID().String(), "error": "what happened",
	}, "the trace ID is logged even if the trace is not recorded")
	require.Equal(t, "post:2", logged[3]["workflow_id"])
}

// TestTheLogOfARunUsesOurWords: the SDK's logger of a run uses other keys.
func TestTheLogOfARunUsesOurWords(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	run := sdklog.With(sdklog.NewStructuredLogger(NewLog(&out, "json", slog.LevelInfo)),
		"WorkflowID", "post:1", "RunID", "run", "WorkflowType", "Post", "Attempt", 1, "TraceID", trace.TraceID{1})
	run.Warn("the run was not woken", "reason", "it is asleep")
	require.Subset(t, lines(t, out.String())[0], map[string]any{
		"workflow_id": "post:1", "run_id": "run", "workflow": "Post", "attempt": 1.0,
		"trace_id": "01000000000000000000000000000000", "reason": "it is asleep",
	})
}

func TestTextIsForPeople(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	NewLog(&out, "text", slog.LevelInfo).InfoContext(With(t.Context(), slog.String("request_id", "r1")), "asked")
	require.Contains(t, out.String(), "level=INFO msg=asked request_id=r1")
}
