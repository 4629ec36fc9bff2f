package stripe

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
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

// What each fault does. "Done" reports whether Stripe did what the call asks for; a 500 is
// remembered for the call's idempotency key, as at Stripe.
//
//	fault         done   what the client sees
//	broken        no     500
//	broken_after  yes    500
//	drop_before   no     the connection is cut
//	drop_after    yes    the connection is cut
//	hang_before   no     nothing, until it leaves
//	hang_after    yes    nothing, until it leaves
//	slow          later  the answer, after Delay; until then the same key is answered 409
//	rate_limit    no     429; Retry-After is Delay
//	conflict      no     409: the key is in use
//
// The others are about webhooks, and several may hit the same event:
//
//	duplicate     the event comes Copies more times, all at once
//	delay         the first try is Delay late
//	reorder       the event waits until a later one was tried, or for Delay
//	lose          the event is never sent
const (
	Broken      Fault = "broken"
	BrokenAfter Fault = "broken_after"
	DropBefore  Fault = "drop_before"
	DropAfter   Fault = "drop_after"
	HangBefore  Fault = "hang_before"
	HangAfter   Fault = "hang_after"
	Slow        Fault = "slow"
	RateLimit   Fault = "rate_limit"
	Conflict    Fault = "conflict"

	Duplicate Fault = "duplicate"
	Delay     Fault = "delay"
	Reorder   Fault = "reorder"
	Lose      Fault = "lose"
)

const (
	OnCouponCreate  Target = "coupon_create"
	OnSessionCreate Target = "session_create"
	OnAny           Target = "any"     // all of Stripe's calls
	OnWebhook       Target = "webhook" // the events that are sent
)

// faultsOn lists what a rule can do on each target.
var faultsOn = map[Target][]Fault{
	OnCouponCreate: callFaults, OnSessionCreate: callFaults, OnAny: callFaults,
	OnWebhook: {Duplicate, Delay, Reorder, Lose},
}

var callFaults = []Fault{Broken, BrokenAfter, DropBefore, DropAfter, HangBefore, HangAfter, Slow, RateLimit, Conflict}

// checkRule describes what is wrong with the rule, and gives it Stripe's defaults.
func checkRule(r Rule) (Rule, error) {
	known, found := faultsOn[r.On]
	switch {
	case !found:
		return r, fmt.Errorf("on %q: use one of %q", r.On, slices.Sorted(maps.Keys(faultsOn)))
	case !slices.Contains(known, r.Fault):
		return r, fmt.Errorf("fault %q on %q: use one of %q", r.Fault, r.On, known)
	case r.Delay < 0:
		return r, fmt.Errorf("delay %s: use 0 or more", r.Delay)
	}
	if r.Fault == Duplicate && r.Copies == 0 {
		r.Copies = 1
	}
	return r, nil
}

// SetFaults replaces the rules; none switches the faults off. They are not kept in the
// file: a restarted sandbox behaves.
func (s *Server) SetFaults(f Faults) error { return s.faults.Set(f) }

// pick decides what becomes of a call that was let in. Calls without a target of their own
// are hit by rules on any call only.
func (s *Server) pick(call Target) (Rule, bool) {
	return s.faults.First(func(r Rule) bool { return r.On == OnAny || call != "" && r.On == call })
}

// hits decides whether one of the webhooks' faults hits an event.
func (c *courier) hits(fault Fault) (Rule, bool) {
	return c.faults.First(func(r Rule) bool { return r.On == OnWebhook && r.Fault == fault })
}

// injectBefore answers, or does not, in place of Stripe.
func (s *Server) injectBefore(rule Rule, w http.ResponseWriter, r *http.Request) bool {
	switch rule.Fault {
	case RateLimit:
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(rule.Delay.Round(time.Second)/time.Second))))
		writeRefusal(w, errTooMany)
	case Conflict:
		writeRefusal(w, errKeyInUse)
	case DropBefore:
		faults.Cut()
	case HangBefore:
		s.faults.Hang(r.Context())
	default:
		return false
	}
	return true
}

// injectAfter answers a call that was served, or does not.
func (s *Server) injectAfter(rule Rule, w http.ResponseWriter, r *http.Request, answer reply) {
	switch rule.Fault {
	case DropAfter:
		faults.Cut()
	case HangAfter:
		s.faults.Hang(r.Context())
	default:
		answer.writeTo(w)
	}
}
