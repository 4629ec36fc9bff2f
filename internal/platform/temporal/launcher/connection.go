package launcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"customerzero/internal/platform/ports"
)

// Connection returns the options of a connection to an address. On loopback it disables the SDK's gzip compression,
// which costs time and a megabyte of memory.
func Connection(address string) client.ConnectionOptions {
	options := client.ConnectionOptions{
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(retry)},
	}
	host, _, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		options.GrpcCompression = &client.GrpcCompressionNone{}
	}
	return options
}

// retry repeats calls that the server refused temporarily. Calls have a request or update ID, so that the server
// executes none twice.
//
// A run that is not ready has dropped its callers because a workflow task failed, often temporarily: the call is
// repeated 4 times. A DeadlineExceeded before the caller's deadline comes from the server while its database
// restarts: it becomes Unavailable, which the SDK retries.
func retry(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	for pause := firstWait; isNotReady(err) && pause <= lastWait && waited(ctx, pause); pause *= 2 {
		err = invoke(ctx, method, req, reply, cc, opts...)
	}
	if status.Code(err) != codes.DeadlineExceeded || ctx.Err() != nil {
		return err
	}
	if until, bounded := ctx.Deadline(); bounded && time.Until(until) < ownDeadline {
		return err
	}
	return status.Error(codes.Unavailable, status.Convert(err).Message())
}

const (
	// ownDeadline is the time before the caller's deadline in which the server may have applied that deadline.
	ownDeadline = 200 * time.Millisecond
	// A run that is not ready is called 5 times within 1.5 s.
	firstWait = 100 * time.Millisecond
	lastWait  = 800 * time.Millisecond
)

// isNotReady also checks both operations of an update-with-start.
func isNotReady(err error) bool {
	if err == nil {
		return false
	}
	cause := serviceerror.FromStatus(status.Convert(err))
	if both, ok := errors.AsType[*serviceerror.MultiOperationExecution](cause); ok {
		cause = errors.Join(both.OperationErrors()...)
	}
	_, ok := errors.AsType[*serviceerror.WorkflowNotReady](cause)
	return ok
}

// waited returns false if ctx ends during the pause.
func waited(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// readyPoll is short, because the start has a time limit in the benchmarks.
const readyPoll = 10 * time.Millisecond

// ready returns when the namespace is usable.
func (c *child) ready(ctx context.Context, o Options) error {
	select {
	case <-c.serving:
	case <-c.done:
		return c.failure()
	case <-ctx.Done():
		return fmt.Errorf("the Temporal server did not start: %w", context.Cause(ctx))
	}
	address := ports.HostPort(host, o.Port)
	server, err := client.NewLazyClient(Quietly(address, o.Namespace))
	if err != nil {
		return err
	}
	defer server.Close()
	return c.awaitNamespace(ctx, server.WorkflowService(), o.Namespace)
}

// Quietly returns the options of a client that logs nothing.
func Quietly(address, namespace string) client.Options {
	return client.Options{
		HostPort: address, Namespace: namespace, ConnectionOptions: Connection(address),
		Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	}
}

// awaitNamespace waits until the namespace is usable: the health check reports SERVING earlier.
func (c *child) awaitNamespace(ctx context.Context, server workflowservice.WorkflowServiceClient, namespace string) error {
	ticker := time.NewTicker(readyPoll)
	defer ticker.Stop()
	for {
		err := Usable(ctx, server, namespace, time.Second)
		if err == nil {
			return nil
		}
		select {
		case <-c.done:
			return c.failure()
		case <-ctx.Done():
			return fmt.Errorf("the Temporal server does not respond: %w", errors.Join(context.Cause(ctx), err))
		case <-ticker.C:
		}
	}
}

// Usable makes a call that fails if the namespace is not usable.
func Usable(ctx context.Context, server workflowservice.WorkflowServiceClient, namespace string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := server.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace:     namespace,
		TaskQueue:     &taskqueue.TaskQueue{Name: "probe"},
		TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	return err
}

// EnsureSearchAttributes adds missing custom search attributes to a namespace and waits until the server uses them,
// which takes some seconds. Several processes may call it concurrently. An attribute of another type is an error.
func EnsureSearchAttributes(ctx context.Context, c client.Client, namespace string, want map[string]enums.IndexedValueType) error {
	missing, err := missingAttributes(ctx, c, namespace, want)
	if err != nil || len(missing) == 0 {
		return err
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace, SearchAttributes: missing,
	})
	if _, ok := errors.AsType[*serviceerror.AlreadyExists](err); ok { // another process was faster
		left, err := missingAttributes(ctx, c, namespace, want)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return fmt.Errorf("the search attributes %v are still missing", left)
		}
		return awaitAttributes(ctx, c, namespace, missing)
	}
	if err != nil {
		return fmt.Errorf("add search attributes to %s: %w", namespace, err)
	}
	return awaitAttributes(ctx, c, namespace, missing)
}

// knownWithin exceeds the lifetime of the server's namespace cache.
const knownWithin = 30 * time.Second

// awaitAttributes queries each attribute until the server accepts it.
func awaitAttributes(ctx context.Context, c client.Client, namespace string, added map[string]enums.IndexedValueType) error {
	ctx, cancel := context.WithTimeoutCause(ctx, knownWithin, errors.New("the server does not use its new search attributes"))
	defer cancel()
	for name := range added {
		for {
			_, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace, Query: name + " IS NOT NULL"})
			if err == nil {
				break
			}
			if _, unknown := errors.AsType[*serviceerror.InvalidArgument](err); !unknown {
				return fmt.Errorf("query runs by %s: %w", name, err)
			}
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

func missingAttributes(ctx context.Context, c client.Client, namespace string, want map[string]enums.IndexedValueType) (map[string]enums.IndexedValueType, error) {
	have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil, fmt.Errorf("list search attributes of %s: %w", namespace, err)
	}
	missing := map[string]enums.IndexedValueType{}
	for name, kind := range want {
		switch found, ok := have.CustomAttributes[name]; {
		case !ok:
			missing[name] = kind
		case found != kind:
			return nil, fmt.Errorf("search attribute %s is %s on the server, not %s", name, found, kind)
		}
	}
	return missing, nil
}
