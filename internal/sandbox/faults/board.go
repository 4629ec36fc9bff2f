// Package faults decides which of a sandbox's calls are hit by which of its rules.
package faults

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

// MaxRules is how many rules a board takes.
const MaxRules = 100

// Rule is a sandbox's own kind of rule. Odds gives the share of the calls that it hits,
// above 0 and at most 1, and how often at most; 0 times: any number.
type Rule interface {
	Odds() (rate float64, times int)
}

// Active is a rule and how it has fared: how often it was asked, and how often it fired.
type Active[R Rule] struct {
	Rule        R
	Seen, Fired int

	chance *rand.Rand // its own, so that one rule's calls do not shift another's
}

// Board holds rules with one source of chance: the same seed hits the same calls, counted
// from when the rules were set. Its zero value has no rules.
type Board[R Rule] struct {
	mu    sync.Mutex
	seed  uint64
	rules []*Active[R]
}

// Set replaces the rules, all of them or none; check says what is wrong with one, and gives
// it its defaults.
func (b *Board[R]) Set(seed uint64, rules []R, check func(R) (R, error)) error {
	if len(rules) > MaxRules {
		return fmt.Errorf("%d rules: at most %d", len(rules), MaxRules)
	}
	active := make([]*Active[R], 0, len(rules))
	for i, rule := range rules {
		rule, err := check(rule)
		if err != nil {
			return fmt.Errorf("rule %d: %w", i+1, err)
		}
		active = append(active, &Active[R]{Rule: rule, chance: rand.New(rand.NewPCG(seed, uint64(i)))})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seed, b.rules = seed, active
	return nil
}

// First gives the first rule of those in question that fires.
func (b *Board[R]) First(inQuestion func(R) bool) (R, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, active := range b.rules {
		rate, times := active.Rule.Odds()
		if !inQuestion(active.Rule) || times > 0 && active.Fired >= times {
			continue
		}
		active.Seen++
		if active.chance.Float64() < rate {
			active.Fired++
			return active.Rule, true
		}
	}
	var none R
	return none, false
}

// List gives the seed, and the rules as they stand.
func (b *Board[R]) List() (uint64, []Active[R]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rules := make([]Active[R], 0, len(b.rules))
	for _, active := range b.rules {
		rules = append(rules, *active)
	}
	return b.seed, rules
}
