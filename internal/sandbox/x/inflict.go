package x

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// inflict serves a call the way the fault wants it.
func (s *Server) inflict(rule Rule, e endpoint, w http.ResponseWriter, r *http.Request, c call) {
	if s.inflictBefore(rule, w, r) {
		return
	}
	if rule.Fault == Late {
		c.hold = rule.Delay
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
	default: // inflictBefore answered those
	}
}

// inflictBefore answers, or does not, in place of X.
func (s *Server) inflictBefore(rule Rule, w http.ResponseWriter, r *http.Request) bool {
	switch rule.Fault {
	case RateLimit:
		reset := s.config.Now().Add(rule.Delay)
		w.Header().Set("x-rate-limit-remaining", "0")
		w.Header().Set("x-rate-limit-reset", strconv.FormatInt(unixCeil(reset), 10))
		plain(w, http.StatusTooManyRequests)
	case Unauthorized:
		plain(w, http.StatusUnauthorized)
	case NoCredits:
		problem(w, http.StatusPaymentRequired, "CreditsDepleted", typeCredits, "Your enrolled account ["+
			s.config.UserID+"] does not have any credits to fulfill this request.")
	case Forbidden:
		w.Header().Set("x-access-level", "read")
		problem(w, http.StatusForbidden, "Forbidden", typePermissions, "Your client app is not configured with the "+
			"appropriate oauth1 app permissions for this endpoint.")
	case Unavailable:
		unavailable(w)
	case DropBefore:
		cut()
	case HangBefore:
		s.wait(r, nil)
		cut()
	default:
		return false
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
