package stripe

import "slices"

// Fault is a way to misbehave.
type Fault string

// What each fault does. "Done" says whether Stripe did what the call asks for; a 500 is
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

// Target is which calls a rule is about.
type Target string

const (
	OnCouponCreate  Target = "coupon_create"
	OnCouponRead    Target = "coupon_read"
	OnCouponDelete  Target = "coupon_delete"
	OnSessionCreate Target = "session_create"
	OnSessionRead   Target = "session_read"
	OnSessionExpire Target = "session_expire"
	OnPaymentRead   Target = "payment_read"
	OnRefundCreate  Target = "refund_create"
	OnRefundRead    Target = "refund_read"
	OnEvents        Target = "events"

	OnAny     Target = "any"     // all of those
	OnWebhook Target = "webhook" // the events that are sent
)

// Everything that a rule can name.
var (
	CallFaults    = []Fault{Broken, BrokenAfter, DropBefore, DropAfter, HangBefore, HangAfter, Slow, RateLimit, Conflict}
	WebhookFaults = []Fault{Duplicate, Delay, Reorder, Lose}
	Targets       = []Target{
		OnCouponCreate, OnCouponRead, OnCouponDelete, OnSessionCreate, OnSessionRead, OnSessionExpire, OnPaymentRead,
		OnRefundCreate, OnRefundRead, OnEvents, OnAny, OnWebhook,
	}
)

// faultsOf lists what a rule on the target can do.
func (t Target) faultsOf() []Fault {
	if t == OnWebhook {
		return WebhookFaults
	}
	return CallFaults
}

// suits says whether the fault can hit the target.
func (f Fault) suits(t Target) bool { return slices.Contains(t.faultsOf(), f) }
