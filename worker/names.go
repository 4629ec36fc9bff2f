package worker

import (
	"context"
	"log/slog"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"

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
