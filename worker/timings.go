package worker

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Timings measures every activity, including local ones, and counts how workflows end.
type Timings struct {
	around
	took  *prometheus.HistogramVec
	ended *prometheus.CounterVec
}

func NewTimings() *Timings {
	t := &Timings{
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "customerzero_activity_duration_seconds", Help: "Duration of an activity, by activity and outcome.",
			Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 120},
		}, []string{"activity", "outcome"}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "customerzero_workflows_ended_total", Help: "Workflow runs that ended in this worker, by workflow and outcome: completed, continued, cancelled or failed.",
		}, []string{"flow", "outcome"}),
	}
	t.run = t.time
	return t
}

// Describe implements prometheus.Collector.
func (t *Timings) Describe(out chan<- *prometheus.Desc) {
	t.took.Describe(out)
	t.ended.Describe(out)
}

// Collect implements prometheus.Collector.
func (t *Timings) Collect(out chan<- prometheus.Metric) {
	t.took.Collect(out)
	t.ended.Collect(out)
}

func (t *Timings) time(ctx context.Context, next interceptor.ActivityInboundInterceptor, in *interceptor.ExecuteActivityInput) (any, error) {
	began := time.Now()
	out, err := next.ExecuteActivity(ctx, in)
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	t.took.WithLabelValues(activity.GetInfo(ctx).ActivityType.Name, outcome).Observe(time.Since(began).Seconds())
	return out, err
}

// InterceptWorkflow counts the end of a workflow. A run terminated from outside is not counted.
func (t *Timings) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &countedFlow{interceptor.WorkflowInboundInterceptorBase{Next: next}, t.ended}
}

type countedFlow struct {
	interceptor.WorkflowInboundInterceptorBase
	ended *prometheus.CounterVec
}

// ExecuteWorkflow counts an end once: a replayed run was counted before.
func (f *countedFlow) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	out, err := f.Next.ExecuteWorkflow(ctx, in)
	if !workflow.IsReplaying(ctx) {
		f.ended.WithLabelValues(workflow.GetInfo(ctx).WorkflowType.Name, outcomeOf(err)).Inc()
	}
	return out, err
}

func outcomeOf(err error) string {
	if _, again := errors.AsType[*workflow.ContinueAsNewError](err); again {
		return "continued"
	}
	switch {
	case err == nil:
		return "completed"
	case temporal.IsCanceledError(err):
		return "cancelled"
	default:
		return "failed"
	}
}
