package journeys_test

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/platform/ports/portstest"
	"customerzero/worker"
	"customerzero/workflows"
)

// clockBehind lets a worker send whose clock is behind by more than the first wait, while nobody answers
// at X's address: what it says is over before it begins.
func clockBehind(t *testing.T, w *world) string {
	w.stopWorker()
	address := portstest.Address(t)
	w.account = &worker.X{Store: w.db.Bot, BaseURL: "http://" + address, Timeout: patient}
	w.late = post.Backoff(1) + time.Second
	w.startWorker(t)

	began := time.Now()
	p := w.schedule(t, "as soon as it can be", 0)
	eventually(t, func(c *assert.CollectT) {
		tried, err := w.db.Posts.Post(t.Context(), p.ID)
		require.NoError(c, err)
		require.Equal(c, post.StatusScheduled, tried.Status)
		require.GreaterOrEqual(c, tried.Attempt, 2)
		require.Equal(c, "x_unreachable", tried.Code)
	})
	require.Greater(t, time.Since(began), post.Backoff(1), "by the run's clock")

	there, err := net.Listen("tcp", address)
	require.NoError(t, err)
	x := &http.Server{Handler: w.counting(w.x.Handler()), ReadHeaderTimeout: patient}
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	go func() { _ = x.Serve(there) }()
	w.ends(t, p.ID, post.StatusPublished)
	w.isPublic(t, "as soon as it can be", 1)
	return workflows.PostID(p.ID)
}
