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

// RequestIDHeader carries the request ID, which logs and problems repeat.
const RequestIDHeader = "X-Request-Id"

// NameRequest gives each request an ID. IDs sent by clients are ignored: they could contain anything.
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

// Refuse aborts a request outside the operations of the contract.
func Refuse(c *gin.Context, code problem.Code, message string) {
	c.Header("Cache-Control", "no-store")
	p := newProblem(c.Request.Context(), code, message, nil)
	c.AbortWithStatusJSON(p.status, p)
}

// RefuseWith aborts a request with an error, in the same form as operations do.
func RefuseWith(c *gin.Context, err error) {
	if p, ok := errors.AsType[*Problem](Answer(c.Request.Context(), c.FullPath(), err)); ok {
		for name, values := range p.GetHeaders() {
			c.Header(name, values[0])
		}
		c.AbortWithStatusJSON(p.status, p)
	}
}

// EndSpan ends a request's span before a stream, which may last for minutes. The reads of the stream are not traced.
func EndSpan(ctx context.Context) {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(attribute.Int("http.response.status_code", http.StatusOK))
	span.End()
}

// NoStore is the cache policy of replies that depend on the caller, and of requests with side effects.
const NoStore = "no-store"

// KeepFor returns the given cache policy for anonymous visitors and NoStore for others, whose reply may renew a
// session cookie.
func KeepFor(ctx context.Context, policy string) string {
	if who := CallerOf(ctx); who.Login != nil || who.Browser != nil || who.Key {
		return NoStore
	}
	return policy
}

// Matches reports whether If-None-Match lists an ETag, or is *.
func Matches(ifNoneMatch, etag string) bool {
	for one := range strings.SplitSeq(ifNoneMatch, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == etag || one == "*" {
			return true
		}
	}
	return false
}
