// Package portstest returns addresses for servers that tests start. Only tests may use it.
package portstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/ports"
)

// Address returns a free loopback address as host:port, which no other test gets while this process runs. A
// port that was opened and closed could be taken by another process.
func Address(t *testing.T) string {
	t.Helper()
	address, err := ports.Address()
	require.NoError(t, err)
	return address
}
