package x

import (
	"fmt"
	"slices"
	"time"

	"customerzero/internal/sandbox/faults"
)

const (
	defaultDelay = 2 * time.Second
	defaultSkew  = 10 * time.Minute // twice what the check of timestamps lets pass
	maxDelay     = 24 * time.Hour
)

// Faults are rules with one source of chance: the same seed hits the same calls, counted
// from when the rules were set. The first rule that fires decides.
type Faults struct {
	Seed  uint64
	Rules []Rule
}

// Rule is one fault and when it happens.
type Rule struct {
	On    Target
	Fault Fault
	Rate  float64       // the share of the calls it hits; 0: all of them
	Times int           // how often at most; 0: as often as the rate says
	Delay time.Duration // 0: two seconds; for a clock, ten minutes
}

// check says what is wrong with the rule, and gives it its defaults.
func (r Rule) check() (Rule, error) {
	switch {
	case !slices.Contains(targets, r.On):
		return r, fmt.Errorf("on %q: use one of %q", r.On, targets)
	case !slices.Contains(AllFaults, r.Fault):
		return r, fmt.Errorf("fault %q: use one of %q", r.Fault, AllFaults)
	case !slices.Contains(targetsFor(r.Fault), r.On):
		return r, fmt.Errorf("fault %q on %q: use it on one of %q", r.Fault, r.On, targetsFor(r.Fault))
	case !(r.Rate >= 0 && r.Rate <= 1): // also what is not a number
		return r, fmt.Errorf("rate %v: a rate is above 0 and at most 1", r.Rate)
	case r.Times < 0:
		return r, fmt.Errorf("times %d: use 0 for any number of times", r.Times)
	case r.Delay < 0 && r.Fault != Clock:
		return r, fmt.Errorf("delay %s: only a clock can be behind", r.Delay)
	case r.Delay > maxDelay || r.Delay < -maxDelay:
		return r, fmt.Errorf("delay %s: a delay is at most %s", r.Delay, maxDelay)
	}
	return r.withDefaults(), nil
}

func (r Rule) withDefaults() Rule {
	if r.Rate == 0 {
		r.Rate = 1
	}
	if r.Delay == 0 {
		r.Delay = defaultDelay
		if r.Fault == Clock {
			r.Delay = defaultSkew
		}
	}
	return r
}

// hits says whether the rule is about such a call.
func (r Rule) hits(call Target) bool {
	return slices.Contains(r.On.calls(), call) && r.Fault.suits(call)
}

// Odds says how many calls the rule hits, and how often at most.
func (r Rule) Odds() (rate float64, times int) { return r.Rate, r.Times }

// SetFaults replaces the rules; none switches the faults off. They are not kept in the
// file: a restarted sandbox behaves.
func (s *Server) SetFaults(f Faults) error { return s.faults.set(f) }

// faultBoard decides which calls are hit.
type faultBoard struct{ faults.Board[Rule] }

func (b *faultBoard) set(f Faults) error { return b.Set(f.Seed, f.Rules, Rule.check) }

// pickCheck decides whether a fault meddles with how a call is checked.
func (b *faultBoard) pickCheck(call Target) (Rule, bool) {
	return b.First(func(r Rule) bool { return r.Fault.meddles() && r.hits(call) })
}

// pick decides what becomes of a call that was let in.
func (b *faultBoard) pick(call Target) (Rule, bool) {
	return b.First(func(r Rule) bool { return !r.Fault.meddles() && r.hits(call) })
}
