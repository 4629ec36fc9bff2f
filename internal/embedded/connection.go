package embedded

import (
	"context"
	"net"
	"time"

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

// asksAgain lets the SDK repeat what the server gave up before our time was up: that happens while
// its database is restarted, and the SDK takes it for our own deadline, which nobody repeats. Every
// call names itself (a request's ID, an update's ID), so that the server does nothing twice.
func asksAgain(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	if status.Code(err) != codes.DeadlineExceeded || ctx.Err() != nil {
		return err
	}
	if until, bounded := ctx.Deadline(); bounded && time.Until(until) < ownDeadline {
		return err
	}
	return status.Error(codes.Unavailable, status.Convert(err).Message())
}

// ownDeadline is how long before our time is up it may be our deadline that the server keeps to.
const ownDeadline = 200 * time.Millisecond
