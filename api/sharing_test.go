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

// crowded is a router whose answers are numbered, and are made when the test says so.
type crowded struct {
	*gin.Engine
	sharing
	calls atomic.Int64
	gate  chan int // the status of the answer that is let through
	wg    sync.WaitGroup
}

func newCrowded() *crowded {
	gin.SetMode(gin.ReleaseMode)
	c := &crowded{Engine: gin.New(), gate: make(chan int)}
	c.Use(httpapi.NameRequest, matched([]route{{method: http.MethodGet, path: "/api/posts", cache: live}}), c.remembered)
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

// ask asks, and waits until everybody waits for something.
func (c *crowded) ask(ctx context.Context, query string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/posts"+query, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	c.wg.Go(func() { c.ServeHTTP(answer, req) })
	synctest.Wait()
	return answer
}

func (c *crowded) let(status int) {
	c.gate <- status
	synctest.Wait()
}

func TestACrowdOfStrangersSharesAnswersThatAreNoOlderThanTheirQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded()
		first := c.ask(t.Context(), "?q=a")
		var crowd []*httptest.ResponseRecorder
		for range 20 {
			crowd = append(crowd, c.ask(t.Context(), "?q=a"))
		}
		known := c.ask(t.Context(), "?q=a", "If-None-Match", tagOf([]byte("answer 2 to a")))
		require.EqualValues(t, 1, c.calls.Load())
		c.let(http.StatusOK)
		require.Equal(t, "answer 1 to a", first.Body.String())
		late := c.ask(t.Context(), "?q=a")
		c.let(http.StatusOK)
		names := map[string]bool{}
		for _, answer := range crowd {
			require.Equal(t, http.StatusOK, answer.Code)
			require.Equal(t, "answer 2 to a", answer.Body.String(), "the first was under way when they came")
			require.Equal(t, crowd[0].Header().Get("ETag"), answer.Header().Get("ETag"))
			require.Equal(t, live, answer.Header().Get("Cache-Control"))
			require.Equal(t, "application/json", answer.Header().Get("Content-Type"))
			require.Len(t, answer.Header().Values("Vary"), len(crowd[0].Header().Values("Vary")))
			names[answer.Header().Get(httpapi.RequestIDHeader)] = true
		}
		require.Len(t, names, len(crowd), "every request has a name of its own")
		require.Equal(t, http.StatusNotModified, known.Code)
		require.Empty(t, known.Body.String())
		c.let(http.StatusOK)
		require.Equal(t, "answer 3 to a", late.Body.String())
		c.wg.Wait()
		require.Empty(t, c.lines, "nothing is kept of a crowd that has gone")
	})
}

func TestNobodyWaitsForAnotherQuestionOrForSomebodyInParticular(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded()
		for _, headers := range [][]string{nil, {"Cookie", "session=x"}, {"Cookie", "session=x"}, {"Authorization", "Bearer x"}, {adminKeyHeader, "x"}} {
			c.ask(t.Context(), "?q=a", headers...)
		}
		c.ask(t.Context(), "?q=b")
		require.EqualValues(t, 6, c.calls.Load())
		for range 6 {
			c.let(http.StatusOK)
		}
		c.wg.Wait()
		require.Empty(t, c.lines, "nothing is kept of a crowd that has gone")
	})
}

func TestAnAnswerThatCameToNothingIsNobodyElses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded()
		c.ask(t.Context(), "?q=a")
		crowd := []*httptest.ResponseRecorder{c.ask(t.Context(), "?q=a"), c.ask(t.Context(), "?q=a"), c.ask(t.Context(), "?q=a")}
		c.let(http.StatusOK)
		c.let(http.StatusInternalServerError)
		require.EqualValues(t, 4, c.calls.Load(), "the two others ask for themselves")
		c.let(http.StatusOK)
		c.let(http.StatusOK)
		codes := map[int]int{}
		for _, answer := range crowd {
			codes[answer.Code]++
		}
		require.Equal(t, map[int]int{http.StatusInternalServerError: 1, http.StatusOK: 2}, codes)
		c.wg.Wait()
		require.Empty(t, c.lines, "nothing is kept of a crowd that has gone")
	})
}

func TestWhoLeavesKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowded()
		first := c.ask(t.Context(), "?q=a")
		leaving, leave := context.WithCancel(t.Context())
		c.ask(leaving, "?q=a") // would make the next answer
		follower := c.ask(t.Context(), "?q=a")
		leave()
		synctest.Wait()
		third := c.ask(t.Context(), "?q=a")
		for range 3 {
			c.let(http.StatusOK)
		}
		bodies := []string{first.Body.String(), follower.Body.String(), third.Body.String()}
		slices.Sort(bodies)
		require.Equal(t, []string{"answer 1 to a", "answer 3 to a", "answer 4 to a"}, bodies)
		c.wg.Wait()
		require.Empty(t, c.lines, "nothing is kept of a crowd that has gone")
	})
}
