package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/telemetry"
	"customerzero/internal/platform/testwait"
	"customerzero/worker"
)

// stepEnv is an activity environment with the workers' interceptors.
func stepEnv(around ...interceptor.WorkerInterceptor) *testsuite.TestActivityEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: append(around, worker.Problems())})
	return env
}

// underATrace starts a span around all other interceptors, as the tracer does.
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

// TestActivityLogsNameTheRun is not parallel, because it replaces the process's logger.
func TestActivityLogsNameTheRun(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(telemetry.NewLog(&out, "json", slog.LevelInfo))
	defer slog.SetDefault(before)
	env := stepEnv(&underATrace{}, worker.Names())
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

// Proves: F37, V16.5.1
func TestProblems(t *testing.T) {
	t.Parallel()
	closed := problem.New(problem.PostClosed, "This post is published.")
	weather := temporal.NewApplicationErrorWithOptions("X asks us to wait.", "x_rate_limited",
		temporal.ApplicationErrorOptions{NextRetryDelay: time.Minute})
	const hidden = "the step failed; see the worker's log"
	for name, tt := range map[string]struct {
		err   error
		says  string
		kind  string
		final bool
		delay time.Duration
	}{
		"a problem is final, and its code is the type":    {err: closed, says: "This post is published.", kind: "post_closed", final: true},
		"a wrapped problem shows only its own message":    {err: fmt.Errorf("row 7 of db-1: %w", closed), says: "This post is published.", kind: "post_closed", final: true},
		"a Temporal error is unchanged":                   {err: weather, says: "X asks us to wait.", kind: "x_rate_limited", delay: time.Minute},
		"any other error is retried, without its message": {err: errors.New("password=hunter2 refused"), says: hidden},
		"a timeout shows no other text":                   {err: fmt.Errorf("user=bot host=db-1: %w", context.DeadlineExceeded), says: "context deadline exceeded", kind: "deadlineExceededError"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := stepEnv()
			step := func(_ context.Context, fail bool) error {
				if fail {
					return tt.err
				}
				return nil
			}
			env.RegisterActivity(step)
			must(env.ExecuteActivity(step, false))
			_, err := env.ExecuteActivity(step, true)
			failed, ok := errors.AsType[*temporal.ApplicationError](err)
			require.True(t, ok)
			require.Equal(t, tt.says, failed.Message())
			require.Equal(t, tt.kind, failed.Type())
			require.Equal(t, tt.final, failed.NonRetryable())
			require.Equal(t, tt.delay, failed.NextRetryDelay())
			require.NoError(t, errors.Unwrap(failed), "a cause would enter the history, too")
		})
	}
}

func gather(timings *worker.Timings) []*dto.MetricFamily {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(timings)
	return must(registry.Gather())
}

func TestEveryActivityIsMeasured(t *testing.T) {
	t.Parallel()
	timings := worker.NewTimings()
	env := stepEnv(timings)
	step := func(_ context.Context, fail bool) error {
		if fail {
			return errors.New("weather")
		}
		return nil
	}
	env.RegisterActivity(step)
	for _, fail := range []bool{false, false, true} {
		_, err := env.ExecuteActivity(step, fail)
		require.Equal(t, fail, err != nil)
	}
	must(env.ExecuteLocalActivity(step, false))
	families := gather(timings)
	measured := map[string]uint64{}
	for _, m := range families[0].GetMetric() {
		for _, label := range m.GetLabel() {
			if label.GetName() == "outcome" {
				measured[label.GetValue()] += m.GetHistogram().GetSampleCount()
			}
		}
	}
	require.Equal(t, map[string]uint64{"done": 3, "failed": 1}, measured)
}

func TestEveryWorkflowEndIsCounted(t *testing.T) {
	t.Parallel()
	timings := worker.NewTimings()
	ends := map[string]func(workflow.Context) error{
		"completed": func(workflow.Context) error { return nil },
		"failed":    func(workflow.Context) error { return errors.New("weather") },
		"cancelled": func(workflow.Context) error { return temporal.NewCanceledError() },
		"continued": func(ctx workflow.Context) error { return workflow.NewContinueAsNewError(ctx, "Flow") },
	}
	for _, flow := range ends {
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestWorkflowEnvironment()
		env.SetTestTimeout(testwait.Limit)
		env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{timings}, DeadlockDetectionTimeout: testwait.Limit})
		env.RegisterWorkflowWithOptions(flow, workflow.RegisterOptions{Name: "Flow"})
		env.ExecuteWorkflow("Flow")
		require.True(t, env.IsWorkflowCompleted())
	}
	families := gather(timings)
	require.Len(t, families, 1)
	require.Equal(t, "customerzero_workflows_ended_total", families[0].GetName())
	counted := map[string]float64{}
	for _, m := range families[0].GetMetric() {
		require.Equal(t, "Flow", m.GetLabel()[0].GetValue())
		counted[m.GetLabel()[1].GetValue()] = m.GetCounter().GetValue()
	}
	require.Equal(t, map[string]float64{"completed": 1, "failed": 1, "cancelled": 1, "continued": 1}, counted)
}
