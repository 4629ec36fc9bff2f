package worker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/worker"
)

func TestDefaultBuildName(t *testing.T) {
	t.Parallel()
	require.Equal(t, worker.Deployment{Name: "customerzero", Build: "v7"}, must(worker.NewDeployment("customerzero", "v7")))
	require.Regexp(t, "^[0-9a-f]{12}$", must(worker.NewDeployment("customerzero", "")).Build)
	require.Zero(t, must(worker.NewDeployment("", "v7")))
}
