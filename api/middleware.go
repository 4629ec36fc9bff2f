package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-contrib/gzip"
	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/contrib/instrumentation/github.com/gin-gonic/gin/otelgin"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"

	accountapi "customerzero/api/account"
	"customerzero/api/auth"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/telemetry"
)

func recovered(c *gin.Context) {
	defer func() {
		if reason := recover(); reason != nil {
			ctx := c.Request.Context()
			slog.ErrorContext(ctx, "request panicked", "path", c.FullPath(),
				"reason", reason, "stack", string(debug.Stack()))
			httpapi.Refuse(c, problem.Internal, httpapi.InternalError)
		}
	}()
	c.Next()
}

// sameOrigin refuses cross-origin writes, and cross-site reads with side effects.
func sameOrigin() gin.HandlerFunc {
	crossOrigin := http.NewCrossOriginProtection()
	return func(c *gin.Context) {
		if crossOrigin.Check(c.Request) != nil || isCrossSiteRead(c) {
			httpapi.Refuse(c, problem.Forbidden, "Cross-site request blocked, so nothing was changed. Do this on our own pages.")
		}
	}
}

// isCrossSiteRead reports whether another site's page requests a GET route with side effects. Clients other than
// browsers do not send Sec-Fetch-Site.
func isCrossSiteRead(c *gin.Context) bool {
	site := c.GetHeader("Sec-Fetch-Site")
	if site == "" || site == "none" || site == "same-origin" {
		return false
	}
	switch c.FullPath() {
	case auth.DiagnosisPath, accountapi.ExportPath:
		return true
	case auth.LoginPath: // a link may lead to it, an image or a frame may not
		return c.GetHeader("Sec-Fetch-Dest") != "document"
	}
	return false
}

// compressed gzips replies except streams: a proxy may buffer a compressed block, and an aborted CSV must look
// incomplete. The library skips .png by default.
func compressed() gin.HandlerFunc {
	return gzip.Gzip(gzip.DefaultCompression, gzip.WithExcludedPathsRegexs([]string{`^/api/chaos/runs(/[^/]+/events|\.csv)$`}))
}

// Deadlines of requests. They bound how long an unresponsive database or Temporal holds callers and memory, and
// are shorter than the server's write timeout, so that callers get a 503.
const (
	short     = 20 * time.Second // reads
	long      = 57 * time.Second // writes, and requests that wait for a workflow: a quote, a generated text, a diagnosis
	unlimited = time.Duration(0) // streams, which end by themselves or with their client
)

func bounded(c *gin.Context) {
	route, listed := routeOf(c)
	if listed && route.deadline == unlimited {
		return
	}
	within := short
	if listed {
		within = route.deadline
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), within)
	defer cancel()
	c.Request = c.Request.WithContext(ctx)
	c.Next()
}

// traced records a span for each request, in the trace of its traceparent header if it has one. Without a
// collector it does nothing.
func traced() gin.HandlersChain {
	if !telemetry.On() {
		return nil
	}
	return gin.HandlersChain{
		otelgin.Middleware("", otelgin.WithPropagators(telemetry.Strangers()), otelgin.WithMeterProvider(noop.NewMeterProvider()),
			otelgin.WithGinFilter(isTraced), otelgin.WithSpanNameFormatter(spanName)),
		func(c *gin.Context) {
			if span := trace.SpanContextFromContext(c.Request.Context()); span.IsValid() {
				c.Header("X-Trace-Id", span.TraceID().String())
			}
		},
	}
}

// isTraced excludes files, probes and sandboxes. It includes unknown API paths, so that they look the same as
// hidden routes.
func isTraced(c *gin.Context) bool {
	switch route := c.FullPath(); route {
	case "/healthz", "/readyz", "/metrics":
		return false
	case "":
		return isMachinePath(strings.TrimPrefix(path.Clean(c.Request.URL.Path), "/"))
	default:
		return !strings.HasPrefix(route, "/sandbox/")
	}
}

// spanName uses the route and never the path, which may contain anything.
func spanName(c *gin.Context) string {
	return httpapi.KnownMethod(c.Request.Method, "OTHER") + " " + cmp.Or(c.FullPath(), "unknown route")
}
