package journeys_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/protobuf/types/known/durationpb"

	"customerzero/internal/platform/temporal/launcher"
	"customerzero/internal/platform/testwait"
	"customerzero/workflows"
)

const patience = testwait.Limit

// eventually waits for a condition, and says which part of it was never met.
func eventually(t *testing.T, condition func(c *assert.CollectT)) {
	t.Helper()
	require.EventuallyWithT(t, condition, patience, 20*time.Millisecond)
}

// newNamespace makes a part of the server that no other world's worker looks into: they
// all ask for tasks under the same name.
func newNamespace(t *testing.T, server *launcher.Server) string {
	t.Helper()
	logger := sdklog.NewStructuredLogger(slog.Default())
	admin, err := client.NewNamespaceClient(client.Options{HostPort: server.Address(), Logger: logger})
	require.NoError(t, err)
	defer admin.Close()
	name := "journey-" + xid.New().String()
	require.NoError(t, admin.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}))
	awaitNamespace(t, dial(t, server, name), name)
	return name
}

// awaitNamespace returns when every part of the server knows the namespace and its attributes.
func awaitNamespace(t *testing.T, c client.Client, name string) {
	t.Helper()
	eventually(t, func(a *assert.CollectT) {
		require.NoError(a, launcher.EnsureSearchAttributes(t.Context(), c, name, workflows.SearchAttributes()))
		_, err := c.DescribeTaskQueue(t.Context(), workflows.QueueCore, enums.TASK_QUEUE_TYPE_WORKFLOW)
		require.NoError(a, err)
		_, err = c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Query: `Flow="post"`})
		require.NoError(a, err)
	})
}
