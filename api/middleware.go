package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/gin-gonic/gin"
	"github.com/rs/xid"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/telemetry"
)

type requestIDKey struct{}

const requestIDHeader = "X-Request-Id"

// nameRequest gives each request a name that stands in its logs and errors. Names sent by
// others are not taken over: they could hold anything.
func nameRequest(c *gin.Context) {
	id := xid.New().String()
	ctx := telemetry.With(c.Request.Context(), slog.String("request_id", id))
	c.Request = c.Request.WithContext(context.WithValue(ctx, requestIDKey{}, id))
	c.Header(requestIDHeader, id)
}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// recovered turns a panic into a plain 500 that can be found in the logs.
func recovered(c *gin.Context) {
	defer func() {
		if reason := recover(); reason != nil {
			ctx := c.Request.Context()
			slog.ErrorContext(ctx, "request panicked", "path", c.FullPath(),
				"reason", reason, "stack", string(debug.Stack()))
			refuse(c, problem.Internal, "Something went wrong on our side. The request id finds it in our logs.")
		}
	}()
	c.Next()
}

// refuse ends a request that no operation answers.
func refuse(c *gin.Context, code problem.Code, message string) {
	c.Header("Cache-Control", noStore)
	p := newProblem(c.Request.Context(), code, message, nil)
	c.AbortWithStatusJSON(p.status, p)
}

// refuseWith ends a request with a failure, worded as operations word theirs.
func refuseWith(c *gin.Context, err error) {
	said := answer(c.Request.Context(), c.FullPath(), err)
	if p, ok := errors.AsType[*Problem](said); ok {
		for name, values := range p.GetHeaders() {
			c.Header(name, values[0])
		}
		c.AbortWithStatusJSON(p.status, p)
	}
}

// sameOrigin refuses writes that a page of another origin makes a browser send, and reads that
// begin something.
func sameOrigin() gin.HandlerFunc {
	crossOrigin := http.NewCrossOriginProtection()
	return func(c *gin.Context) {
		if crossOrigin.Check(c.Request) != nil || begunElsewhere(c) {
			refuse(c, problem.Forbidden, "Pages of other sites may not do this.")
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
	case diagnosisPath, exportPath:
		return true
	case loginPath: // people may follow a link to it; a picture or a frame may not
		return c.GetHeader("Sec-Fetch-Dest") != "document"
	}
	return false
}
