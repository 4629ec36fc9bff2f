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

// Names has every line that a step logs say whose step it is.
func Names() interceptor.WorkerInterceptor { return &names{} }

type names struct {
	interceptor.WorkerInterceptorBase
}

// InterceptActivity stands around a step.
func (*names) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &namedActivity{interceptor.ActivityInboundInterceptorBase{Next: next}}
}

type namedActivity struct {
	interceptor.ActivityInboundInterceptorBase
}

func (a *namedActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	return a.Next.ExecuteActivity(telemetry.With(ctx,
		slog.String("workflow_id", info.WorkflowExecution.ID), slog.String("run_id", info.WorkflowExecution.RunID),
		slog.String("activity", info.ActivityType.Name), slog.Int("attempt", int(info.Attempt))), in)
}

// problemInterceptor tells Temporal which failures are worth a retry: a problem the
// caller caused is final, anything else is weather. Only the texts of problems may enter
// a history; other errors could hold an address or a secret.
type problemInterceptor struct {
	interceptor.WorkerInterceptorBase
}

func (*problemInterceptor) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &problemActivity{interceptor.ActivityInboundInterceptorBase{Next: next}}
}

type problemActivity struct {
	interceptor.ActivityInboundInterceptorBase
}

func (a *problemActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	out, err := a.Next.ExecuteActivity(ctx, in)
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
}

// Problems is the interceptor that every worker of ours has.
func Problems() interceptor.WorkerInterceptor { return &problemInterceptor{} }
