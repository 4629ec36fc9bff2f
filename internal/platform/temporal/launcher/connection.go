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

// Connection is how a client speaks to the server at an address. On the way to this very
// machine nothing is compressed, as the SDK would: that costs time, and a megabyte for
// gzip's tables.
func Connection(address string) client.ConnectionOptions {
	options := client.ConnectionOptions{
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(asksAgain)},
	}
	host, _, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		options.GrpcCompression = &client.GrpcCompressionNone{}
	}
	return options
}

// asksAgain repeats what the server refused for a moment. Every call names itself (a request's ID, an
// update's ID), so that the server does nothing twice.
//
// What the server gave up before our time was up is left to the SDK to repeat: that happens while its
// database is restarted, and the SDK would take it for our own deadline, which nobody repeats. A run
// that is not ready has dropped its callers together with a task that failed, often by no fault of
// either; whether it stays so is seen within some tries.
func asksAgain(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
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
	// ownDeadline is how long before our time is up it may be our deadline that the server keeps to.
	ownDeadline = 200 * time.Millisecond
	// A run that is not ready is asked five times within a second and a half.
	firstWait = 100 * time.Millisecond
	lastWait  = 800 * time.Millisecond
)

// isNotReady looks into both operations of a call that starts a run and asks it something.
func isNotReady(err error) bool {
	if err == nil {
		return false
	}
	told := serviceerror.FromStatus(status.Convert(err))
	if both, ok := errors.AsType[*serviceerror.MultiOperationExecution](told); ok {
		told = errors.Join(both.OperationErrors()...)
	}
	_, ok := errors.AsType[*serviceerror.WorkflowNotReady](told)
	return ok
}

// waited says whether the caller is still there.
func waited(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

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
	address := ports.HostPort(host, o.Port)
	server, err := client.NewLazyClient(Quietly(address, o.Namespace))
	if err != nil {
		return err
	}
	defer server.Close()
	return c.awaitNamespace(ctx, server.WorkflowService(), o.Namespace)
}

// Quietly are the options of a client that logs nothing.
func Quietly(address, namespace string) client.Options {
	return client.Options{
		HostPort: address, Namespace: namespace, ConnectionOptions: Connection(address),
		Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	}
}

// awaitNamespace waits until the namespace can be used: the health check says SERVING before
// the server knows it.
func (c *child) awaitNamespace(ctx context.Context, server workflowservice.WorkflowServiceClient, namespace string) error {
	retry := time.NewTicker(readyPoll)
	defer retry.Stop()
	for {
		err := Usable(ctx, server, namespace, time.Second)
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

// Usable asks for something that needs the namespace.
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

// EnsureSearchAttributes adds the custom search attributes that the namespace lacks. It serves
// the embedded server and a cluster alike, and may be called by several processes at once.
// An attribute of another type is an error, as no query would find what it expects. It returns when
// the server knows what it added: its services look for changes every few seconds.
func EnsureSearchAttributes(ctx context.Context, c client.Client, namespace string, want map[string]enums.IndexedValueType) error {
	missing, err := missingAttributes(ctx, c, namespace, want)
	if err != nil || len(missing) == 0 {
		return err
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace, SearchAttributes: missing,
	})
	if _, ok := errors.AsType[*serviceerror.AlreadyExists](err); ok { // somebody else was faster
		left, err := missingAttributes(ctx, c, namespace, want)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return fmt.Errorf("search attributes %v keep missing", left)
		}
		return awaitAttributes(ctx, c, namespace, missing)
	}
	if err != nil {
		return fmt.Errorf("add search attributes to %s: %w", namespace, err)
	}
	return awaitAttributes(ctx, c, namespace, missing)
}

// knownWithin is longer than the server's caches keep a namespace as it was.
const knownWithin = 30 * time.Second

// awaitAttributes asks for runs by each attribute until the server knows what is meant.
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
				return fmt.Errorf("ask for runs by %s: %w", name, err)
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
