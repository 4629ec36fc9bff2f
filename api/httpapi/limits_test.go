package httpapi

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proves: S-floods
func TestConnectionsAreShared(t *testing.T) {
	t.Parallel()
	limiter := NewConnLimiter(100, 20)
	taken := map[string][]func(){}
	replaced := map[string]<-chan struct{}{}
	take := func(network string) bool {
		ended, leave, ok := limiter.Take(network)
		if ok {
			taken[network] = append(taken[network], leave)
			if replaced[network] == nil {
				replaced[network] = ended
			}
		}
		return ok
	}
	for i := range 100 { // five networks
		require.True(t, take(fmt.Sprint("n", i/20)))
	}
	require.False(t, take("n0"), "a network has at most 20")
	select {
	case <-replaced["n0"]:
		require.Fail(t, "refused connections replace none")
	default:
	}
	for i := range 10 {
		require.True(t, take("honest"), "connection %d of another network", i)
	}
	<-replaced["n0"]
	select {
	case <-replaced["honest"]:
		require.Fail(t, "the network that has the most gives way")
	default:
	}
	for _, leave := range taken["n1"] {
		leave()
		leave() // a replaced connection is released again by its handler
	}
	for range 10 {
		require.True(t, take("n1"), "released connections are free")
	}
	small := NewConnLimiter(1, 1)
	_, _, ok := small.Take("a")
	require.True(t, ok)
	_, _, ok = small.Take("b")
	require.False(t, ok, "as many as the other is no less")
}
