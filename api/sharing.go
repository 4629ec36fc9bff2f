package api

import (
	"net/http"
	"slices"
	"sync"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
)

// sharing lets strangers who ask for the same thing at once share one answer, so that a crowd
// costs the database little more than one of them. Whoever comes while an answer is being made
// waits for the next one: none is older than its question, and everybody finds what they have
// just done.
type sharing struct {
	mu    sync.Mutex
	lines map[string]*line // by what is asked for
}

// line is one answer that is being made, and the next, for which there are people already.
type line struct{ now, next *making }

// making is an answer that is being made by whoever asked first.
type making struct {
	over   chan struct{}
	answer *sharedAnswer // nil: it is not for everybody, or came to nothing
}

// sharedAnswer is what the handler said; what the middleware says is everybody's own.
type sharedAnswer struct {
	header http.Header
	body   []byte
}

// answer lets a handler answer, or gives what another request's has.
func (s *sharing) answer(c *gin.Context, held *heldAnswer) {
	if !isStranger(c.Request) {
		c.Next()
		return
	}
	key := c.Request.Method + " " + c.Request.Header.Get("Accept") + " " + c.Request.URL.RequestURI()
	made, first, before := s.join(key)
	if !first {
		select {
		case <-made.over:
		case <-c.Request.Context().Done():
		}
		if held.take(made) {
			c.Abort()
			return
		}
		c.Next() // who made it was unlucky, or has left
		return
	}
	defer s.end(key, made)
	if before != nil {
		select {
		case <-before.over:
		case <-c.Request.Context().Done():
		}
	}
	said := c.Writer.Header().Clone()
	c.Next()
	made.answer = held.give(said)
}

// isStranger says whether a request is nobody's in particular.
func isStranger(r *http.Request) bool {
	return r.Header.Get("Cookie") == "" && r.Header.Get("Authorization") == "" && r.Header.Get(adminKeyHeader) == ""
}

// join finds the answer that a request waits for. The first makes it, when the one before is over.
func (s *sharing) join(key string) (m *making, first bool, before *making) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[key]
	switch {
	case l == nil:
		if s.lines == nil {
			s.lines = map[string]*line{}
		}
		l = &line{now: &making{over: make(chan struct{})}}
		s.lines[key] = l
		return l.now, true, nil
	case l.next == nil:
		l.next = &making{over: make(chan struct{})}
		return l.next, true, l.now
	}
	return l.next, false, nil
}

// end lets go of those who wait for an answer. One may end before its turn has come: then who
// made it has left.
func (s *sharing) end(key string, m *making) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[key]
	if l.now == m {
		l.now, l.next = l.next, nil
	} else {
		l.next = nil
	}
	if l.now == nil {
		delete(s.lines, key)
	}
	close(m.over)
}

// give is what others may have of an answer; said is what was said before it was made.
func (a *heldAnswer) give(said http.Header) *sharedAnswer {
	header := a.Header()
	if a.Status() != http.StatusOK || header.Get("Set-Cookie") != "" {
		return nil
	}
	if header.Get("ETag") == "" && header.Get("Cache-Control") != httpapi.NoStore {
		header.Set("ETag", tagOf(a.body.Bytes()))
	}
	shared := &sharedAnswer{header: http.Header{}, body: a.body.Bytes()}
	for name, values := range header {
		if !slices.Equal(values, said[name]) {
			shared.header[name] = values
		}
	}
	return shared
}

// take answers as another request was answered.
func (a *heldAnswer) take(made *making) bool {
	select {
	case <-made.over:
	default:
		return false // who waits has left
	}
	if made.answer == nil {
		return false
	}
	for name, values := range made.answer.header {
		a.Header()[name] = slices.Clone(values)
	}
	a.status = http.StatusOK
	_, _ = a.Write(made.answer.body)
	return true
}
