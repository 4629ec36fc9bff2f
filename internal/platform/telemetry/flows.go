package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.temporal.io/sdk/client"
	temporaltrace "go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"
)

// Flows makes a Temporal client, and the workers that use it, carry traces into runs and their
// steps. Without a tracer it is nothing.
func Flows() []interceptor.ClientInterceptor {
	if !On() {
		return nil
	}
	tracing, err := temporaltrace.NewTracingInterceptor(temporaltrace.TracerOptions{
		Tracer:            otel.Tracer(scope),
		TextMapPropagator: propagation.TraceContext{}, // no baggage: strangers could fill it
		DisableBaggage:    true, AllowInvalidParentSpans: true,
	})
	if err != nil {
		slog.Warn("runs are not traced", "error", err)
		return nil
	}
	return []interceptor.ClientInterceptor{flows{tracing}}
}

// flows is the library's interceptor, but for schedules.
type flows struct{ interceptor.Interceptor }

// InterceptClient puts it around a client.
func (f flows) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	return &outbound{ClientOutboundInterceptor: f.Interceptor.InterceptClient(next), plain: next}
}

type outbound struct {
	interceptor.ClientOutboundInterceptor
	plain interceptor.ClientOutboundInterceptor
}

// CreateSchedule leaves no trace in the schedule: all its runs, for months, would belong to the
// request that made it.
func (o *outbound) CreateSchedule(ctx context.Context, in *interceptor.ScheduleClientCreateInput) (client.ScheduleHandle, error) {
	return o.plain.CreateSchedule(ctx, in)
}
