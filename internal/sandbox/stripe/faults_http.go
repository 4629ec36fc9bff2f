package stripe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"customerzero/internal/sandbox/faults"
)

// faultsWire is Faults as JSON.
type faultsWire struct {
	Seed  uint64     `json:"seed"`
	Rules []ruleWire `json:"rules"`
}

type ruleWire struct {
	On     Target   `json:"on"`
	Fault  Fault    `json:"fault"`
	Rate   *float64 `json:"rate,omitempty"`
	Times  int      `json:"times"`
	Delay  string   `json:"delay,omitempty"`
	Copies int      `json:"copies,omitempty"`
	Seen   *int     `json:"seen,omitempty"` // answers only, as Fired
	Fired  *int     `json:"fired,omitempty"`
}

// routeFaults adds the switchboard. It is not for other sites' pages.
func (s *Server) routeFaults(mux *http.ServeMux) {
	const path = root + "/faults"
	mux.HandleFunc("GET "+path, ownPagesOnly(s.showFaults))
	mux.HandleFunc("PUT "+path, ownPagesOnly(s.putFaults))
	mux.HandleFunc("DELETE "+path, ownPagesOnly(s.clearFaults))
}

func (s *Server) showFaults(w http.ResponseWriter, _ *http.Request) {
	seed, rules := s.faults.List()
	shown := faultsWire{Seed: seed, Rules: make([]ruleWire, 0, len(rules))}
	for _, r := range rules {
		shown.Rules = append(shown.Rules, ruleWire{
			On: r.Rule.On, Fault: r.Rule.Fault, Rate: &r.Rule.Rate, Times: r.Rule.Times, Delay: r.Rule.Delay.String(),
			Copies: r.Rule.Copies, Seen: &r.Seen, Fired: &r.Fired,
		})
	}
	writeJSON(w, http.StatusOK, shown)
}

func (s *Server) putFaults(w http.ResponseWriter, r *http.Request) {
	wanted, err := readFaults(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = s.SetFaults(wanted)
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	s.showFaults(w, r)
}

func (s *Server) clearFaults(w http.ResponseWriter, _ *http.Request) {
	_ = s.SetFaults(Faults{}) // no rule, so none is wrong
	w.WriteHeader(http.StatusNoContent)
}

func readFaults(body io.Reader) (Faults, error) {
	read, err := faults.Decode[faultsWire](body)
	if err != nil {
		return Faults{}, err
	}
	wanted := Faults{Seed: read.Seed}
	for i, rule := range read.Rules {
		rule, err := rule.rule()
		if err != nil {
			return Faults{}, fmt.Errorf("rule %d: %w", i+1, err)
		}
		wanted.Rules = append(wanted.Rules, rule)
	}
	return wanted, nil
}

func (w ruleWire) rule() (Rule, error) {
	rule := Rule{On: w.On, Fault: w.Fault, Times: w.Times, Copies: w.Copies}
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

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has gone
}
