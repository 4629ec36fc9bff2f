package api

import (
	"log/slog"
	"net/http"
	"runtime/debug"

	accountapi "customerzero/api/account"
	"customerzero/api/auth"

	"github.com/gin-contrib/gzip"
	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
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
