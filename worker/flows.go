package worker

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// InterceptWorkflow waits for the end of a flow. What a console ended by force does not pass here.
func (t *Timings) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &countedFlow{interceptor.WorkflowInboundInterceptorBase{Next: next}, t.ended}
}

type countedFlow struct {
	interceptor.WorkflowInboundInterceptorBase
	ended *prometheus.CounterVec
}

// ExecuteWorkflow counts an end once: a run that is replayed has been counted before.
func (f *countedFlow) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	out, err := f.Next.ExecuteWorkflow(ctx, in)
	if !workflow.IsReplaying(ctx) {
		f.ended.WithLabelValues(workflow.GetInfo(ctx).WorkflowType.Name, outcomeOf(err)).Inc()
	}
	return out, err
}

// outcomeOf says in a word how a flow ended.
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
