package api

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// How long an answer may be kept by those who are nobody in particular. What somebody is told who
// is logged in is never kept; see authorize.
const (
	// live changes at any moment: a browser asks each time, and is told when nothing has changed;
	// what many share may answer the same for a moment.
	live = "public, max-age=0, must-revalidate, s-maxage=2"
	// brief is what others show of us: it may be a minute old.
	brief  = "public, max-age=60"
	hourly = "public, max-age=3600"
	// slow changes with the program.
	slow = "public, max-age=300"
	// never is what depends on who asks, what happens by being asked for, and what is no answer
	// of ours.
	never = "no-store"
	// itself is decided by the handler, as what it answers is finished or still changes, or is
	// sent bit by bit.
	itself = ""
)

// keeping is the one table of how long what is read may be kept. A route that does not stand here
// is never kept, and fails the test that walks the router.
var keeping = map[string]string{
	"GET /api/bot-posts":  live,
	"GET /api/bot-status": live,
	"GET /api/stats":      live,
	"GET /api/members":    live,
	"GET /api/posts":      live,
	"GET /api/posts/{id}": live,

	"GET /api/verification/status":          live,
	"GET /api/verification/runs":            live,
	"GET /api/verification/runs/{id}":       live,
	"GET /api/verification/baselines":       live,
	"GET /api/verification/agreement":       live,
	"GET /api/verification/pictures/{name}": itself,
	"GET /api/verification/badges/{name}":   brief,

	"GET /api/experiments":         live,
	"GET /api/experiments/similar": live,
	"GET /api/experiments/{slug}":  live,

	"GET /api/runs":      itself,
	"GET /api/runs/{id}": itself,

	"GET /feeds/{name}": brief,
	"GET /sitemap.xml":  hourly,
	"GET /robots.txt":   hourly,

	"GET /api/schedule":        live,
	"GET /api/schedule/budget": live,
	"GET /api/brakes":          live,
	"GET /api/timetable":       never,
	"GET /api/timetable/next":  never,
	"GET /api/series":          live,
	"GET /api/series/{id}":     live,

	"GET /api/ai/generations/{id}": never,
	"GET /api/ai/models":           live,
	"GET /api/ai/league":           live,

	"GET /api/chaos/recent":           live,
	"GET /api/chaos/runs":             live,
	"GET /api/chaos/runs.csv":         itself,
	"GET /api/chaos/runs/{id}":        live,
	"GET /api/chaos/runs/{id}/events": itself,
	"GET /api/chaos/score":            live,
	"GET /api/chaos/incidents":        live,
	"GET /api/chaos/cell":             live,
	"GET /api/chaos/badges/{name}":    brief,

	"GET /api/pricing":       never, // a personal price
	"GET /api/receipts/{id}": never, // the buyer's, who has the ID
	"GET /api/checkouts":     never,
	"GET /api/treasury":      live,

	"GET /api/auth/status":     never,
	"GET /api/auth/test-oauth": never,
	"GET /auth/x/login":        never,
	"GET /auth/x/callback":     never,

	"GET /api/account":                 never,
	"GET /api/account/export":          never,
	"GET /api/account/credits":         never,
	"GET /api/account/onboarding":      never,
	"GET /api/auth/credentials/status": never,

	"GET /api/admin/secrets":       never,
	"GET /api/admin/audit":         never,
	"GET /api/admin/letters":       never,
	"GET /api/admin/client-errors": never,

	"GET /docs":                  itself,
	"GET /healthz":               never,
	"GET /readyz":                never,
	"GET /metrics":               never,
	"GET /openapi.json":          slow,
	"GET /openapi.yaml":          slow,
	"GET /openapi-3.0.json":      slow,
	"GET /openapi-3.0.yaml":      slow,
	"GET /sandbox/x":             itself,
	"GET /sandbox/x/{path}":      itself,
	"GET /sandbox/stripe":        itself,
	"GET /sandbox/stripe/{path}": itself,
	"GET /sandbox/mail":          itself,
	"GET /sandbox/mail.json":     itself,
	"GET /sandbox/mail/{id}":     itself,
}

// whoAsks are the headers that an answer to a stranger has none of: one that was kept is not for
// those who send them.
const whoAsks = "Cookie, Authorization, " + adminKeyHeader

// remembered says how long an answer may be kept, and does not send it to those who have it. It
// comes after authorize: who may not read something is not told whether it has changed either.
func (s *sharing) remembered(c *gin.Context) {
	how, listed := keeping[routeName(c.Request.Method, c.FullPath())]
	switch {
	case c.FullPath() == "" || !isRead(c.Request.Method) || listed && how == itself:
		return
	case !listed || how == never || c.Writer.Header().Get("Cache-Control") != "":
		c.Header("Cache-Control", never)
		return
	}
	held := &heldAnswer{ResponseWriter: c.Writer}
	c.Writer = held
	defer func() { c.Writer = held.ResponseWriter }()
	s.answer(c, held)
	held.keep(c.Request, how)
	held.send(c.Request)
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// keep decides by what became of the answer: a failure is over at any moment, and what carries a
// cookie is for one browser.
func (a *heldAnswer) keep(asked *http.Request, how string) {
	header := a.Header()
	if a.Status() != http.StatusOK && a.Status() != http.StatusNotModified || header.Get("Set-Cookie") != "" {
		header.Set("Cache-Control", never)
		return
	}
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", how)
	}
	if asked.Header.Get("Cookie") != "" && how == live { // a visitor, who may have changed something
		header.Set("Cache-Control", "private, no-cache")
	}
	header.Add("Vary", whoAsks)
	if !strings.Contains(strings.Join(header.Values("Vary"), ","), "Accept-Encoding") {
		header.Add("Vary", "Accept-Encoding")
	}
}

// alsoHead lets everything that may be kept be asked for its headers alone. Streams and what has
// further conditions are left out: they stand in the table as itself or never.
func alsoHead(router *gin.Engine) {
	for _, route := range router.Routes() {
		how := keeping[routeName(route.Method, route.Path)]
		if route.Method == http.MethodGet && how != itself && how != never {
			router.HEAD(route.Path, route.HandlerFunc)
		}
	}
}
