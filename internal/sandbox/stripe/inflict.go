package stripe

import (
	"net/http"
	"strconv"
	"time"
)

// inflictBefore answers, or does not, in place of Stripe.
func (s *Server) inflictBefore(rule Rule, w http.ResponseWriter, r *http.Request) bool {
	switch rule.Fault {
	case RateLimit:
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(rule.Delay.Round(time.Second)/time.Second))))
		writeRefusal(w, errTooMany)
	case Conflict:
		writeRefusal(w, errKeyInUse)
	case DropBefore:
		cut()
	case HangBefore:
		s.hang(r)
	default:
		return false
	}
	return true
}

// inflictAfter answers a call that was served, or does not.
func (s *Server) inflictAfter(rule Rule, w http.ResponseWriter, r *http.Request, answer reply) {
	switch rule.Fault {
	case DropAfter:
		cut()
	case HangAfter:
		s.hang(r)
	default:
		answer.writeTo(w)
	}
}

// hang says nothing until the client leaves or the sandbox closes.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closing:
	}
	cut()
}

// pause waits even when the client leaves: Stripe would not notice either.
func (s *Server) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.closing:
	}
}

// cut closes the connection without an answer.
func cut() { panic(http.ErrAbortHandler) }
