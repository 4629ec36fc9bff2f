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
	// canaryFresh is how old a canary's success may be before another one is sent.
	canaryFresh = 30 * time.Second
	// canaryStale is how old it may be before nobody should send us work.
	canaryStale = time.Minute
	checkWithin = 3 * time.Second
)

// Health says whether this process can do its work: not only answer, but get flows run.
type Health struct {
	Database func(context.Context) error
	Temporal func(context.Context) error
	Canary   func(context.Context) error // runs a flow to its end
	Now      func() time.Time
	Drain    *Drain // nil: the process never stops

	mu   sync.Mutex
	sang time.Time
}

// HealthReport is the outcome of every check.
type HealthReport struct {
	Status string        `json:"status" doc:"Result of all checks" enum:"ok,unavailable"`
	Checks []HealthCheck `json:"checks" doc:"Result of each check"`
}

// HealthCheck is one thing looked at.
type HealthCheck struct {
	Name   string `json:"name" doc:"Name of the check"`
	OK     bool   `json:"ok" doc:"True if the check passed"`
	Detail string `json:"detail,omitempty" doc:"Why the check failed; omitted if it passed"`
}

type healthReply struct {
	Status int
	Body   HealthReport
}

// getHealth is what a proxy asks: it says nothing of what all replicas share. If Temporal is away,
// each of them can still answer all but what begins a flow.
func (s *Server) getHealth(context.Context, *struct{}) (*healthReply, error) {
	if s.Health != nil && s.Health.Drain.Begun() { // a replica of the chaos target has none
		return &healthReply{http.StatusServiceUnavailable, leaving()}, nil
	}
	return &healthReply{http.StatusOK, HealthReport{Status: "ok", Checks: []HealthCheck{}}}, nil
}

func leaving() HealthReport {
	why := HealthCheck{Name: "draining", Detail: "this process is about to stop"}
	return HealthReport{Status: "unavailable", Checks: []HealthCheck{why}}
}

func (s *Server) getReadiness(ctx context.Context, _ *struct{}) (*healthReply, error) {
	report := s.Health.report(ctx)
	if report.Status == "ok" {
		return &healthReply{http.StatusOK, report}, nil
	}
	return &healthReply{http.StatusServiceUnavailable, report}, nil
}

// Ready says whether this process can do its work.
func (h *Health) Ready(ctx context.Context) bool { return h.report(ctx).Status == "ok" }

func (h *Health) report(ctx context.Context) HealthReport {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	if h.Drain.Begun() {
		return leaving()
	}
	report := HealthReport{Status: "ok"}
	for _, check := range []struct {
		name, remedy string
		look         func(context.Context) error
	}{
		{"database", "the database does not answer", h.Database},
		{"temporal", "Temporal does not answer", h.Temporal},
		{"canary", "no canary flow ended in the last minute: is a worker running?", h.sing},
	} {
		result := HealthCheck{Name: check.name, OK: check.look(ctx) == nil}
		if !result.OK {
			result.Detail, report.Status = check.remedy, "unavailable"
		}
		report.Checks = append(report.Checks, result)
	}
	return report
}

// sing sends a canary when the last one is a while ago. One at a time: probes from many
// sides must not become many flows.
func (h *Health) sing(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	age := h.Now().Sub(h.sang)
	if age < canaryFresh {
		return nil
	}
	err := h.Canary(ctx)
	if err == nil {
		h.sang = h.Now()
		return nil
	}
	if age < canaryStale {
		return nil
	}
	return err
}

// over is closed when this process stops; a replica of the chaos target is stopped without a word.
func (s *Server) over() <-chan struct{} {
	if s.Health == nil {
		return nil
	}
	return s.Health.Drain.Over()
}

// meters are those that somebody reads, or others: what counts need not ask.
func (s *Server) meters() *httpapi.Meters {
	s.measured.Do(func() {
		if s.Meters == nil {
			s.Meters = httpapi.NewMeters()
		}
	})
	return s.Meters
}

// scrape answers Prometheus, unless operators are answered elsewhere.
func (s *Server) scrape(c *gin.Context) {
	if s.Scrape == nil {
		httpapi.Refuse(c, problem.NotFound, "There is nothing here.")
		return
	}
	s.Scrape.ServeHTTP(c.Writer, c.Request)
}
