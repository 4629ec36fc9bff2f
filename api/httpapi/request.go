package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/rs/xid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/telemetry"
)

type requestIDKey struct{}

// RequestIDHeader carries the ID under which logs and problems name a request.
const RequestIDHeader = "X-Request-Id"

// NameRequest gives each request a name that stands in its logs and errors. Names sent by
// others are not taken over: they could hold anything.
func NameRequest(c *gin.Context) {
	id := xid.New().String()
	ctx := telemetry.With(c.Request.Context(), slog.String("request_id", id))
	c.Request = c.Request.WithContext(context.WithValue(ctx, requestIDKey{}, id))
	c.Header(RequestIDHeader, id)
}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// Refuse ends a request that no operation answers.
func Refuse(c *gin.Context, code problem.Code, message string) {
	c.Header("Cache-Control", "no-store")
	p := newProblem(c.Request.Context(), code, message, nil)
	c.AbortWithStatusJSON(p.status, p)
}

// RefuseWith ends a request with a failure, worded as operations word theirs.
func RefuseWith(c *gin.Context, err error) {
	said := Answer(c.Request.Context(), c.FullPath(), err)
	if p, ok := errors.AsType[*Problem](said); ok {
		for name, values := range p.GetHeaders() {
			c.Header(name, values[0])
		}
		c.AbortWithStatusJSON(p.status, p)
	}
}

// EndSpan ends a request's span where a stream begins, which may last for minutes: what it reads
// then is no part of the trace.
func EndSpan(ctx context.Context) {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(attribute.Int("http.response.status_code", http.StatusOK))
	span.End()
}

// NoStore is the cache policy of what depends on the caller, and of what happens by being requested.
const NoStore = "no-store"

// KeepFor says how long an answer to anybody may be kept. One to somebody who is known may
// renew their cookie, and is kept by nobody.
func KeepFor(ctx context.Context, anybody string) string {
	if who := CallerOf(ctx); who.Login != nil || who.Browser != nil || who.Key {
		return NoStore
	}
	return anybody
}

// Matches says whether a reader has what an ETag names; the header may list many, or all.
func Matches(ifNoneMatch, etag string) bool {
	for one := range strings.SplitSeq(ifNoneMatch, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == etag || one == "*" {
			return true
		}
	}
	return false
}
