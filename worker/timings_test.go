package worker_test

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/worker"
)

func TestEveryStepIsMeasured(t *testing.T) {
	t.Parallel()
	timings := worker.NewTimings()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{timings, worker.Problems()}})
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
	_, err := env.ExecuteLocalActivity(step, false)
	require.NoError(t, err)

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(timings)
	families, err := registry.Gather()
	require.NoError(t, err)
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
