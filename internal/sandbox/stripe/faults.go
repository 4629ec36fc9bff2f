package stripe

import "customerzero/internal/sandbox/faults"

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
//	rate_limit    no     429
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
	DropBefore        = faults.DropBefore
	DropAfter         = faults.DropAfter
	HangBefore        = faults.HangBefore
	HangAfter         = faults.HangAfter
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

// SetFaults replaces the rules; none switches the faults off. They are not kept in the
// file: a restarted sandbox behaves.
func (s *Server) SetFaults(f Faults) error { return s.faults.Set(f) }

// pick decides what becomes of a call that was let in. Calls without a target of their own
// are hit by rules on any call only.
func (s *Server) pick(call Target) Rule {
	return s.faults.First(func(r Rule) bool { return r.On == OnAny || call != "" && r.On == call })
}

// hits decides whether one of the webhooks' faults hits an event.
func (c *courier) hits(fault Fault) Rule {
	return c.faults.First(func(r Rule) bool { return r.On == OnWebhook && r.Fault == fault })
}
