package node

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPortsAreClaimed(t *testing.T) {
	t.Parallel()
	ports, err := ClaimPorts("127.0.0.1", 4)
	require.NoError(t, err)
	require.Len(t, ports.Numbers, 4)
	base := ports.Numbers[0] - 1
	for i, port := range ports.Numbers {
		require.Equal(t, base+1+i, port)
		require.Less(t, port, 32_768, "the system may give such a port to a connection before the server binds it")
		require.NoError(t, checkPort("127.0.0.1", port), "to bind it is the server's")
	}
	_, err = claimBlock("127.0.0.1", base, 4)
	require.Error(t, err, "a block has one owner, though nobody has bound a port of it")

	ports.Release()
	again, err := claimBlock("127.0.0.1", base, 4)
	require.NoError(t, err)
	again.Release()
}

func TestABlockWithATakenPortIsNotGiven(t *testing.T) {
	t.Parallel()
	ports, err := ClaimPorts("127.0.0.1", 2)
	require.NoError(t, err)
	taken, err := net.Listen("tcp", hostPort("127.0.0.1", ports.Numbers[1]))
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	ports.Release()
	_, err = claimBlock("127.0.0.1", ports.Numbers[0]-1, 2)
	require.ErrorContains(t, err, "cannot be used")
	_, err = ClaimPorts("192.0.2.1", 1)
	require.ErrorContains(t, err, "no free ports on 192.0.2.1")
}
