package api

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/contrib/instrumentation/github.com/gin-gonic/gin/otelgin"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"

	"customerzero/internal/platform/telemetry"
)

// traceIDHeader tells under which trace a request is found, as X-Request-Id tells it for the log.
const traceIDHeader = "X-Trace-Id"

// traced notes each request as the first span of a trace, or as the next one of the trace that
// the request says it belongs to. Without a collector there is nothing to do.
func traced() gin.HandlersChain {
	if !telemetry.On() {
		return nil
	}
	return gin.HandlersChain{
		otelgin.Middleware("", otelgin.WithPropagators(telemetry.Strangers()), otelgin.WithMeterProvider(noop.NewMeterProvider()),
			otelgin.WithGinFilter(isTraced), otelgin.WithSpanNameFormatter(spanName)),
		tellTrace,
	}
}

func tellTrace(c *gin.Context) {
	if span := trace.SpanContextFromContext(c.Request.Context()); span.IsValid() {
		c.Header(traceIDHeader, span.TraceID().String())
	}
}

// isTraced leaves out files, and what machines ask all day. A path of the API that does not exist
// is traced like one that is hidden: nobody should tell them apart.
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

// spanName is the route, never the path: that may hold anything.
func spanName(c *gin.Context) string {
	method, route := c.Request.Method, c.FullPath()
	if !slices.Contains(usualMethods, method) {
		method = "OTHER"
	}
	if route == "" {
		route = "unknown route"
	}
	return method + " " + route
}

var usualMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
