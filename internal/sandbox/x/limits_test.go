package x

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimitHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	post := w.call(http.MethodPost, "/2/tweets", `{"text":"a"}`).header
	require.Equal(t, "100", post.Get("x-rate-limit-limit"))
	require.Equal(t, "99", post.Get("x-rate-limit-remaining"))
	require.Equal(t, strconv.FormatInt(unixCeil(w.clock.Now().Add(shortWindow)), 10), post.Get("x-rate-limit-reset"))
	for _, name := range []string{"x-app-limit-24hour", "x-user-limit-24hour"} {
		require.Equal(t, "10000", post.Get(name+"-limit"))
		require.Equal(t, "9999", post.Get(name+"-remaining"))
		require.Equal(t, strconv.FormatInt(unixCeil(w.clock.Now().Add(dayWindow)), 10), post.Get(name+"-reset"))
	}
	for path, limit := range map[string]string{
		"/2/users/me": "75", "/2/users/4242/tweets": "900", "/2/tweets/1": "900", "/2/tweets?ids=1": "5000",
	} {
		read := w.call(http.MethodGet, path, "").header
		require.Equal(t, limit, read.Get("x-rate-limit-limit"), path)
		require.Empty(t, read.Get("x-user-limit-24hour-limit"), path)
		require.Equal(t, "read-write", read.Get("x-access-level"), path)
	}
	require.Equal(t, "50", w.call(http.MethodDelete, "/2/tweets/1", "").header.Get("x-rate-limit-limit"))
}

func TestTheLimitHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Limit = 2 })
	for i, status := range []int{201, 201, 429, 429} {
		answer := w.call(http.MethodPost, "/2/tweets", fmt.Sprintf(`{"text":"%d"}`, i))
		require.Equal(t, status, answer.status, answer.body)
		require.Equal(t, strconv.Itoa(max(0, 1-i)), answer.header.Get("x-rate-limit-remaining"))
		require.Equal(t, strconv.Itoa(max(9998, 9999-i)), answer.header.Get("x-user-limit-24hour-remaining"),
			"what was refused for the short limit does not use up the day's")
	}
	require.Equal(t, http.StatusOK, w.call(http.MethodGet, "/2/users/me", "").status, "other calls have limits of their own")
	require.Len(t, w.sandbox.Tweets(), 2)
}

func TestAWindowOpensAgain(t *testing.T) {
	t.Parallel()
	ticking := &clock{now: time.Unix(1_800_000_000, 0)}
	l := newLimits(ticking.Now)
	_, free := l.take("a", 1, shortWindow, true)
	require.True(t, free)
	_, free = l.take("a", 1, shortWindow, true)
	require.False(t, free)
	ticking.advance(shortWindow - 1)
	q, free := l.take("a", 1, shortWindow, true)
	require.False(t, free)
	require.Equal(t, ticking.Now().Add(1), q.reset)
	ticking.advance(1)
	_, free = l.take("a", 1, shortWindow, true)
	require.True(t, free)
}
