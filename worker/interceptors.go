package worker

import (
	"context"
	"errors"
	"log/slog"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/telemetry"
)

// around wraps the execution of activities; run calls next.
type around struct {
	interceptor.WorkerInterceptorBase
	run func(ctx context.Context, next interceptor.ActivityInboundInterceptor, in *interceptor.ExecuteActivityInput) (any, error)
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (a *around) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &aroundActivity{interceptor.ActivityInboundInterceptorBase{Next: next}, a}
}

type aroundActivity struct {
	interceptor.ActivityInboundInterceptorBase
	*around
}

func (a *aroundActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	return a.run(ctx, a.Next, in)
}

// Names adds the activity and its run to every log entry of an activity.
func Names() interceptor.WorkerInterceptor {
	return &around{run: func(ctx context.Context, next interceptor.ActivityInboundInterceptor, in *interceptor.ExecuteActivityInput) (any, error) {
		info := activity.GetInfo(ctx)
		return next.ExecuteActivity(telemetry.With(ctx,
			slog.String("workflow_id", info.WorkflowExecution.ID), slog.String("run_id", info.WorkflowExecution.RunID),
			slog.String("activity", info.ActivityType.Name), slog.Int("attempt", int(info.Attempt))), in)
	}}
}

// Problems decides which failures Temporal retries: a problem caused by the caller is final, other
// errors are retried. Only the messages of problems enter a history; other errors could contain an
// address or a secret.
func Problems() interceptor.WorkerInterceptor {
	return &around{run: func(ctx context.Context, next interceptor.ActivityInboundInterceptor, in *interceptor.ExecuteActivityInput) (any, error) {
		out, err := next.ExecuteActivity(ctx, in)
		if err == nil {
			return out, nil
		}
		if p, ok := errors.AsType[*problem.Error](err); ok {
			return out, temporal.NewNonRetryableApplicationError(p.Message, string(p.Code), nil)
		}
		if _, ok := errors.AsType[*temporal.ApplicationError](err); ok {
			return out, err
		}
		return out, hide(ctx, err)
	}}
}

// hide logs an unexpected error and returns one without details for the history.
func hide(ctx context.Context, err error) error {
	for _, ended := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, ended) {
			return ended // without its wrapping, which may contain an address
		}
	}
	slog.WarnContext(ctx, "activity failed; it is retried if its policy allows", "error", err)
	return errors.New("the step failed; see the worker's log")
}
