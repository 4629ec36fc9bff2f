package x

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Fault is a way to misbehave.
type Fault string

// "Before" means that X did not take the call; "after", that it did, and the client is not told.
const (
	RateLimit        Fault = "rate_limit"        // 429; the reset is Delay from now
	Unauthorized     Fault = "unauthorized"      // 401
	NoCredits        Fault = "no_credits"        // 402
	Forbidden        Fault = "forbidden"         // 403: the app may only read
	Unavailable      Fault = "unavailable"       // 503, as HTML
	UnavailableAfter Fault = "unavailable_after" // accepted, and 503 all the same
	DropBefore       Fault = "drop_before"       // the connection is cut
	DropAfter        Fault = "drop_after"        // accepted, then the connection is cut
	HangBefore       Fault = "hang_before"       // no answer until the client leaves
	HangAfter        Fault = "hang_after"        // accepted, then no answer until the client leaves
	Truncate         Fault = "truncate"          // accepted, but only half of the answer comes
	Slow             Fault = "slow"              // accepted; the answer comes after Delay
	Late             Fault = "late"              // hangs; accepted, but people see it after Delay only
)

// AllFaults lists every fault.
var AllFaults = []Fault{
	RateLimit, Unauthorized, NoCredits, Forbidden, Unavailable, UnavailableAfter, DropBefore, DropAfter,
	HangBefore, HangAfter, Truncate, Slow, Late,
}

// Target is which calls a rule is about.
type Target string

const (
	OnPost Target = "post" // POST /2/tweets
	OnRead Target = "read" // GET /2/…
	OnAny  Target = "any"  // those, DELETE, and the token endpoints
)

const (
	defaultDelay = 2 * time.Second
	maxDelay     = 24 * time.Hour
	maxRules     = 100
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
	Delay time.Duration // 0: two seconds
}

// check says what is wrong with the rule, and gives it its defaults.
func (r Rule) check() (Rule, error) {
	switch {
	case !slices.Contains([]Target{OnPost, OnRead, OnAny}, r.On):
		return r, fmt.Errorf("on %q: use post, read or any", r.On)
	case !slices.Contains(AllFaults, r.Fault):
		return r, fmt.Errorf("fault %q: use one of %q", r.Fault, AllFaults)
	case !(r.Rate >= 0 && r.Rate <= 1): // also what is not a number
		return r, fmt.Errorf("rate %v: a rate is above 0 and at most 1", r.Rate)
	case r.Times < 0:
		return r, fmt.Errorf("times %d: use 0 for any number of times", r.Times)
	case r.Delay < 0 || r.Delay > maxDelay:
		return r, fmt.Errorf("delay %s: a delay is at most %s", r.Delay, maxDelay)
	}
	if r.Rate == 0 {
		r.Rate = 1
	}
	if r.Delay == 0 {
		r.Delay = defaultDelay
	}
	return r, nil
}

// SetFaults replaces the rules; none switches the faults off. They are not kept in the
// file: a restarted sandbox behaves.
func (s *Server) SetFaults(f Faults) error { return s.faults.set(f) }

// faultBoard decides which calls are hit.
type faultBoard struct {
	mu    sync.Mutex
	seed  uint64
	rules []*activeRule
}

type activeRule struct {
	Rule
	chance      *rand.Rand // its own, so that one rule's calls do not shift another's
	seen, fired int
}

func (b *faultBoard) set(f Faults) error {
	if len(f.Rules) > maxRules {
		return fmt.Errorf("%d rules: at most %d", len(f.Rules), maxRules)
	}
	rules := make([]*activeRule, 0, len(f.Rules))
	for i, rule := range f.Rules {
		rule, err := rule.check()
		if err != nil {
			return fmt.Errorf("rule %d: %w", i+1, err)
		}
		chance := rand.New(rand.NewPCG(f.Seed, uint64(i)))
		rules = append(rules, &activeRule{Rule: rule, chance: chance})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seed, b.rules = f.Seed, rules
	return nil
}

// pick decides on one call.
func (b *faultBoard) pick(on Target) (Rule, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, rule := range b.rules {
		if rule.On != OnAny && rule.On != on || rule.Times > 0 && rule.fired >= rule.Times {
			continue
		}
		rule.seen++
		if rule.chance.Float64() < rule.Rate {
			rule.fired++
			return rule.Rule, true
		}
	}
	return Rule{}, false
}

// list gives the rules and how they have fared.
func (b *faultBoard) list() (uint64, []activeRule) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rules := make([]activeRule, 0, len(b.rules))
	for _, rule := range b.rules {
		rules = append(rules, *rule)
	}
	return b.seed, rules
}
