package launcher

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
)

func TestOnlyWhatLeavesTheMachineIsCompressed(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:7233", "[::1]:7233", "localhost:7233"} {
		require.Equal(t, &client.GrpcCompressionNone{}, Connection(address).GrpcCompression, address)
	}
	for _, address := range []string{"temporal:7233", "10.0.0.4:7233", "temporal.example.com:443", ""} {
		require.Nil(t, Connection(address).GrpcCompression, "%q: gzip, the SDK's default", address)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		before []time.Duration // earlier restarts, after start
		at     time.Duration
		pause  time.Duration
		ok     bool
	}{
		"the first restart has the shortest pause": {pause: firstPause, ok: true},
		"the pause doubles":                        {before: []time.Duration{0, 1, 2}, at: 3, pause: 8 * firstPause, ok: true},
		"the fifth is the last":                    {before: []time.Duration{0, 1, 2, 3}, at: 4, pause: 16 * firstPause, ok: true},
		"a sixth within the minute is refused":     {before: []time.Duration{0, 1, 2, 3, 4}, at: restartWindow - 1},
		"a minute later one is allowed":            {before: []time.Duration{0, 1, 2, 3, 4}, at: restartWindow, pause: 16 * firstPause, ok: true},
		"a minute without restarts resets":         {before: []time.Duration{0, 1, 2, 3, 4}, at: 2 * restartWindow, pause: firstPause, ok: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b budget
			for _, at := range tt.before {
				_, ok := b.next(start.Add(at))
				require.True(t, ok)
			}
			pause, ok := b.next(start.Add(tt.at))
			require.Equal(t, tt.ok, ok)
			require.Equal(t, tt.pause, pause)
		})
	}
}
