package api_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/post"
)

// stuck is a database that answers nothing about posts.
type stuck struct{ api.PostStore }

func (stuck) Posts(ctx context.Context, _ post.Filter) ([]post.Listed, int, error) {
	<-ctx.Done()
	return nil, 0, ctx.Err()
}

func (stuck) CreatePost(ctx context.Context, p post.Post, _ time.Time) (post.Post, error) {
	<-ctx.Done()
	return p, ctx.Err()
}

// Proves: F4
func TestNobodyWaitsForADatabaseThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		call   call
		within time.Duration
	}{
		"who reads":  {call{method: http.MethodGet, path: "/api/posts"}, 20 * time.Second},
		"who writes": {call{method: http.MethodPost, path: "/api/posts", body: `{"content":"hello"}`, key: key}, 57 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.server.Posts = stuck{w.db.Posts}
			w.handler = w.server.Handler()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				answer := w.do(t, tt.call)
				require.Equal(t, tt.within, time.Since(began))
				require.Equal(t, http.StatusServiceUnavailable, answer.Code, answer.Body)
				require.Contains(t, answer.Body.String(), "That took too long.")
			})
		})
	}
}
