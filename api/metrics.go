package api

import (
	"log/slog"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"customerzero/internal/post"
)

// observe times every request by route, so that unknown paths cannot make new series.
func observe(registry *prometheus.Registry) gin.HandlerFunc {
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "http_request_duration_seconds", Help: "Time to answer, by route and status.",
		Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10},
	}, []string{"method", "route", "status"})
	registry.MustRegister(took)
	return func(c *gin.Context) {
		begin := time.Now()
		c.Next()
		slog.DebugContext(c.Request.Context(), "request", "method", c.Request.Method, "route", c.FullPath(),
			"status", c.Writer.Status(), "took", time.Since(begin), "request_id", requestID(c.Request.Context()))
		took.WithLabelValues(c.Request.Method, c.FullPath(), strconv.Itoa(c.Writer.Status())).
			Observe(time.Since(begin).Seconds())
	}
}

func (s *Server) registerMetrics(router *gin.Engine, registry *prometheus.Registry) {
	if s.Steps != nil {
		registry.MustRegister(s.Steps)
	}
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &bookCollector{s})
	router.GET("/metrics", gin.WrapH(promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		DisableCompression: true, // the router compresses; twice is what no scraper reads
	})))
}

var (
	postsByStatus = prometheus.NewDesc("posts", "Posts by status.", []string{"status"}, nil)
	slotsByState  = prometheus.NewDesc("quota_slots", "Slots of this month by state.", []string{"state"}, nil)
	readsByKind   = prometheus.NewDesc("x_reads", "Reads of X this month by kind.", []string{"kind"}, nil)
)

// bookCollector reads the books when somebody asks, so that its figures are never stale.
type bookCollector struct{ server *Server }

func (b *bookCollector) Describe(out chan<- *prometheus.Desc) {
	out <- postsByStatus
	out <- slotsByState
	out <- readsByKind
}

func (b *bookCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := b.server.scrapeContext()
	defer cancel()
	gauge := func(desc *prometheus.Desc, n int, label string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n), label)
	}
	if counts, err := b.server.Posts.CountByStatus(ctx); err == nil {
		for _, status := range post.Statuses {
			gauge(postsByStatus, counts[status], string(status))
		}
	}
	month := post.MonthOf(b.server.Now())
	if usage, err := b.server.Posts.MonthUsage(ctx, month); err == nil {
		gauge(slotsByState, usage.Spent, "spent")
		gauge(slotsByState, usage.Reserved, "reserved")
		gauge(slotsByState, usage.Free(), "free")
	}
	if reads, err := b.server.Posts.ReadUsage(ctx, month); err == nil {
		gauge(readsByKind, reads.Used, "engagement")
		gauge(readsByKind, reads.Safety, "safety")
	}
}
