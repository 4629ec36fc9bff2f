// Package opsserver answers operators: how a process is, whether it can do its work, and what it has
// counted. It listens beside what everybody may ask.
package opsserver

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"
)

// checkWithin is how long all checks together may take.
const checkWithin = 3 * time.Second

// Check is one thing without which a process cannot do its work.
type Check struct {
	Name   string
	Remedy string // what an operator is told when it fails
	Look   func(context.Context) error
}

// Checks answer 200 when all of them succeed, else 503.
type Checks []Check

// Readiness says whether a process can do its work. The zero value says that it cannot, which is
// so while it starts.
type Readiness struct {
	asked atomic.Pointer[answering]
}

type answering struct {
	http.Handler
	ready func(context.Context) bool
}

// Ask lets somebody answer from now on, who also says in a word whether the process is ready.
func (r *Readiness) Ask(who http.Handler, ready func(context.Context) bool) {
	r.asked.Store(&answering{who, ready})
}

// Stopping is not ready any more.
func (r *Readiness) Stopping() { r.asked.Store(nil) }

// Now says whether the process can do its work.
func (r *Readiness) Now(ctx context.Context) bool {
	who := r.asked.Load()
	return who != nil && who.ready(ctx)
}

// ServeHTTP lets those answer who know.
func (r *Readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if who := r.asked.Load(); who != nil {
		who.ServeHTTP(w, req)
		return
	}
	answer(w, Report{Status: unavailable, Checks: []Result{{Name: "work", Detail: "this process is starting or stopping"}}})
}

// Report is the outcome of every check.
type Report struct {
	Status string   `json:"status"` // ok or unavailable
	Checks []Result `json:"checks"`
}

// Result is the outcome of one.
type Result struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

const (
	well        = "ok"
	unavailable = "unavailable"
)

// Report looks at everything.
func (checks Checks) Report(ctx context.Context) Report {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	report := Report{Status: well, Checks: []Result{}}
	for _, check := range checks {
		result := Result{Name: check.Name, OK: check.Look(ctx) == nil}
		if !result.OK {
			result.Detail, report.Status = check.Remedy, unavailable
		}
		report.Checks = append(report.Checks, result)
	}
	return report
}

// Ready says whether nothing is wrong.
func (checks Checks) Ready(ctx context.Context) bool { return checks.Report(ctx).Status == well }

func (checks Checks) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	answer(w, checks.Report(req.Context()))
}

// Handler is what a process tells operators. That it answers at all says that it lives.
func Handler(metrics, readiness http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.Handle("GET /readyz", readiness)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, Report{Status: well, Checks: []Result{}})
	})
	return mux
}

func answer(w http.ResponseWriter, report Report) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if report.Status != well {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(report) // who asked may be gone
}
