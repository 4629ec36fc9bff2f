package x

import "slices"

// Fault is a way to misbehave.
type Fault string

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
func (f Fault) suits(call Target) bool {
	calls, some := suited[f]
	return !some || slices.Contains(calls, call)
}

// meddles says whether the fault changes how a call is checked.
func (f Fault) meddles() bool { return f == BadApp || f == Clock }
