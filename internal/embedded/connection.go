package embedded

import (
	"net"

	"go.temporal.io/sdk/client"
)

// Connection is how a client speaks to the server at an address. On the way to this very
// machine nothing is compressed, as the SDK would: that costs time, and a megabyte for
// gzip's tables.
func Connection(address string) client.ConnectionOptions {
	host, _, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return client.ConnectionOptions{GrpcCompression: &client.GrpcCompressionNone{}}
	}
	return client.ConnectionOptions{}
}
