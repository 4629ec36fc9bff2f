// Package faults selects which calls of a sandbox misbehave, by rules that are set in code or over HTTP.
package faults

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"customerzero/internal/sandbox/pages"
)

const (
	defaultDelay = 2 * time.Second
	maxCopies    = 100
	maxBody      = 64 << 10
)

// Target is the kind of calls that a rule applies to, and Fault a kind of misbehavior. Each sandbox declares
// its own.
type (
	Target string
	Fault  string
)

// The faults of every sandbox. A "before" fault replaces the call; an "after" fault happens once it is done.
const (
	DropBefore Fault = "drop_before" // the connection is closed
	DropAfter  Fault = "drop_after"
	HangBefore Fault = "hang_before" // no response until the client disconnects
	HangAfter  Fault = "hang_after"
)

// Plan is a list of rules with a random seed: the same seed hits the same calls, counted from when the plan
// was set. The first rule that fires applies.
type Plan struct {
	Seed  uint64
	Rules []Rule
}

// Rule is one fault and the calls that it hits.
type Rule struct {
	On     Target        `json:"on"`
	Fault  Fault         `json:"fault"`
	Rate   float64       `json:"rate"`             // probability of a hit; 0: 1
	Times  int           `json:"times"`            // maximum number of hits; 0: unlimited
	Delay  time.Duration `json:"-"`                // 0: the sandbox's default for the fault, or 2 s
	Copies int           `json:"copies,omitempty"` // additional copies of a webhook
}

// checked validates a rule and sets its defaults.
func (b *Board) checked(r Rule) (Rule, error) {
	known, found := b.faultsOn[r.On]
	switch {
	case !found:
		return r, fmt.Errorf("on %q: use one of %q", r.On, slices.Sorted(maps.Keys(b.faultsOn)))
	case !slices.Contains(known, r.Fault):
		return r, fmt.Errorf("fault %q on %q: use one of %q", r.Fault, r.On, known)
	case !(r.Rate >= 0 && r.Rate <= 1): // rejects NaN too
		return r, fmt.Errorf("rate %v: a rate is above 0 and at most 1", r.Rate)
	case r.Times < 0:
		return r, fmt.Errorf("times %d: use 0 for any number of times", r.Times)
	case r.Copies < 0 || r.Copies > maxCopies:
		return r, fmt.Errorf("copies %d: at most %d", r.Copies, maxCopies)
	}
	r.Rate = cmp.Or(r.Rate, 1)
	r.Delay = cmp.Or(r.Delay, b.delays[r.Fault], defaultDelay)
	return r, nil
}

// Active is a rule with its number of hits.
type Active struct {
	Rule
	Fired int

	chance *rand.Rand // one per rule, so that rules do not affect each other
}

// Board holds the rules of one sandbox.
type Board struct {
	faultsOn map[Target][]Fault
	delays   map[Fault]time.Duration
	closing  chan struct{}

	mu    sync.Mutex
	seed  uint64
	rules []*Active
}

// NewBoard returns a board without rules. faultsOn lists the faults of each target, and delays the default
// delays that are not 2 s.
func NewBoard(faultsOn map[Target][]Fault, delays map[Fault]time.Duration) *Board {
	return &Board{faultsOn: faultsOn, delays: delays, closing: make(chan struct{})}
}

// Close ends hanging calls. Call it once.
func (b *Board) Close() { close(b.closing) }

// Pause waits, and reports whether the time passed before the client disconnected or the sandbox closed.
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

// Before ends a call whose rule prevents it from being served.
func (b *Board) Before(client context.Context, rule Rule) {
	b.end(client, rule.Fault == DropBefore, rule.Fault == HangBefore)
}

// After ends a served call whose rule suppresses its response.
func (b *Board) After(client context.Context, rule Rule) {
	b.end(client, rule.Fault == DropAfter, rule.Fault == HangAfter)
}

// end aborts the connection, in case of a hang after the client disconnected or the sandbox closed.
func (b *Board) end(client context.Context, drop, hang bool) {
	if hang {
		b.Pause(client, math.MaxInt64)
	}
	if drop || hang {
		panic(http.ErrAbortHandler)
	}
}

// Set replaces all rules, or none if one is invalid. A plan without rules disables faults.
func (b *Board) Set(plan Plan) error {
	active := make([]*Active, 0, len(plan.Rules))
	for i, rule := range plan.Rules {
		rule, err := b.checked(rule)
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

// First returns the first rule that applies and fires, or the zero rule.
func (b *Board) First(applies func(Rule) bool) Rule {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rules {
		if applies(r.Rule) && (r.Times == 0 || r.Fired < r.Times) && r.chance.Float64() < r.Rate {
			r.Fired++
			return r.Rule
		}
	}
	return Rule{}
}

// List returns the seed and the rules with their counts.
func (b *Board) List() (uint64, []Active) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rules := make([]Active, 0, len(b.rules))
	for _, r := range b.rules {
		rules = append(rules, *r)
	}
	return b.seed, rules
}

// Describe returns one readable line for each rule.
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

// planJSON is the JSON of a Plan.
type planJSON struct {
	Seed  uint64     `json:"seed"`
	Rules []ruleJSON `json:"rules"`
}

type ruleJSON struct {
	Rule
	Delay string `json:"delay,omitempty"`
	Fired int    `json:"fired"` // in responses only
}

// Route serves the board under the path: GET lists the rules, PUT replaces them, DELETE removes them.
func (b *Board) Route(mux *http.ServeMux, path string) {
	mux.HandleFunc("GET "+path, pages.OwnOnly(b.show))
	mux.HandleFunc("PUT "+path, pages.OwnOnly(b.put))
	mux.HandleFunc("DELETE "+path, pages.OwnOnly(b.clear))
}

func (b *Board) show(w http.ResponseWriter, _ *http.Request) {
	seed, rules := b.List()
	plan := planJSON{Seed: seed, Rules: make([]ruleJSON, 0, len(rules))}
	for _, r := range rules {
		plan.Rules = append(plan.Rules, ruleJSON{Rule: r.Rule, Delay: r.Delay.String(), Fired: r.Fired})
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
	_ = b.Set(Plan{}) // an empty plan is valid
	w.WriteHeader(http.StatusNoContent)
}

func readPlan(body io.Reader) (Plan, error) {
	var read planJSON
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		return Plan{}, fmt.Errorf("invalid faults: %w", err)
	}
	plan := Plan{Seed: read.Seed}
	for i, r := range read.Rules {
		var err error
		if r.Delay != "" {
			r.Rule.Delay, err = time.ParseDuration(r.Delay)
		}
		if err != nil {
			return Plan{}, fmt.Errorf("rule %d: delay %q: use a duration such as 2s", i+1, r.Delay)
		}
		plan.Rules = append(plan.Rules, r.Rule)
	}
	return plan, nil
}
