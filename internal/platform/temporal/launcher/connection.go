package launcher

import (
	"context"
	"errors"
	"net"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
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
