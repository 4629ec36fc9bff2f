package x

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// faultsWire is Faults as JSON.
type faultsWire struct {
	Seed  uint64     `json:"seed"`
	Rules []ruleWire `json:"rules"`
}

type ruleWire struct {
	On    Target   `json:"on"`
	Fault Fault    `json:"fault"`
	Rate  *float64 `json:"rate,omitempty"`
	Times int      `json:"times"`
	Delay string   `json:"delay,omitempty"`
	Seen  *int     `json:"seen,omitempty"` // answers only, as Fired
	Fired *int     `json:"fired,omitempty"`
}

// routeFaults adds the switchboard. It is not for other sites' pages.
func (s *Server) routeFaults(mux *http.ServeMux) {
	const path = "/sandbox/x/faults"
	mux.HandleFunc("GET "+path, ownPagesOnly(s.showFaults))
	mux.HandleFunc("PUT "+path, ownPagesOnly(s.putFaults))
	mux.HandleFunc("DELETE "+path, ownPagesOnly(s.clearFaults))
}

func (s *Server) showFaults(w http.ResponseWriter, _ *http.Request) {
	seed, rules := s.faults.list()
	wire := faultsWire{Seed: seed, Rules: make([]ruleWire, 0, len(rules))}
	for _, r := range rules {
		wire.Rules = append(wire.Rules, ruleWire{
			On: r.On, Fault: r.Fault, Rate: &r.Rate, Times: r.Times, Delay: r.Delay.String(), Seen: &r.seen, Fired: &r.fired,
		})
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, wire)
}

func (s *Server) putFaults(w http.ResponseWriter, r *http.Request) {
	faults, err := readFaults(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = s.SetFaults(faults)
	}
	if err != nil {
		problem(w, http.StatusBadRequest, "Bad Request", typeBlank, err.Error())
		return
	}
	s.showFaults(w, r)
}

func (s *Server) clearFaults(w http.ResponseWriter, _ *http.Request) {
	_ = s.SetFaults(Faults{}) // no rule, so none is wrong
	w.WriteHeader(http.StatusNoContent)
}

func readFaults(body io.Reader) (Faults, error) {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	var wire faultsWire
	if err := decoder.Decode(&wire); err != nil {
		return Faults{}, fmt.Errorf("the faults are not readable: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Faults{}, errors.New("the faults are followed by something else")
	}
	faults := Faults{Seed: wire.Seed}
	for i, rule := range wire.Rules {
		read, err := rule.rule()
		if err != nil {
			return Faults{}, fmt.Errorf("rule %d: %w", i+1, err)
		}
		faults.Rules = append(faults.Rules, read)
	}
	return faults, nil
}

func (w ruleWire) rule() (Rule, error) {
	rule := Rule{On: w.On, Fault: w.Fault, Times: w.Times}
	if w.Rate != nil {
		if rule.Rate = *w.Rate; rule.Rate == 0 {
			return rule, errors.New("rate 0: leave the rule out, or leave the rate out to hit every call")
		}
	}
	if w.Delay == "" {
		return rule, nil
	}
	delay, err := time.ParseDuration(w.Delay)
	if err != nil {
		return rule, fmt.Errorf("delay %q: use a duration such as 2s", w.Delay)
	}
	rule.Delay = delay
	return rule, nil
}
