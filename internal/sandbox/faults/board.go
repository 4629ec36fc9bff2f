// Package faults decides which calls of a sandbox misbehave, and lets callers set the rules
// over HTTP.
package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"customerzero/internal/sandbox/pages"
)

// MaxRules is how many rules a board takes.
const MaxRules = 100

const (
	defaultDelay = 2 * time.Second
	maxDelay     = 24 * time.Hour
	maxCopies    = 100
)

// Target is the kind of calls that a rule is about, and Fault a way to misbehave. Each
// sandbox declares its own.
type (
	Target string
	Fault  string
)

// Plan is a list of rules with one source of chance: the same seed hits the same calls,
// counted from when the rules were set. The first rule that fires decides.
type Plan struct {
	Seed  uint64
	Rules []Rule
}

// Rule is one fault and when it happens.
type Rule struct {
	On     Target        `json:"on"`
	Fault  Fault         `json:"fault"`
	Rate   float64       `json:"-"`                // share of the calls that are hit; 0: all of them
	Times  int           `json:"times"`            // upper limit of hits; 0: none
	Delay  time.Duration `json:"-"`                // 0: the sandbox's default for the fault, or two seconds
	Copies int           `json:"copies,omitempty"` // of a repeated webhook, beside the first
}

// checked validates the numbers of the rule and fills in their defaults.
func (r Rule) checked() (Rule, error) {
	switch {
	case !(r.Rate >= 0 && r.Rate <= 1): // also what is not a number
		return r, fmt.Errorf("rate %v: a rate is above 0 and at most 1", r.Rate)
	case r.Times < 0:
		return r, fmt.Errorf("times %d: use 0 for any number of times", r.Times)
	case r.Delay.Abs() > maxDelay:
		return r, fmt.Errorf("delay %s: a delay is at most %s", r.Delay, maxDelay)
	case r.Copies < 0 || r.Copies > maxCopies:
		return r, fmt.Errorf("copies %d: at most %d", r.Copies, maxCopies)
	}
	if r.Rate == 0 {
		r.Rate = 1
	}
	if r.Delay == 0 {
		r.Delay = defaultDelay
	}
	return r, nil
}

// Active is a rule of a board with its counts: calls in question, and calls hit.
type Active struct {
	Rule
	Seen, Fired int

	chance *rand.Rand // its own, so that one rule's calls do not shift another's
}

// Board holds the rules of one sandbox.
type Board struct {
	check   func(Rule) (Rule, error)
	closing chan struct{}

	mu    sync.Mutex
	seed  uint64
	rules []*Active
}

// NewBoard returns a board without rules. check reports a target or fault that the sandbox
// does not have, and fills in the sandbox's own defaults.
func NewBoard(check func(Rule) (Rule, error)) *Board {
	return &Board{check: check, closing: make(chan struct{})}
}

// Close ends the calls that hang. Call it once.
func (b *Board) Close() { close(b.closing) }

// Pause reports whether the time passed before the client left or the sandbox closed.
func (b *Board) Pause(client context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-client.Done():
	case <-b.closing:
	}
	return false
}

// Hang says nothing until the client leaves or the sandbox closes.
func (b *Board) Hang(client context.Context) {
	b.Pause(client, math.MaxInt64)
	Cut()
}

// Cut closes the connection without an answer.
func Cut() { panic(http.ErrAbortHandler) }

