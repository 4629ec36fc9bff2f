package launcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"customerzero/internal/platform/ports"
)

// readyPoll is short because start-up is measured.
const readyPoll = 10 * time.Millisecond

// ready returns when the namespace can be used.
func (c *child) ready(ctx context.Context, o Options) error {
	select {
	case <-c.serving:
	case <-c.done:
		return c.failure()
	case <-ctx.Done():
		return fmt.Errorf("the Temporal server does not start: %w", context.Cause(ctx))
	}
	address := ports.HostPort(o.Host, o.Port)
	server, err := client.NewLazyClient(client.Options{
		HostPort: address, Namespace: o.Namespace, ConnectionOptions: Connection(address),
		Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		return err
	}
	defer server.Close()
	return c.awaitNamespace(ctx, server.WorkflowService(), o.Namespace)
}

// awaitNamespace asks for something that needs the namespace: the health check says SERVING
// before the server knows it.
func (c *child) awaitNamespace(ctx context.Context, server workflowservice.WorkflowServiceClient, namespace string) error {
	retry := time.NewTicker(readyPoll)
	defer retry.Stop()
	for {
		err := probe(ctx, server, namespace)
		if err == nil {
			return nil
		}
		select {
		case <-c.done:
			return c.failure()
		case <-ctx.Done():
			return fmt.Errorf("the Temporal server does not answer: %w", errors.Join(context.Cause(ctx), err))
		case <-retry.C:
		}
	}
}

func probe(ctx context.Context, server workflowservice.WorkflowServiceClient, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := server.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace:     namespace,
		TaskQueue:     &taskqueue.TaskQueue{Name: "probe"},
		TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	return err
}
