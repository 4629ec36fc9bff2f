package httpapi

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
)

// Meters measure what the API does. They are collected together.
type Meters struct {
	requests *prometheus.HistogramVec
	quotes   *prometheus.HistogramVec
	Streams  prometheus.Gauge
}

// NewMeters have measured nothing yet.
func NewMeters() *Meters {
	m := &Meters{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "customerzero_http_request_duration_seconds", Help: "Time to answer, by route and status. Streams last as long as somebody looks on.",
			Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10},
		}, []string{"method", "route", "status"}),
		quotes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "customerzero_quote_duration_seconds", Help: "How long buyers waited for a price and a page to pay on, and whether they got them.",
			Buckets: []float64{.03, .1, .2, .3, .5, 1, 2, 5, 10, 30},
		}, []string{"outcome"}),
		Streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "customerzero_event_streams_open", Help: "Clients that follow a chaos run right now.",
		}),
	}
	for _, outcome := range []string{quoteGiven, quoteRefused} { // alarms compare them from the first one on
		m.quotes.WithLabelValues(outcome)
	}
	return m
}

const (
	quoteGiven   = "given"
	quoteRefused = "refused"
)

// Describe is for the registry.
func (m *Meters) Describe(out chan<- *prometheus.Desc) {
	m.requests.Describe(out)
	m.quotes.Describe(out)
	m.Streams.Describe(out)
}

// Collect is for the registry.
func (m *Meters) Collect(out chan<- prometheus.Metric) {
	m.requests.Collect(out)
	m.quotes.Collect(out)
	m.Streams.Collect(out)
}

// Observe times every request by route, so that unknown paths cannot make new series.
func (m *Meters) Observe(c *gin.Context) {
	begin := time.Now()
	c.Next()
	slog.DebugContext(c.Request.Context(), "request", "method", c.Request.Method, "route", c.FullPath(),
		"status", c.Writer.Status(), "took", time.Since(begin))
	m.requests.WithLabelValues(KnownMethod(c.Request.Method, "other"), c.FullPath(), strconv.Itoa(c.Writer.Status())).
		Observe(time.Since(begin).Seconds())
}

// Quoted notes how long somebody waited for a price.
func (m *Meters) Quoted(began time.Time, err error) {
	outcome := quoteGiven
	if err != nil {
		outcome = quoteRefused
	}
	m.quotes.WithLabelValues(outcome).Observe(time.Since(began).Seconds())
}

// KnownMethod is a request's method, or another word for what is none: it bounds what strangers can make a name of.
func KnownMethod(method, other string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return other
}
