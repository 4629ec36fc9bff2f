package chaos

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
)

// stillOpen is a store with one run that does not end.
type stillOpen struct {
	httpapi.ChaosStore
	reads int
}

func (b *stillOpen) ChaosRun(context.Context, string) (chaos.Run, error) {
	b.reads++
	return chaos.Run{ID: "r", Stage: chaos.Requested}, nil
}

// Proves: F30
func TestAStreamEndsAfterTwoMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, rec, began := &stillOpen{}, httptest.NewRecorder(), time.Now()
		f := follower{API: &API{Deps: httpapi.Deps{Chaos: store}}, id: "r", out: rec}
		f.follow(t.Context())
		require.Equal(t, 2*time.Minute, time.Since(began))
		require.Equal(t, 1, strings.Count(rec.Body.String(), "event:event"), "an unchanged run is sent once")
		require.InDelta(t, 11, strings.Count(rec.Body.String(), ": still here\n\n"), 1, "a heartbeat every 10 seconds")
		require.InDelta(t, 480, store.reads, 15, "4 reads a second")
	})
}
