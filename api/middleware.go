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

// recovered turns a panic into a plain 500 that can be found in the logs.
func recovered(c *gin.Context) {
	defer func() {
		if reason := recover(); reason != nil {
			ctx := c.Request.Context()
			slog.ErrorContext(ctx, "request panicked", "path", c.FullPath(),
				"reason", reason, "stack", string(debug.Stack()))
			httpapi.Refuse(c, problem.Internal, "Something went wrong on our side. The request id finds it in our logs.")
		}
	}()
	c.Next()
}

// sameOrigin refuses writes that a page of another origin makes a browser send, and reads that
// begin something.
func sameOrigin() gin.HandlerFunc {
	crossOrigin := http.NewCrossOriginProtection()
	return func(c *gin.Context) {
		if crossOrigin.Check(c.Request) != nil || begunElsewhere(c) {
			httpapi.Refuse(c, problem.Forbidden, "Pages of other sites may not do this.")
		}
	}
}

// begunElsewhere says whether another site's page asks for what takes more than a look. What is
// no browser does not say where it is asked from.
func begunElsewhere(c *gin.Context) bool {
	site := c.GetHeader("Sec-Fetch-Site")
	if site == "" || site == "none" || site == "same-origin" {
		return false
	}
	switch c.FullPath() {
	case auth.DiagnosisPath, accountapi.ExportPath:
		return true
	case auth.LoginPath: // people may follow a link to it; a picture or a frame may not
		return c.GetHeader("Sec-Fetch-Dest") != "document"
	}
	return false
}

// compressed shrinks answers, but for those that are sent bit by bit: what is between may wait
// for a whole block of a stream, and nobody could break off a table. What ends in
// .png is left out anyway.
func compressed() gin.HandlerFunc {
	return gzip.Gzip(gzip.DefaultCompression, gzip.WithExcludedPathsRegexs([]string{`^/api/chaos/runs(/[^/]+/events|\.csv)$`}))
}

// A database or a Temporal that does not answer must not keep callers, nor our own memory, for
// longer than this. The request then ends with a sentence (503), before the server would
// cut the connection.
const (
	short = 20 * time.Second // reads
	long  = 57 * time.Second // writes, and whatever waits for a flow: a quote, a generated text, a diagnosis
	// unlimited is for answers that last as long as there is something to send. They end by
	// themselves, or with their reader.
	unlimited = time.Duration(0)
)

// bounded gives a request its deadline.
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
	return httpapi.KnownMethod(c.Request.Method, "OTHER") + " " + cmp.Or(c.FullPath(), "unknown route")
}
