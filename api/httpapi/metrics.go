package httpapi

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
)

// Meters are the metrics of the API. They implement prometheus.Collector.
type Meters struct {
	requests *prometheus.HistogramVec
	quotes   *prometheus.HistogramVec
	Streams  prometheus.Gauge
}

// NewMeters returns metrics without samples.
func NewMeters() *Meters {
	m := &Meters{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "customerzero_http_request_duration_seconds", Help: "Request duration by route and status. Event streams last until the client disconnects.",
			Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10},
		}, []string{"method", "route", "status"}),
		quotes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "customerzero_quote_duration_seconds", Help: "Time to quote a price and create its payment page, by outcome.",
			Buckets: []float64{.03, .1, .2, .3, .5, 1, 2, 5, 10, 30},
		}, []string{"outcome"}),
		Streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "customerzero_event_streams_open", Help: "Open event streams of chaos runs.",
		}),
	}
	for _, outcome := range []string{"given", "refused"} { // alerts compare both from the first quote on
		m.quotes.WithLabelValues(outcome)
	}
	return m
}

// Describe implements prometheus.Collector.
func (m *Meters) Describe(out chan<- *prometheus.Desc) {
	m.requests.Describe(out)
	m.quotes.Describe(out)
	m.Streams.Describe(out)
}

// Collect implements prometheus.Collector.
func (m *Meters) Collect(out chan<- prometheus.Metric) {
	m.requests.Collect(out)
	m.quotes.Collect(out)
	m.Streams.Collect(out)
}

// Observe times every request by route. It does not use the path, so unknown paths cannot create new series.
func (m *Meters) Observe(c *gin.Context) {
	begin := time.Now()
	c.Next()
	slog.DebugContext(c.Request.Context(), "request", "method", c.Request.Method, "route", c.FullPath(),
		"status", c.Writer.Status(), "took", time.Since(begin))
	m.requests.WithLabelValues(KnownMethod(c.Request.Method, "other"), c.FullPath(), strconv.Itoa(c.Writer.Status())).
		Observe(time.Since(begin).Seconds())
}

// Quoted records the duration and the outcome of a quote.
func (m *Meters) Quoted(began time.Time, err error) {
	outcome := "given"
	if err != nil {
		outcome = "refused"
	}
	m.quotes.WithLabelValues(outcome).Observe(time.Since(began).Seconds())
}

// KnownMethod returns an HTTP method, or other for an unknown one. It bounds the label values that clients can create.
func KnownMethod(method, other string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return other
}
