package embedded_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"customerzero/internal/embedded"
)

// hesitant gives up on signals at first, as a Temporal does whose database is restarted.
type hesitant struct {
	workflowservice.UnimplementedWorkflowServiceServer
	gives, asked atomic.Int64
	names        chan string
}

func (*hesitant) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func (h *hesitant) SignalWorkflowExecution(_ context.Context, req *workflowservice.SignalWorkflowExecutionRequest) (*workflowservice.SignalWorkflowExecutionResponse, error) {
	h.names <- req.GetRequestId()
	if h.asked.Add(1) <= h.gives.Load() {
		return nil, status.Error(codes.DeadlineExceeded, "context deadline exceeded")
	}
	return &workflowservice.SignalWorkflowExecutionResponse{}, nil
}

func startHesitant(t *testing.T, gives int64) (*hesitant, client.Client) {
	t.Helper()
	h := &hesitant{names: make(chan string, 1000)}
	h.gives.Store(gives)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(server, h)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	address := listener.Addr().String()
	c, err := client.NewLazyClient(client.Options{HostPort: address, ConnectionOptions: embedded.Connection(address)})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return h, c
}

func TestWhatTemporalGaveUpTooEarlyIsAskedAgainByTheSameName(t *testing.T) {
	t.Parallel()
	h, c := startHesitant(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, c.SignalWorkflow(ctx, "flow", "", "signal", nil))
	require.Len(t, h.names, 4)
	first := <-h.names
	require.NotEmpty(t, first)
	for range 3 {
		require.Equal(t, first, <-h.names)
	}
}

func TestNobodyIsAskedLongerThanTheCallerWaits(t *testing.T) {
	t.Parallel()
	_, c := startHesitant(t, 1<<40)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	began := time.Now()
	err := c.SignalWorkflow(ctx, "flow", "", "signal", nil)
	require.Error(t, err)
	require.Less(t, time.Since(began), 5*time.Second)
	require.NotErrorAs(t, err, new(*serviceerror.NotFound))
}