// Set replaces the rules, all of them or none. A plan without rules switches faults off.
func (b *Board) Set(plan Plan) error {
	if len(plan.Rules) > MaxRules {
		return fmt.Errorf("%d rules: at most %d", len(plan.Rules), MaxRules)
	}
	active := make([]*Active, 0, len(plan.Rules))
	for i, rule := range plan.Rules {
		rule, err := b.check(rule)
		if err == nil {
			rule, err = rule.checked()
		}
		if err != nil {
			return fmt.Errorf("rule %d: %w", i+1, err)
		}
		active = append(active, &Active{Rule: rule, chance: rand.New(rand.NewPCG(plan.Seed, uint64(i)))})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seed, b.rules = plan.Seed, active
	return nil
}

// First returns the first rule that applies and fires; without one, the zero rule.
func (b *Board) First(applies func(Rule) bool) (Rule, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rules {
		if !applies(r.Rule) || r.Times > 0 && r.Fired >= r.Times {
			continue
		}
		r.Seen++
		if r.chance.Float64() < r.Rate {
			r.Fired++
			return r.Rule, true
		}
	}
	return Rule{}, false
}

// List returns the seed, and the rules with their counts.
func (b *Board) List() (uint64, []Active) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rules := make([]Active, 0, len(b.rules))
	for _, r := range b.rules {
		rules = append(rules, *r)
	}
	return b.seed, rules
}

// Describe returns a line for each rule, for people.
func (b *Board) Describe() []string {
	_, rules := b.List()
	lines := make([]string, 0, len(rules))
	for _, r := range rules {
		line := strings.ReplaceAll(string(r.Fault)+" on "+string(r.On), "_", " ")
		if r.Rate < 1 {
			line += " (" + strconv.FormatFloat(100*r.Rate, 'f', -1, 64) + " %)"
		}
		lines = append(lines, line)
	}
	return lines
}

const maxBody = 64 << 10

// planJSON is a Plan over HTTP.
type planJSON struct {
	Seed  uint64     `json:"seed"`
	Rules []ruleJSON `json:"rules"`
}

type ruleJSON struct {
	Rule
	Rate  *float64 `json:"rate,omitempty"`
	Delay string   `json:"delay,omitempty"`
	Seen  *int     `json:"seen,omitempty"` // answers only, as Fired
	Fired *int     `json:"fired,omitempty"`
}

// Route adds the board under the path: GET lists the rules, PUT replaces them, DELETE
// removes them.
func (b *Board) Route(mux *http.ServeMux, path string) {
	mux.HandleFunc("GET "+path, pages.OwnOnly(b.show))
	mux.HandleFunc("PUT "+path, pages.OwnOnly(b.put))
	mux.HandleFunc("DELETE "+path, pages.OwnOnly(b.clear))
}

func (b *Board) show(w http.ResponseWriter, _ *http.Request) {
	seed, rules := b.List()
	plan := planJSON{Seed: seed, Rules: make([]ruleJSON, 0, len(rules))}
	for _, r := range rules {
		plan.Rules = append(plan.Rules, ruleJSON{Rule: r.Rule, Rate: &r.Rate, Delay: r.Delay.String(), Seen: &r.Seen, Fired: &r.Fired})
	}
	pages.WriteJSON(w, http.StatusOK, plan)
}

func (b *Board) put(w http.ResponseWriter, r *http.Request) {
	plan, err := readPlan(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = b.Set(plan)
	}
	if err != nil {
		pages.WriteJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	b.show(w, r)
}

func (b *Board) clear(w http.ResponseWriter, _ *http.Request) {
	_ = b.Set(Plan{}) // without a rule, none is wrong
	w.WriteHeader(http.StatusNoContent)
}

func readPlan(body io.Reader) (Plan, error) {
	read, err := decode(body)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Seed: read.Seed}
	for i, r := range read.Rules {
		rule := r.Rule
		if r.Rate != nil {
			rule.Rate = *r.Rate
		}
		if r.Delay != "" {
			rule.Delay, err = time.ParseDuration(r.Delay)
		}
		switch {
		case r.Rate != nil && rule.Rate == 0:
			return Plan{}, fmt.Errorf("rule %d: rate 0: leave the rule out, or leave the rate out to hit every call", i+1)
		case err != nil:
			return Plan{}, fmt.Errorf("rule %d: delay %q: use a duration such as 2s", i+1, r.Delay)
		}
		plan.Rules = append(plan.Rules, rule)
	}
	return plan, nil
}

// decode reads one plan as JSON, without unknown fields.
func decode(body io.Reader) (plan planJSON, err error) {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		return plan, fmt.Errorf("the faults are not readable: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return plan, errors.New("the faults are followed by something else")
	}
	return plan, nil
}
