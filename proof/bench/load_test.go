package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLoadUsesItsConnections(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	from, bodies := map[string]bool{}, map[string]bool{}
	address := serve(t, func(rw http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		mu.Lock()
		defer mu.Unlock()
		from[req.RemoteAddr], bodies[string(body)] = true, true
		rw.WriteHeader(http.StatusCreated)
	})
	l := load{address: address, atOnce: 4, want: http.StatusCreated, most: 100, ask: func(n int64) []byte {
		return wire(http.MethodPost, "/", string(rune('a'+n%2)), "X-Mark: yes")
	}}
	var numbers atomic.Int64
	got, err := l.run(t.Context(), time.Minute, &numbers)
	require.NoError(t, err)
	require.Len(t, got.waited, 100)
	require.Positive(t, got.rate())
	require.Empty(t, got.others)
	require.LessOrEqual(t, len(from), 4)
	require.Equal(t, map[string]bool{"a": true, "b": true}, bodies)
}

func TestUnexpectedStatusesAreCountedSeparately(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	address := serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		if asked.Add(1)%2 == 0 {
			rw.WriteHeader(http.StatusTooManyRequests)
		}
	})
	l := load{address: address, atOnce: 2, want: http.StatusOK, most: 20, ask: always(wire(http.MethodGet, "/", ""))}
	var numbers atomic.Int64
	got, err := l.run(t.Context(), time.Minute, &numbers)
	require.NoError(t, err)
	require.Len(t, got.waited, 10)
	require.Equal(t, map[int]int{http.StatusTooManyRequests: 10}, got.others)

	s := side{load: l}
	require.ErrorContains(t, s.take(t.Context(), time.Minute), "429", "a turn allows no unexpected status")
}

func TestContestFigures(t *testing.T) {
	t.Parallel()
	c := contest{
		subject: "Reads", what: "a page", beside: "a baseline", atOnce: 16, rate: atLeast(0.5), wait: atMost(2),
		baseline: side{rates: []float64{90, 100, 500}, waited: seconds(1, 1, 2)},
		ours:     side{rates: []float64{40, 10, 45}, waited: seconds(3, 3, 3, 5)},
	}
	figures := c.figures()
	require.Equal(t, figure{"Reads", "a page, 16 at once", "req/s", 100, "a baseline", 40, atLeast(0.5)}, figures[0], "medians")
	require.InDelta(t, 3000, figures[1].Ours, 0)
	require.InDelta(t, 2.5, figures[2].held(), 1e-9)
	require.Len(t, missed(figures), 2)
}

func TestQuantiles(t *testing.T) {
	t.Parallel()
	var all []int
	for i := range 100 {
		all = append(all, 100-i)
	}
	require.Equal(t, 50, at(all, 0.5))
	require.Equal(t, 95, at(all, 0.95))
	require.Equal(t, 99, at(all, 0.99))
	require.Equal(t, 100, at(all, 1))
	require.Zero(t, at([]int{}, 0.5))
}

func serve(t *testing.T, handle http.HandlerFunc) (address string) {
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return hostOf(server.URL)
}
