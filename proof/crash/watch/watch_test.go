package watch

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWatcherRecordsFailures(t *testing.T) {
	t.Parallel()
	var writes, cutOff atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/visits":
			writes.Add(1)
		case "/api/stats":
			http.Error(w, "no upstream", http.StatusBadGateway)
		case "/api/members":
			cutOff.Add(1)
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("incomplete"))
		}
	}))
	defer site.Close()

	ctx, stop := context.WithCancel(t.Context())
	watcher := New(site.URL)
	done := make(chan struct{})
	go func() { watcher.Run(ctx); close(done) }()
	require.Eventually(t, func() bool { return writes.Load() > 1 && cutOff.Load() > 1 }, 3*time.Minute, 10*time.Millisecond)
	stop()
	<-done

	why := map[string]string{}
	for _, f := range watcher.Failures {
		why[f.What] = f.Why
		require.False(t, f.Until.Before(f.From))
	}
	require.Greater(t, watcher.Asked, len(watcher.Failures))
	require.Len(t, why, 2, "the others were answered: %v", why)
	require.Contains(t, why["GET /api/stats"], "502 Bad Gateway no upstream")
	require.Contains(t, why["GET /api/members"], "cut off")
}
