package x

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"time"

	"customerzero/internal/sandbox/faults"
)

// The vocabulary of the sandbox's fault board.
type (
	Fault  = faults.Fault
	Target = faults.Target
	Rule   = faults.Rule
	Faults = faults.Plan
)

const defaultSkew = 10 * time.Minute // twice what the check of timestamps lets pass

// What each fault does. "Done" says whether X did what the call asks for. A fault that is
// not for all calls leaves the others alone, whatever its rule is on.
//
//	fault              calls          done  what the client sees
//	rate_limit         all            no    429; the reset is Delay from now
//	unauthorized       all            no    401
//	no_credits         all            no    402, in the words of API v2: there are no older ones
//	forbidden          all            no    403: the app may only read
//	unavailable        all            no    503, as HTML
//	unavailable_after  all            yes   503, as HTML
//	drop_before        all            no    the connection is cut
//	drop_after         all            yes   the connection is cut
//	hang_before        all            no    nothing, until it leaves
//	hang_after         all            yes   nothing, until it leaves
//	truncate           all            yes   half of the answer
//	slow               all            yes   the answer, after Delay
//	late               all            yes   nothing, until it leaves; people see a new tweet after Delay
//	garbage            all            no    200 with a web page, like the login of a public network
//	bad_app            all            no    401 whatever was sent: the app's key or secret is wrong
//	clock              all            —     X's clock is off by Delay, which may be negative; 0: ten minutes
//	suspended_app      all            no    401 when logging in, else 403: the app is suspended
//	callback_refused   request_token  no    403: the callback is not registered
//	unconfirmed        request_token  yes   oauth_callback_confirmed=false
//	not_enrolled       API v2         no    403: the app is in no project
//	read_only          API v2         —     reads go on, with x-access-level: read; the rest is forbidden
//
// bad_app and clock meddle with how a call is checked, so they come before all others: a
// call that gets past the clock may be hit by another rule.
const (
	RateLimit        Fault = "rate_limit"
	Unauthorized     Fault = "unauthorized"
	NoCredits        Fault = "no_credits"
	Forbidden        Fault = "forbidden"
	Unavailable      Fault = "unavailable"
	UnavailableAfter Fault = "unavailable_after"
	DropBefore       Fault = "drop_before"
	DropAfter        Fault = "drop_after"
	HangBefore       Fault = "hang_before"
	HangAfter        Fault = "hang_after"
	Truncate         Fault = "truncate"
	Slow             Fault = "slow"
	Late             Fault = "late"
	Garbage          Fault = "garbage"
	BadApp           Fault = "bad_app"
	Clock            Fault = "clock"
	SuspendedApp     Fault = "suspended_app"
	CallbackRefused  Fault = "callback_refused"
	Unconfirmed      Fault = "unconfirmed"
	NotEnrolled      Fault = "not_enrolled"
	ReadOnly         Fault = "read_only"
)

// AllFaults lists every fault.
var AllFaults = []Fault{
	RateLimit, Unauthorized, NoCredits, Forbidden, Unavailable, UnavailableAfter, DropBefore, DropAfter,
	HangBefore, HangAfter, Truncate, Slow, Late, Garbage, BadApp, Clock, SuspendedApp, CallbackRefused,
	Unconfirmed, NotEnrolled, ReadOnly,
}

// suited lists the calls that a fault is for, where it is not for all of them.
var suited = map[Fault][]Target{
	CallbackRefused: {OnRequestToken},
	Unconfirmed:     {OnRequestToken},
	NotEnrolled:     {OnPost, OnRead, onDelete},
	ReadOnly:        {OnPost, OnRead, onDelete},
}

// suits says whether the fault is for such a call.
func suits(f Fault, call Target) bool {
	only, some := suited[f]
	return !some || slices.Contains(only, call)
}

// meddles says whether the fault changes how a call is checked.
func meddles(f Fault) bool { return f == BadApp || f == Clock }

// hits says whether the rule is about such a call.
func hits(r Rule, call Target) bool {
	return slices.Contains(calls(r.On), call) && suits(r.Fault, call)
}

const (
	OnPost         Target = "post"          // POST /2/tweets
	OnRead         Target = "read"          // GET /2/…
	OnLogin        Target = "login"         // the two that follow
	OnRequestToken Target = "request_token" // POST /oauth/request_token
	OnAccessToken  Target = "access_token"  // POST /oauth/access_token
	OnAny          Target = "any"           // all of those, and the two that follow

	// No rule is about these alone.
	onDelete Target = "delete" // DELETE /2/tweets/{id}
	onRevoke Target = "revoke" // POST /1.1/oauth/invalidate_token
)

// targets lists what a rule can be on.
var targets = []Target{OnPost, OnRead, OnLogin, OnRequestToken, OnAccessToken, OnAny}

// calls lists the kinds of calls that the target stands for.
func calls(t Target) []Target {
	switch t {
	case OnAny:
		return []Target{OnPost, OnRead, OnRequestToken, OnAccessToken, onDelete, onRevoke}
	case OnLogin:
		return []Target{OnRequestToken, OnAccessToken}
	default:
		return []Target{t}
	}
}

// targetsFor lists what a rule with the fault can be on.
func targetsFor(f Fault) []Target {
	var usable []Target
	for _, t := range targets {
		if slices.ContainsFunc(calls(t), func(call Target) bool { return suits(f, call) }) {
			usable = append(usable, t)
		}
	}
	return usable
}

// checkRule says what is wrong with the rule, and gives it X's defaults.
func checkRule(r Rule) (Rule, error) {
	switch {
	case !slices.Contains(targets, r.On):
		return r, fmt.Errorf("on %q: use one of %q", r.On, targets)
	case !slices.Contains(AllFaults, r.Fault):
		return r, fmt.Errorf("fault %q: use one of %q", r.Fault, AllFaults)
	case !slices.Contains(targetsFor(r.Fault), r.On):
		return r, fmt.Errorf("fault %q on %q: use it on one of %q", r.Fault, r.On, targetsFor(r.Fault))
	case r.Delay < 0 && r.Fault != Clock:
		return r, fmt.Errorf("delay %s: only a clock can be behind", r.Delay)
	case r.Copies != 0:
		return r, fmt.Errorf("copies %d: X sends nothing twice", r.Copies)
	}
	if r.Fault == Clock && r.Delay == 0 {
		r.Delay = defaultSkew
	}
	return r, nil
}

// SetFaults replaces the rules; none switches the faults off. They are not kept in the
// file: a restarted sandbox behaves.
func (s *Server) SetFaults(f Faults) error { return s.faults.Set(f) }

// pickCheck decides whether a fault meddles with how a call is checked.
func (s *Server) pickCheck(call Target) (Rule, bool) {
	return s.faults.First(func(r Rule) bool { return meddles(r.Fault) && hits(r, call) })
}

// pick decides what becomes of a call that was let in.
func (s *Server) pick(call Target) (Rule, bool) {
	return s.faults.First(func(r Rule) bool { return !meddles(r.Fault) && hits(r, call) })
}

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
