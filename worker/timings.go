package worker

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// Timings measures every step, local ones too: what a request took beyond its steps was
// spent between them, in Temporal.
type Timings struct {
	interceptor.WorkerInterceptorBase
	took *prometheus.HistogramVec
}

// Collector is what was measured.
func (t *Timings) Collector() prometheus.Collector { return t.took }

// NewTimings has measured nothing yet.
func NewTimings() *Timings {
	return &Timings{took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "activity_duration_seconds", Help: "Time of a step, by activity and outcome.",
		Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10},
	}, []string{"activity", "outcome"})}
}

// InterceptActivity puts the watch around a step.
func (t *Timings) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &timedActivity{interceptor.ActivityInboundInterceptorBase{Next: next}, t.took}
}

type timedActivity struct {
	interceptor.ActivityInboundInterceptorBase
	took *prometheus.HistogramVec
}

func (a *timedActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	began := time.Now()
	out, err := a.Next.ExecuteActivity(ctx, in)
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	a.took.WithLabelValues(activity.GetInfo(ctx).ActivityType.Name, outcome).Observe(time.Since(began).Seconds())
	return out, err
}
