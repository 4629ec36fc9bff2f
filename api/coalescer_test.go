package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"customerzero/api/httpapi"
)

// crowded is a router that numbers its replies and sends each with the status that the test puts into gate.
type crowded struct {
	*gin.Engine
	coalescer
	calls atomic.Int64
	gate  chan int
	wg    sync.WaitGroup
}

func newCrowded() *crowded {
	gin.SetMode(gin.ReleaseMode)
	c := &crowded{Engine: gin.New(), gate: make(chan int)}
	c.Use(httpapi.NameRequest, matched([]route{{method: http.MethodGet, path: "/api/posts", cache: live}}), c.cached)
	c.GET("/api/posts", func(ctx *gin.Context) {
		n := c.calls.Add(1)
		select {
		case status := <-c.gate:
			ctx.Data(status, "application/json", fmt.Appendf(nil, "answer %d to %s", n, ctx.Query("q")))
		case <-ctx.Request.Context().Done():
			ctx.Status(http.StatusServiceUnavailable)
		}
	})
	return c
}

// request sends a request and waits until every goroutine blocks.
func (c *crowded) request(ctx context.Context, query string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/posts"+query, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	c.wg.Go(func() { c.ServeHTTP(answer, req) })
	synctest.Wait()
	return answer
}

func (c *crowded) release(status int) {
	c.gate <- status
	synctest.Wait()
}

func TestConcurrentAnonymousRequestsShareTheNextReply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded()
		first := c.request(t.Context(), "?q=a")
		var crowd []*httptest.ResponseRecorder
		for range 20 {
			crowd = append(crowd, c.request(t.Context(), "?q=a"))
		}
		known := c.request(t.Context(), "?q=a", "If-None-Match", tagOf([]byte("answer 2 to a")))
		require.EqualValues(t, 1, c.calls.Load())
		c.release(http.StatusOK)
		require.Equal(t, "answer 1 to a", first.Body.String())
		late := c.request(t.Context(), "?q=a")
		c.release(http.StatusOK)
		names := map[string]bool{}
		for _, answer := range crowd {
			require.Equal(t, http.StatusOK, answer.Code)
			require.Equal(t, "answer 2 to a", answer.Body.String(), "the first was already being computed")
			require.Equal(t, crowd[0].Header().Get("ETag"), answer.Header().Get("ETag"))
			require.Equal(t, live, answer.Header().Get("Cache-Control"))
			require.Equal(t, "application/json", answer.Header().Get("Content-Type"))
			require.Len(t, answer.Header().Values("Vary"), len(crowd[0].Header().Values("Vary")))
			names[answer.Header().Get(httpapi.RequestIDHeader)] = true
		}
		require.Len(t, names, len(crowd), "every request has its own ID")
		require.Equal(t, http.StatusNotModified, known.Code)
		require.Empty(t, known.Body.String())
		c.release(http.StatusOK)
		require.Equal(t, "answer 3 to a", late.Body.String())
		c.wg.Wait()
		require.Empty(t, c.flights)
	})
}

func TestOtherQueriesAndIdentifiedCallersAreNotCoalesced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded()
		for _, headers := range [][]string{nil, {"Cookie", "session=x"}, {"Cookie", "session=x"}, {"Authorization", "Bearer x"}, {adminKeyHeader, "x"}} {
			c.request(t.Context(), "?q=a", headers...)
		}
		c.request(t.Context(), "?q=b")
		require.EqualValues(t, 6, c.calls.Load())
		for range 6 {
			c.release(http.StatusOK)
		}
		c.wg.Wait()
		require.Empty(t, c.flights)
	})
}

func TestFailedRepliesAreNotShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded()
		c.request(t.Context(), "?q=a")
		crowd := []*httptest.ResponseRecorder{c.request(t.Context(), "?q=a"), c.request(t.Context(), "?q=a"), c.request(t.Context(), "?q=a")}
		c.release(http.StatusOK)
		c.release(http.StatusInternalServerError)
		require.EqualValues(t, 4, c.calls.Load(), "the two others call the handler")
		c.release(http.StatusOK)
		c.release(http.StatusOK)
		codes := map[int]int{}
		for _, answer := range crowd {
			codes[answer.Code]++
		}
		require.Equal(t, map[int]int{http.StatusInternalServerError: 1, http.StatusOK: 2}, codes)
		c.wg.Wait()
		require.Empty(t, c.flights)
	})
}

func TestAClientThatDisconnectsBlocksNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded()
		first := c.request(t.Context(), "?q=a")
		leaving, leave := context.WithCancel(t.Context())
		c.request(leaving, "?q=a") // would compute the next reply
		follower := c.request(t.Context(), "?q=a")
		leave()
		synctest.Wait()
		third := c.request(t.Context(), "?q=a")
		for range 3 {
			c.release(http.StatusOK)
		}
		bodies := []string{first.Body.String(), follower.Body.String(), third.Body.String()}
		slices.Sort(bodies)
		require.Equal(t, []string{"answer 1 to a", "answer 3 to a", "answer 4 to a"}, bodies)
		c.wg.Wait()
		require.Empty(t, c.flights)
	})
}
