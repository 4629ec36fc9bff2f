package api

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
)

// How long an answer may be kept by those who are nobody in particular. What somebody is told who
// is logged in is not kept (httpapi.NoStore); see authorize.
const (
	// live changes at any moment: a browser asks each time, and is told when nothing has changed;
	// what many share may answer the same for a moment.
	live = "public, max-age=0, must-revalidate, s-maxage=2"
	// minute is for what other sites show of us.
	minute      = "public, max-age=60"
	fiveMinutes = "public, max-age=300" // changes with the program
	hour        = "public, max-age=3600"
	noStore     = httpapi.NoStore
	// unset leaves it to the handler: what it answers may be finished or may still change, or is
	// sent bit by bit. What changes something is not cached anyway.
	unset = ""
)

func cacheable(policy string) bool { return policy != unset && policy != httpapi.NoStore }

// whoAsks are the headers that an answer to a stranger has none of: one that was kept is not for
// those who send them.
const whoAsks = "Cookie, Authorization, " + adminKeyHeader

// remembered says how long an answer may be kept, and does not send it to those who have it. It
// comes after authorize: who may not read something is not told whether it has changed either.
func (s *sharing) remembered(c *gin.Context) {
	route, listed := routeOf(c)
	switch {
	case c.FullPath() == "" || !isRead(c.Request.Method) || listed && route.cache == unset:
		return
	case !listed || route.cache == httpapi.NoStore || c.Writer.Header().Get("Cache-Control") != "":
		c.Header("Cache-Control", httpapi.NoStore)
		return
	}
	held := &heldAnswer{ResponseWriter: c.Writer}
	c.Writer = held
	defer func() { c.Writer = held.ResponseWriter }()
	s.answer(c, held)
	held.keep(c.Request, route.cache)
	held.send(c.Request)
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// keep decides by what became of the answer: a failure is over at any moment, and what carries a
// cookie is for one browser.
func (a *heldAnswer) keep(asked *http.Request, policy string) {
	header := a.Header()
	if a.Status() != http.StatusOK && a.Status() != http.StatusNotModified || header.Get("Set-Cookie") != "" {
		header.Set("Cache-Control", httpapi.NoStore)
		return
	}
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", policy)
	}
	if asked.Header.Get("Cookie") != "" && policy == live { // a visitor, who may have changed something
		header.Set("Cache-Control", "private, no-cache")
	}
	header.Add("Vary", whoAsks)
	if !strings.Contains(strings.Join(header.Values("Vary"), ","), "Accept-Encoding") {
		header.Add("Vary", "Accept-Encoding")
	}
}
