package worker_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"

	"customerzero/worker"
)

func TestABuildThatNobodyNamedIsNamedByItsProgram(t *testing.T) {
	t.Parallel()
	require.Equal(t, worker.Deployment{Name: "customerzero", Build: "v7"}, must(worker.NewDeployment("customerzero", "v7")))
	require.Regexp(t, "^[0-9a-f]{12}$", must(worker.NewDeployment("customerzero", "")).Build)
	require.Zero(t, must(worker.NewDeployment("", "v7")))
}

// starts notes how a run was asked for.
type starts struct {
	interceptor.ClientOutboundInterceptorBase
	eager bool
}

func (s *starts) ExecuteWorkflow(_ context.Context, in *interceptor.ClientExecuteWorkflowInput) (client.WorkflowRun, error) {
	s.eager = in.Options.EnableEagerStart
	return client.WorkflowRun(nil), nil
}

func TestInADeploymentNoRunBeginsWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	require.Empty(t, worker.Deployment{}.Interceptors())
	asked := &starts{}
	var chain interceptor.ClientOutboundInterceptor = asked
	for _, i := range (worker.Deployment{Name: "customerzero", Build: "1"}).Interceptors() {
		chain = i.InterceptClient(chain)
	}
	_, err := chain.ExecuteWorkflow(t.Context(), &interceptor.ClientExecuteWorkflowInput{
		Options: &client.StartWorkflowOptions{EnableEagerStart: true},
	})
	require.NoError(t, err)
	require.False(t, asked.eager)
}
