package worker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/internal/domain/problem"
	"customerzero/worker"
)

// run runs an activity that ends so, the way our workers do.
func run(t *testing.T, ending error) error {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{worker.Problems()}})
	step := func(context.Context) (string, error) { return "done", ending }
	env.RegisterActivity(step)
	_, err := env.ExecuteActivity(step)
	return err
}

// Proves: F37, V16.5.1
func TestProblems(t *testing.T) {
	t.Parallel()
	closed := problem.New(problem.PostClosed, "This post is published.")
	weather := temporal.NewApplicationErrorWithOptions("X asks us to wait.", "x_rate_limited",
		temporal.ApplicationErrorOptions{NextRetryDelay: time.Minute})
	const hidden = "the step failed; the worker's log says why"
	for name, tt := range map[string]struct {
		err   error
		says  string
		kind  string
		final bool
		delay time.Duration
	}{
		"a problem is final, and its code is the type":  {err: closed, says: "This post is published.", kind: "post_closed", final: true},
		"a wrapped problem says no more than its own":   {err: fmt.Errorf("row 7 of db-1: %w", closed), says: "This post is published.", kind: "post_closed", final: true},
		"an error made for Temporal stays as it is":     {err: weather, says: "X asks us to wait.", kind: "x_rate_limited", delay: time.Minute},
		"any other error is tried again, and says less": {err: errors.New("password=hunter2 refused"), says: hidden},
		"a step out of time says only that":             {err: fmt.Errorf("user=bot host=db-1: %w", context.DeadlineExceeded), says: "context deadline exceeded", kind: "deadlineExceededError"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed, ok := errors.AsType[*temporal.ApplicationError](run(t, tt.err))
			require.True(t, ok)
			require.Equal(t, tt.says, failed.Message())
			require.Equal(t, tt.kind, failed.Type())
			require.Equal(t, tt.final, failed.NonRetryable())
			require.Equal(t, tt.delay, failed.NextRetryDelay())
			require.NoError(t, errors.Unwrap(failed), "a cause would enter the history, too")
		})
	}
}

func TestSuccessPassesThrough(t *testing.T) {
	t.Parallel()
	require.NoError(t, run(t, nil))
}
