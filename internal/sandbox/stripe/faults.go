package stripe

import (
	"fmt"
	"slices"
	"time"

	"customerzero/internal/sandbox/faults"
)

const (
	defaultDelay = 2 * time.Second
	maxDelay     = 24 * time.Hour
	maxCopies    = 100
)

// Faults are rules with one source of chance: the same seed hits the same calls, counted
// from when the rules were set. The first rule that fires decides.
type Faults struct {
	Seed  uint64
	Rules []Rule
}

// Rule is one fault and when it happens.
type Rule struct {
	On     Target
	Fault  Fault
	Rate   float64       // the share of the calls it hits; 0: all of them
	Times  int           // how often at most; 0: as often as the rate says
	Delay  time.Duration // 0: two seconds
	Copies int           // of a duplicated event, beside the first; 0: one
}

// Odds says how many calls the rule hits, and how often at most.
func (r Rule) Odds() (rate float64, times int) { return r.Rate, r.Times }

// check says what is wrong with the rule, and gives it its defaults.
func (r Rule) check() (Rule, error) {
	switch {
	case !slices.Contains(Targets, r.On):
		return r, fmt.Errorf("on %q: use one of %q", r.On, Targets)
	case !r.Fault.suits(r.On):
		return r, fmt.Errorf("fault %q on %q: use one of %q", r.Fault, r.On, r.On.faultsOf())
	case !(r.Rate >= 0 && r.Rate <= 1): // also what is not a number
		return r, fmt.Errorf("rate %v: a rate is above 0 and at most 1", r.Rate)
	case r.Times < 0:
		return r, fmt.Errorf("times %d: use 0 for any number of times", r.Times)
	case r.Delay < 0 || r.Delay > maxDelay:
		return r, fmt.Errorf("delay %s: a delay is at most %s", r.Delay, maxDelay)
	case r.Copies < 0 || r.Copies > maxCopies:
		return r, fmt.Errorf("copies %d: at most %d", r.Copies, maxCopies)
	}
	return r.withDefaults(), nil
}

func (r Rule) withDefaults() Rule {
	if r.Rate == 0 {
		r.Rate = 1
	}
	if r.Delay == 0 {
		r.Delay = defaultDelay
	}
	if r.Fault == Duplicate && r.Copies == 0 {
		r.Copies = 1
	}
	return r
}

// SetFaults replaces the rules; none switches the faults off. They are not kept in the
// file: a restarted sandbox behaves.
func (s *Server) SetFaults(f Faults) error { return s.faults.Set(f.Seed, f.Rules, Rule.check) }

// faultBoard decides which calls and events are hit.
type faultBoard struct{ faults.Board[Rule] }

// pick decides what becomes of a call that was let in.
func (b *faultBoard) pick(call Target) (Rule, bool) {
	return b.First(func(r Rule) bool { return r.On == call || r.On == OnAny })
}

// hits decides whether one of the webhooks' faults hits an event.
func (b *faultBoard) hits(fault Fault) (Rule, bool) {
	return b.First(func(r Rule) bool { return r.On == OnWebhook && r.Fault == fault })
}
