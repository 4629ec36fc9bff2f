package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/internal/platform/telemetry"
	"customerzero/worker"
)

// underATrace stands where the tracer stands: around all others.
type underATrace struct {
	interceptor.WorkerInterceptorBase
	interceptor.ActivityInboundInterceptorBase
}

func (u *underATrace) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	u.Next = next
	return u
}

func (u *underATrace) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	return u.Next.ExecuteActivity(trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2},
	})), in)
}

// It has the log of the process to itself, and is not parallel.
func TestEveryLineOfAStepSaysWhoseItIs(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(telemetry.NewLog(&out, "json", slog.LevelInfo))
	defer slog.SetDefault(before)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{&underATrace{}, worker.Names(), worker.Problems()}})
	step := func(ctx context.Context) error {
		slog.WarnContext(ctx, "a line of ours")
		return errors.New("weather")
	}
	env.RegisterActivity(step)
	_, err := env.ExecuteActivity(step)
	require.Error(t, err)

	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2, "its own, and that it failed")
	for _, line := range lines {
		var said map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &said), line)
		require.Equal(t, "default-test-workflow-id", said["workflow_id"])
		require.Equal(t, "default-test-run-id", said["run_id"])
		require.NotEmpty(t, said["activity"])
		require.InDelta(t, 1, said["attempt"], 0)
		require.Equal(t, "01000000000000000000000000000000", said["trace_id"])
		require.Equal(t, 1, strings.Count(line, `"workflow_id"`), line)
	}
}
