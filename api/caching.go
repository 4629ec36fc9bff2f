package api

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
)

// Cache policies of replies to anonymous visitors. Replies to other callers are never cached; see authorize.
const (
	live        = "public, max-age=0, must-revalidate, s-maxage=2" // browsers revalidate; shared caches keep it for 2 s
	minute      = "public, max-age=60"                             // badges and feeds
	fiveMinutes = "public, max-age=300"                            // changes with a release
	hour        = "public, max-age=3600"
	noStore     = httpapi.NoStore
	unset       = "" // writes, and handlers that set the header themselves
)

func cacheable(policy string) bool { return policy != unset && policy != httpapi.NoStore }

// identityHeaders are the headers in Vary: a reply cached for a visitor is not for a caller who sends one of them.
const identityHeaders = "Cookie, Authorization, " + adminKeyHeader

// cached sets the cache policy of the route and answers conditional requests. It runs after authorize, so that only
// callers with access learn whether a reply has changed.
func (s *coalescer) cached(c *gin.Context) {
	route, listed := routeOf(c)
	switch {
	case c.FullPath() == "" || !isRead(c.Request.Method) || listed && route.cache == unset:
		return
	case !listed || route.cache == httpapi.NoStore || c.Writer.Header().Get("Cache-Control") != "":
		c.Header("Cache-Control", httpapi.NoStore)
		return
	}
	buffered := &bufferedReply{ResponseWriter: c.Writer}
	c.Writer = buffered
	defer func() { c.Writer = buffered.ResponseWriter }()
	s.handle(c, buffered)
	buffered.setPolicy(c.Request, route.cache)
	buffered.send(c.Request)
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// setPolicy sets the cache headers. Errors and replies with a cookie are not cached.
func (a *bufferedReply) setPolicy(asked *http.Request, policy string) {
	header := a.Header()
	if a.Status() != http.StatusOK && a.Status() != http.StatusNotModified || header.Get("Set-Cookie") != "" {
		header.Set("Cache-Control", httpapi.NoStore)
		return
	}
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", policy)
	}
	if asked.Header.Get("Cookie") != "" && policy == live { // this visitor may have changed something
		header.Set("Cache-Control", "private, no-cache")
	}
	header.Add("Vary", identityHeaders)
	if !strings.Contains(strings.Join(header.Values("Vary"), ","), "Accept-Encoding") {
		header.Add("Vary", "Accept-Encoding")
	}
}
