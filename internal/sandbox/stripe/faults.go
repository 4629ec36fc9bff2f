package stripe

import "customerzero/internal/sandbox/faults"

// These names are those of package faults.
type (
	Fault  = faults.Fault
	Target = faults.Target
	Rule   = faults.Rule
	Faults = faults.Plan
)

// The faults of calls. "Done" means that Stripe executes the call; as at Stripe, a 500 is stored for the call's
// idempotency key.
//
//	fault         done   what the client sees
//	broken        no     500
//	broken_after  yes    500
//	drop_before   no     the connection is closed
//	drop_after    yes    the connection is closed
//	hang_before   no     no response until it disconnects
//	hang_after    yes    no response until it disconnects
//	slow          later  the response after Delay; until then 409 for the same key
//	rate_limit    no     429
//	conflict      no     409: the key is in use
//
// The faults of webhooks. Several may hit the same event:
//
//	duplicate     the event is sent Copies more times at once
//	delay         the first attempt is delayed by Delay
//	reorder       the event waits for an attempt of a later one, at most Delay
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

// faultsOn lists the faults of each target.
var faultsOn = map[Target][]Fault{
	OnCouponCreate: callFaults, OnSessionCreate: callFaults, OnAny: callFaults,
	OnWebhook: {Duplicate, Delay, Reorder, Lose},
}

var callFaults = []Fault{Broken, BrokenAfter, DropBefore, DropAfter, HangBefore, HangAfter, Slow, RateLimit, Conflict}

// SetFaults replaces all rules. They are not stored in the file.
func (s *Server) SetFaults(f Faults) error { return s.faults.Set(f) }

// pick selects the rule for an authorized call. Calls without a target are only hit by rules on any call.
func (s *Server) pick(call Target) Rule {
	return s.faults.First(func(r Rule) bool { return r.On == OnAny || call != "" && r.On == call })
}

// hits returns the rule of a webhook fault that hits an event, or the zero rule.
func (c *courier) hits(fault Fault) Rule {
	return c.faults.First(func(r Rule) bool { return r.On == OnWebhook && r.Fault == fault })
}
