package launcher

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
)

func TestOnlyWhatLeavesTheMachineIsCompressed(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:7233", "[::1]:7233", "localhost:7233"} {
		require.Equal(t, &client.GrpcCompressionNone{}, Connection(address).GrpcCompression, address)
	}
	for _, address := range []string{"temporal:7233", "10.0.0.4:7233", "temporal.example.com:443", ""} {
		require.Nil(t, Connection(address).GrpcCompression, "%q: the SDK's own choice, gzip", address)
	}
}
