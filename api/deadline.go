package api

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"
)

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
