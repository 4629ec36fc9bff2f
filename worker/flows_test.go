package worker_test

import (
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"customerzero/internal/platform/testwait"
	"customerzero/worker"
)

func TestEveryEndOfAFlowIsCounted(t *testing.T) {
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
		env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{timings}})
		env.RegisterWorkflowWithOptions(flow, workflow.RegisterOptions{Name: "Flow"})
		env.ExecuteWorkflow("Flow")
		require.True(t, env.IsWorkflowCompleted())
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(timings)
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Equal(t, "customerzero_workflows_ended_total", families[0].GetName())
	counted := map[string]float64{}
	for _, m := range families[0].GetMetric() {
		require.Equal(t, "Flow", m.GetLabel()[0].GetValue())
		counted[m.GetLabel()[1].GetValue()] = m.GetCounter().GetValue()
	}
	require.Equal(t, map[string]float64{"completed": 1, "failed": 1, "cancelled": 1, "continued": 1}, counted)
}
