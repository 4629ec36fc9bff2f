package launcher_test

import (
	"context"
	"maps"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/update/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"customerzero/internal/platform/temporal/launcher"
	"customerzero/internal/platform/testwait"
)

// hesitant refuses the first calls: signals exceed their deadline, as while the database restarts, and updates find
// the run not ready, as after a failed workflow task.
type hesitant struct {
	workflowservice.UnimplementedWorkflowServiceServer
	refusals, calls atomic.Int64
	ids             chan string
}

var errNotReady = serviceerror.NewWorkflowNotReady("a task failed")

// refuses records the call's ID and reports whether to refuse it.
func (h *hesitant) refuses(name string) bool {
	h.ids <- name
	return h.calls.Add(1) <= h.refusals.Load()
}

func (*hesitant) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func (h *hesitant) SignalWorkflowExecution(_ context.Context, req *workflowservice.SignalWorkflowExecutionRequest) (*workflowservice.SignalWorkflowExecutionResponse, error) {
	if h.refuses(req.GetRequestId()) {
		return nil, status.Error(codes.DeadlineExceeded, "context deadline exceeded")
	}
	return &workflowservice.SignalWorkflowExecutionResponse{}, nil
}

func (h *hesitant) UpdateWorkflowExecution(_ context.Context, req *workflowservice.UpdateWorkflowExecutionRequest) (*workflowservice.UpdateWorkflowExecutionResponse, error) {
	if h.refuses(req.GetRequest().GetMeta().GetUpdateId()) {
		return nil, serviceerror.ToStatus(errNotReady).Err()
	}
	return done(req), nil
}

func (h *hesitant) ExecuteMultiOperation(_ context.Context, req *workflowservice.ExecuteMultiOperationRequest) (*workflowservice.ExecuteMultiOperationResponse, error) {
	change := req.GetOperations()[1].GetUpdateWorkflow()
	if h.refuses(change.GetRequest().GetMeta().GetUpdateId()) {
		both := []error{serviceerror.NewMultiOperationAborted("not started"), errNotReady}
		return nil, serviceerror.ToStatus(serviceerror.NewMultiOperationExecution("neither", both)).Err()
	}
	return &workflowservice.ExecuteMultiOperationResponse{Responses: []*workflowservice.ExecuteMultiOperationResponse_Response{
		{Response: &workflowservice.ExecuteMultiOperationResponse_Response_StartWorkflow{StartWorkflow: &workflowservice.StartWorkflowExecutionResponse{RunId: "run"}}},
		{Response: &workflowservice.ExecuteMultiOperationResponse_Response_UpdateWorkflow{UpdateWorkflow: done(change)}},
	}}, nil
}

func done(req *workflowservice.UpdateWorkflowExecutionRequest) *workflowservice.UpdateWorkflowExecutionResponse {
	return &workflowservice.UpdateWorkflowExecutionResponse{
		UpdateRef: &update.UpdateRef{WorkflowExecution: req.GetWorkflowExecution(), UpdateId: req.GetRequest().GetMeta().GetUpdateId()},
		Stage:     enums.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED,
		Outcome:   &update.Outcome{Value: &update.Outcome_Success{Success: &common.Payloads{}}},
	}
}

func startHesitant(t *testing.T, refusals int64) (*hesitant, client.Client) {
	t.Helper()
	h := &hesitant{ids: make(chan string, 1000)}
	h.refusals.Store(refusals)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(server, h)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	address := listener.Addr().String()
	c, err := client.NewLazyClient(client.Options{HostPort: address, ConnectionOptions: launcher.Connection(address)})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return h, c
}

// updates are the two ways to update a run.
var updates = map[string]func(context.Context, client.Client) error{
	"a run": func(ctx context.Context, c client.Client) error {
		_, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
			WorkflowID: "flow", UpdateName: "change", WaitForStage: client.WorkflowUpdateStageCompleted,
		})
		return err
	},
	"a run that is started with the update": func(ctx context.Context, c client.Client) error {
		_, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
			StartWorkflowOperation: c.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
				ID: "flow", TaskQueue: "queue", WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
			}, "Flow"),
			UpdateOptions: client.UpdateWorkflowOptions{UpdateName: "change", WaitForStage: client.WorkflowUpdateStageCompleted},
		})
		return err
	},
}

func TestWhatIsRefusedForAMomentIsAskedAgainByTheSameName(t *testing.T) {
	t.Parallel()
	all := maps.Clone(updates)
	all["a signal whose deadline the server exceeds too early"] = func(ctx context.Context, c client.Client) error {
		return c.SignalWorkflow(ctx, "flow", "", "signal", nil)
	}
	for what, call := range all {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h, c := startHesitant(t, 4)
			ctx, cancel := context.WithTimeout(t.Context(), testwait.Limit)
			defer cancel()
			require.NoError(t, call(ctx, c))
			require.Len(t, h.ids, 5)
			first := <-h.ids
			require.NotEmpty(t, first)
			for range 4 {
				require.Equal(t, first, <-h.ids)
			}
		})
	}
}

func TestARunThatStaysNotReadySaysSo(t *testing.T) {
	t.Parallel()
	for what, call := range updates {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h, c := startHesitant(t, 1<<40)
			require.ErrorAs(t, call(t.Context(), c), new(*serviceerror.WorkflowNotReady))
			require.Len(t, h.ids, 5)
		})
	}
}

func TestNobodyIsAskedLongerThanTheCallerWaits(t *testing.T) {
	t.Parallel()
	_, c := startHesitant(t, 1<<40)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := c.SignalWorkflow(ctx, "flow", "", "signal", nil)
	require.ErrorAs(t, err, new(*serviceerror.DeadlineExceeded), "the caller's own deadline")
	require.NotErrorAs(t, err, new(*serviceerror.NotFound))
}
