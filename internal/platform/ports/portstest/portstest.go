// Package portstest gives tests addresses for servers that they start. Only tests may use it.
package portstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/ports"
)

// Address is host:port on loopback. Nobody listens there, nor is given it, while the test's
// process lives: a port that was listened at and let go may be anybody's a moment later.
func Address(t *testing.T) string {
	t.Helper()
	address, err := ports.Address()
	require.NoError(t, err)
	return address
}
