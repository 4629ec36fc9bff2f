package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"customerzero/internal/sandbox/pages"
)

const maxBody = 64 << 10

// planJSON is a Plan over HTTP.
type planJSON struct {
	Seed  uint64     `json:"seed"`
	Rules []ruleJSON `json:"rules"`
}

type ruleJSON struct {
	On     Target   `json:"on"`
	Fault  Fault    `json:"fault"`
	Rate   *float64 `json:"rate,omitempty"`
	Times  int      `json:"times"`
	Delay  string   `json:"delay,omitempty"`
	Copies int      `json:"copies,omitempty"`
	Seen   *int     `json:"seen,omitempty"` // answers only, as Fired
	Fired  *int     `json:"fired,omitempty"`
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
		plan.Rules = append(plan.Rules, ruleJSON{
			On: r.On, Fault: r.Fault, Rate: &r.Rate, Times: r.Times, Delay: r.Delay.String(), Copies: r.Copies,
			Seen: &r.Seen, Fired: &r.Fired,
		})
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
	read, err := Decode[planJSON](body)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Seed: read.Seed}
	for i, rule := range read.Rules {
		rule, err := rule.rule()
		if err != nil {
			return Plan{}, fmt.Errorf("rule %d: %w", i+1, err)
		}
		plan.Rules = append(plan.Rules, rule)
	}
	return plan, nil
}

func (r ruleJSON) rule() (Rule, error) {
	rule := Rule{On: r.On, Fault: r.Fault, Times: r.Times, Copies: r.Copies}
	if r.Rate != nil {
		if rule.Rate = *r.Rate; rule.Rate == 0 {
			return rule, errors.New("rate 0: leave the rule out, or leave the rate out to hit every call")
		}
	}
	if r.Delay == "" {
		return rule, nil
	}
	delay, err := time.ParseDuration(r.Delay)
	if err != nil {
		return rule, fmt.Errorf("delay %q: use a duration such as 2s", r.Delay)
	}
	rule.Delay = delay
	return rule, nil
}

// Decode reads faults as JSON: one value, all of whose fields T has.
func Decode[T any](body io.Reader) (faults T, err error) {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&faults); err != nil {
		return faults, fmt.Errorf("the faults are not readable: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return faults, errors.New("the faults are followed by something else")
	}
	return faults, nil
}
