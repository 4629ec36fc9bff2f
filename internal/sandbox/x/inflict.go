package x

import (
	"bytes"
	"net/http"
	"time"
)

// meddle gives the time by X's clock, or refuses a call before it is checked, if a fault
// wants that.
func (s *Server) meddle(e endpoint, h http.Header) (time.Time, *refusal) {
	now := s.config.Now()
	rule, hit := s.pickCheck(e.on)
	switch {
	case hit && rule.Fault == BadApp:
		return now, errCredentials
	case hit && rule.Fault == Clock:
		now = now.Add(rule.Delay)
		h.Set("Date", now.UTC().Format(http.TimeFormat))
	}
	return now, nil
}

// inflict serves a call the way the fault wants it.
func (s *Server) inflict(rule Rule, e endpoint, w http.ResponseWriter, r *http.Request, c call) {
	if s.inflictBefore(rule, e, w, r) {
		return
	}
	switch rule.Fault {
	case Late:
		c.hold = rule.Delay
	case Unconfirmed:
		c.unconfirmed = true
	default:
	}
	a := &answer{header: w.Header().Clone(), status: http.StatusOK}
	e.serve(a, r, c) // from here on, X has done it
	switch rule.Fault {
	case UnavailableAfter:
		unavailable(w)
	case DropAfter:
		cut()
	case HangAfter, Late:
		s.wait(r, nil)
		cut()
	case Truncate:
		a.body.Truncate(a.body.Len() / 2)
		a.writeTo(w)
	case Slow:
		timer := time.NewTimer(rule.Delay)
		defer timer.Stop()
		if !s.wait(r, timer.C) {
			cut()
		}
		a.writeTo(w)
	default:
		a.writeTo(w)
	}
}

// inflictBefore answers, or does not, in place of X.
func (s *Server) inflictBefore(rule Rule, e endpoint, w http.ResponseWriter, r *http.Request) bool {
	switch rule.Fault {
	case Unavailable:
		unavailable(w)
	case Garbage:
		garbage(w)
	case DropBefore:
		cut()
	case HangBefore:
		s.wait(r, nil)
		cut()
	default:
		return s.inflictRefusal(rule, e, w)
	}
	return true
}

// wait says whether the time came before the client left or the sandbox closed.
func (s *Server) wait(r *http.Request, until <-chan time.Time) bool {
	select {
	case <-until:
		return true
	case <-r.Context().Done():
	case <-s.closing:
	}
	return false
}

// cut closes the connection without an answer.
func cut() { panic(http.ErrAbortHandler) }

// answer holds back what an endpoint answers.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

func (a *answer) writeTo(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes()) // the client has gone
}
