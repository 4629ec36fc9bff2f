package api

import (
	"net/http"
	"slices"
	"sync"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
)

// coalescer lets concurrent anonymous requests for the same resource share one reply, so that a crowd costs the
// database little more than one client. A request that arrives while a reply is computed waits for the next one:
// no reply is older than its request, so everyone sees their own changes.
type coalescer struct {
	mu      sync.Mutex
	flights map[string]*flights // by method, Accept header and URI
}

// flights are the reply that is being computed, and the next one, for which requests already wait.
type flights struct{ now, next *flight }

// flight is a reply that the first of its requests computes for the others.
type flight struct {
	done  chan struct{}
	reply *sharedReply // nil if it must not be shared, or failed
}

// sharedReply is what the handler wrote. The headers of the middleware belong to each request.
type sharedReply struct {
	header http.Header
	body   []byte
}

// handle runs the handler, or copies the reply of another request.
func (s *coalescer) handle(c *gin.Context, buffered *bufferedReply) {
	if !isAnonymous(c.Request) {
		c.Next()
		return
	}
	key := c.Request.Method + " " + c.Request.Header.Get("Accept") + " " + c.Request.URL.RequestURI()
	f, first, before := s.join(key)
	if !first {
		select {
		case <-f.done:
		case <-c.Request.Context().Done():
		}
		if buffered.copyFrom(f) {
			c.Abort()
			return
		}
		c.Next() // the first request failed or its client left
		return
	}
	defer s.end(key, f)
	if before != nil {
		select {
		case <-before.done:
		case <-c.Request.Context().Done():
		}
	}
	set := c.Writer.Header().Clone()
	c.Next()
	f.reply = buffered.share(set)
}

func isAnonymous(r *http.Request) bool {
	return r.Header.Get("Cookie") == "" && r.Header.Get("Authorization") == "" && r.Header.Get(adminKeyHeader) == ""
}

// join returns the flight that a request waits for. The first of its requests computes it, once the one before is done.
func (s *coalescer) join(key string) (f *flight, first bool, before *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.flights[key]
	switch {
	case l == nil:
		if s.flights == nil {
			s.flights = map[string]*flights{}
		}
		l = &flights{now: &flight{done: make(chan struct{})}}
		s.flights[key] = l
		return l.now, true, nil
	case l.next == nil:
		l.next = &flight{done: make(chan struct{})}
		return l.next, true, l.now
	}
	return l.next, false, nil
}

// end releases the requests that wait for a flight. The next flight may end before the current one, if the client
// of its first request leaves.
func (s *coalescer) end(key string, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.flights[key]
	if l.now == f {
		l.now, l.next = l.next, nil
	} else {
		l.next = nil
	}
	if l.now == nil {
		delete(s.flights, key)
	}
	close(f.done)
}

// share returns the part of a reply that others may get, or nil. set holds the headers from before the handler ran.
func (a *bufferedReply) share(set http.Header) *sharedReply {
	header := a.Header()
	if a.Status() != http.StatusOK || header.Get("Set-Cookie") != "" {
		return nil
	}
	if header.Get("ETag") == "" && header.Get("Cache-Control") != httpapi.NoStore {
		header.Set("ETag", tagOf(a.body.Bytes()))
	}
	shared := &sharedReply{header: http.Header{}, body: a.body.Bytes()}
	for name, values := range header {
		if !slices.Equal(values, set[name]) {
			shared.header[name] = values
		}
	}
	return shared
}

// copyFrom copies the reply of a flight that is done. It returns false if there is none to share.
func (a *bufferedReply) copyFrom(f *flight) bool {
	select {
	case <-f.done:
	default:
		return false // this client has left
	}
	if f.reply == nil {
		return false
	}
	for name, values := range f.reply.header {
		a.Header()[name] = slices.Clone(values)
	}
	a.status = http.StatusOK
	_, _ = a.Write(f.reply.body)
	return true
}
