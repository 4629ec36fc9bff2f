package ports

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFree(t *testing.T) {
	t.Parallel()
	const host = "127.0.0.1"
	taken, err := Free(host, 0) // no other process gets it
	require.NoError(t, err)
	listener, err := net.Listen("tcp", HostPort(host, taken))
	require.NoError(t, err)

	other, err := Free(host, taken)
	require.NoError(t, err)
	require.NotZero(t, other)
	require.NotEqual(t, taken, other, "a taken port is not offered")

	require.NoError(t, listener.Close())
	got, err := Free(host, taken)
	require.NoError(t, err)
	require.Equal(t, taken, got, "the preferred port is offered when it is free")

	got, err = Free(host, 0)
	require.NoError(t, err)
	require.Less(t, got, 32_768, "higher ports are ephemeral")
	_, err = net.Listen("tcp", HostPort(host, got-1))
	require.Error(t, err, "the port before it is the guard of the block")

	_, err = Free("192.0.2.1", 0)
	require.ErrorContains(t, err, "no free port on 192.0.2.1")
}
