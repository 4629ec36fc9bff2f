package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

const (
	canaryFresh = 30 * time.Second // age of the last canary after which a new one runs
	canaryStale = time.Minute      // age of the last canary after which the process is not ready
	checkWithin = 3 * time.Second
)

// Health checks whether this process can serve requests and get workflows run.
type Health struct {
	Database func(context.Context) error
	Temporal func(context.Context) error
	Canary   func(context.Context) error // runs a workflow to its end
	Now      func() time.Time
	Drain    *Drain // nil if the process never drains

	mu           sync.Mutex
	canaryPassed time.Time
}

// HealthReport is the outcome of every check.
type HealthReport struct {
	Status string        `json:"status" doc:"Result of all checks" enum:"ok,unavailable"`
	Checks []HealthCheck `json:"checks" doc:"Result of each check"`
}

// HealthCheck is the outcome of one check.
type HealthCheck struct {
	Name   string `json:"name" doc:"Name of the check"`
	OK     bool   `json:"ok" doc:"True if the check passed"`
	Detail string `json:"detail,omitempty" doc:"Why the check failed; omitted if it passed"`
}

type healthReply struct {
	Status int
	Body   HealthReport
}

// getHealth answers the reverse proxy. It does not check what all replicas share: without Temporal each of them can
// still serve everything that starts no workflow.
func (s *Server) getHealth(context.Context, *struct{}) (*healthReply, error) {
	if s.Health != nil && s.Health.Drain.Begun() { // an instance of the chaos target has no Health
		return &healthReply{http.StatusServiceUnavailable, draining()}, nil
	}
	return &healthReply{http.StatusOK, HealthReport{Status: "ok", Checks: []HealthCheck{}}}, nil
}

func draining() HealthReport {
	why := HealthCheck{Name: "draining", Detail: "this process is shutting down"}
	return HealthReport{Status: "unavailable", Checks: []HealthCheck{why}}
}

func (s *Server) getReadiness(ctx context.Context, _ *struct{}) (*healthReply, error) {
	report, status := s.Health.report(ctx), http.StatusOK
	if report.Status != "ok" {
		status = http.StatusServiceUnavailable
	}
	return &healthReply{status, report}, nil
}

// Ready reports whether every check passes.
func (h *Health) Ready(ctx context.Context) bool { return h.report(ctx).Status == "ok" }

func (h *Health) report(ctx context.Context) HealthReport {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	if h.Drain.Begun() {
		return draining()
	}
	report := HealthReport{Status: "ok"}
	for _, check := range []struct {
		name, detail string
		run          func(context.Context) error
	}{
		{"database", "the database does not respond, or its file was removed or replaced", h.Database},
		{"temporal", "Temporal does not respond", h.Temporal},
		{"canary", "no canary workflow finished in the last minute; check that a worker is running", h.checkCanary},
	} {
		result := HealthCheck{Name: check.name, OK: check.run(ctx) == nil}
		if !result.OK {
			result.Detail, report.Status = check.detail, "unavailable"
		}
		report.Checks = append(report.Checks, result)
	}
	return report
}

// checkCanary runs a canary if the last one is not fresh. The lock keeps many probes from starting many workflows.
func (h *Health) checkCanary(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	age := h.Now().Sub(h.canaryPassed)
	if age < canaryFresh {
		return nil
	}
	err := h.Canary(ctx)
	if err == nil {
		h.canaryPassed = h.Now()
		return nil
	}
	if age < canaryStale {
		return nil
	}
	return err
}

// over returns a channel that is closed when the shutdown begins. It is nil for the chaos target, which does not drain.
func (s *Server) over() <-chan struct{} {
	if s.Health == nil {
		return nil
	}
	return s.Health.Drain.Over()
}

// meters returns the configured metrics, or creates ones that are not scraped.
func (s *Server) meters() *httpapi.Meters {
	s.measured.Do(func() {
		if s.Meters == nil {
			s.Meters = httpapi.NewMeters()
		}
	})
	return s.Meters
}

func (s *Server) scrape(c *gin.Context) {
	if s.Scrape == nil {
		httpapi.Refuse(c, problem.NotFound, httpapi.NoEndpoint)
		return
	}
	s.Scrape.ServeHTTP(c.Writer, c.Request)
}
