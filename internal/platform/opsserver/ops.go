// Package opsserver serves the health, readiness and metrics of a process on a separate address.
package opsserver

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"
)

// checkWithin bounds all checks together.
const checkWithin = 3 * time.Second

// Check is a dependency without which a process cannot work.
type Check struct {
	Name   string
	Remedy string // detail of the report if the check fails
	Look   func(context.Context) error
}

// Checks respond with 200 if all of them pass, else with 503.
type Checks []Check

// Readiness reports whether a process can work. The zero value is not ready.
type Readiness struct {
	source atomic.Pointer[source]
}

type source struct {
	http.Handler
	ready func(context.Context) bool
}

// Use sets the handler of /readyz and the function behind Now.
func (r *Readiness) Use(handler http.Handler, ready func(context.Context) bool) {
	r.source.Store(&source{handler, ready})
}

// Stopping makes the process not ready.
func (r *Readiness) Stopping() { r.source.Store(nil) }

// Now reports whether the process can work.
func (r *Readiness) Now(ctx context.Context) bool {
	s := r.source.Load()
	return s != nil && s.ready(ctx)
}

func (r *Readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if s := r.source.Load(); s != nil {
		s.ServeHTTP(w, req)
		return
	}
	respond(w, Report{Status: unavailable, Checks: []Result{{Name: "work", Detail: "this process is starting or stopping"}}})
}

// Report is the outcome of every check.
type Report struct {
	Status string   `json:"status"` // ok or unavailable
	Checks []Result `json:"checks"`
}

// Result is the outcome of one check.
type Result struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

const (
	healthy     = "ok"
	unavailable = "unavailable"
)

// Report runs all checks.
func (checks Checks) Report(ctx context.Context) Report {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	report := Report{Status: healthy, Checks: []Result{}}
	for _, check := range checks {
		result := Result{Name: check.Name, OK: check.Look(ctx) == nil}
		if !result.OK {
			result.Detail, report.Status = check.Remedy, unavailable
		}
		report.Checks = append(report.Checks, result)
	}
	return report
}

// Ready reports whether all checks pass.
func (checks Checks) Ready(ctx context.Context) bool { return checks.Report(ctx).Status == healthy }

func (checks Checks) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	respond(w, checks.Report(req.Context()))
}

// Handler serves /metrics, /readyz and /healthz, which always returns 200.
func Handler(metrics, readiness http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.Handle("GET /readyz", readiness)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, Report{Status: healthy, Checks: []Result{}})
	})
	return mux
}

func respond(w http.ResponseWriter, report Report) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if report.Status != healthy {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(report) // the client may be gone
}
