package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

// A database or a Temporal that does not answer must not keep people, nor our own memory, for
// longer than this. What is under way then ends with a sentence (503), before the server would
// cut the connection.
const (
	readWithin = 20 * time.Second
	// doWithin is longer than what waits for a flow: a quote, a generated text, a diagnosis.
	doWithin = 57 * time.Second
)

// leisurely are the reads that wait for a flow.
var leisurely = map[string]bool{
	"GET /api/auth/test-oauth": true,
	"GET /auth/x/callback":     true,
	"GET /auth/x/login":        true,
}

// unhurried are the reads that go on for as long as there is something to say. They end by
// themselves, or with their reader.
var unhurried = map[string]bool{
	"GET /api/chaos/runs/{id}/events": true,
	"GET /api/chaos/runs.csv":         true,
}

// bounded gives a request its deadline.
func bounded(c *gin.Context) {
	route := routeName(c.Request.Method, c.FullPath())
	if unhurried[route] {
		return
	}
	within := doWithin
	if strings.HasPrefix(route, http.MethodGet+" ") && !leisurely[route] {
		within = readWithin
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), within)
	defer cancel()
	c.Request = c.Request.WithContext(ctx)
	c.Next()
}
