package api

import (
	"net/http"
	"strings"

	"customerzero/internal/domain/account"
)

// rule says who may call a route. The zero rule is for anybody.
type rule struct {
	least  account.Role
	login  bool          // anybody who is logged in, member or not
	key    bool          // the founders' key will do: programs cannot log in
	scope  account.Scope // a minted token of this scope will do
	fresh  bool          // the login must be younger than ten minutes
	hidden bool          // to others the route does not exist
}

var (
	anybody  = rule{}
	somebody = rule{login: true}
	members  = rule{least: account.Member, login: true, key: true}
	founders = rule{least: account.Founder, login: true, key: true}
	// holders act for a membership of their own, which a program has not.
	holders = rule{least: account.Member, login: true}
	// botKeepers may change what the bot posts with.
	botKeepers = rule{least: account.Founder, login: true, scope: account.ScopeCredentials}
	admins     = rule{least: account.Founder, login: true, hidden: true}
	freshAdmin = rule{least: account.Founder, login: true, hidden: true, fresh: true}
)

// access is the one table of who may do what. A route that does not stand here answers
// nobody, and fails the test that walks the router.
var access = map[string]rule{
	"GET /api/bot-posts":     anybody,
	"GET /api/bot-status":    anybody,
	"GET /api/stats":         anybody,
	"GET /api/members":       anybody,
	"POST /api/members":      founders,
	"POST /tweet":            members,
	"GET /api/posts":         anybody,
	"GET /api/posts/{id}":    anybody,
	"POST /api/posts":        members,
	"POST /api/posts/import": members,

	// Members may do these to their own posts; see ownPost.
	"PATCH /api/posts/{id}":      members,
	"DELETE /api/posts/{id}":     members,
	"POST /api/posts/{id}/retry": members,

	"POST /api/posts/{id}/restore": members,
	"POST /api/posts/{id}/review":  founders,
	"POST /api/posts/check":        members,

	"POST /api/ai-verification":                anybody,
	"GET /api/verification/status":             anybody,
	"GET /api/verification/runs":               anybody,
	"GET /api/verification/runs/{id}":          anybody,
	"POST /api/verification/runs/{id}/approve": founders,
	"GET /api/verification/baselines":          anybody,
	"GET /api/verification/agreement":          anybody,
	"GET /api/verification/pictures/{name}":    anybody,
	"GET /api/verification/badges/{name}":      anybody,

	"GET /api/experiments":                        anybody, // what waits: founders
	"GET /api/experiments/similar":                anybody,
	"GET /api/experiments/{slug}":                 anybody,
	"POST /api/experiments/submit":                anybody,
	"POST /api/experiments/vote":                  holders,
	"DELETE /api/experiments/{slug}/vote":         holders,
	"PATCH /api/experiments/{slug}":               founders,
	"POST /api/experiments/{slug}/move":           founders,
	"PUT /api/experiments/{slug}/metric":          founders,
	"DELETE /api/experiments/{slug}/metric":       founders,
	"PUT /api/experiments/{slug}/notes/{date}":    founders,
	"DELETE /api/experiments/{slug}/notes/{date}": founders,

	"GET /api/runs":      anybody,
	"GET /api/runs/{id}": anybody,

	"GET /feeds/{name}": anybody,
	"GET /sitemap.xml":  anybody,
	"GET /robots.txt":   anybody,

	"GET /api/schedule":        anybody,
	"GET /api/schedule/budget": anybody,
	"GET /api/brakes":          anybody,
	"PUT /api/brakes":          founders,
	"GET /api/timetable":       members,
	"PUT /api/timetable":       members,
	"GET /api/timetable/next":  members,

	"GET /api/series":          anybody,
	"POST /api/series":         members,
	"POST /api/series/preview": members,
	"GET /api/series/{id}":     anybody,
	// Members may do these to their own series.
	"PATCH /api/series/{id}":  members,
	"DELETE /api/series/{id}": members,

	"POST /api/ai/generate":              members,
	"POST /api/ai/generations":           members,
	"GET /api/ai/generations/{id}":       members, // one's own; founders any
	"POST /api/ai/generations/{id}/vote": members,
	"GET /api/ai/models":                 anybody,
	"GET /api/ai/league":                 anybody,

	"GET /api/chaos/recent":           anybody,
	"POST /api/chaos":                 anybody,
	"GET /api/chaos/runs":             anybody,
	"GET /api/chaos/runs.csv":         anybody,
	"GET /api/chaos/runs/{id}":        anybody,
	"GET /api/chaos/runs/{id}/events": anybody,
	"GET /api/chaos/score":            anybody,
	"GET /api/chaos/incidents":        anybody,
	"GET /api/chaos/cell":             anybody,
	"GET /api/chaos/badges/{name}":    anybody,

	"POST /api/chaos/runs/{id}/replay": founders,
	"POST /api/chaos/runs/{id}/check":  founders,
	"PUT /api/chaos/switch":            founders,

	"GET /api/pricing":                anybody,
	"POST /api/visits":                anybody,
	"POST /api/dynamic-payment":       anybody,
	"POST /api/cye/full-flow":         anybody,
	"GET /api/receipts/{id}":          anybody, // whoever has the ID: nobody guesses it
	"POST /api/checkouts/{id}/look":   anybody,
	"POST /api/checkouts/{id}/cancel": anybody,
	"POST /api/checkouts/{id}/refund": freshAdmin,
	"GET /api/checkouts":              admins,
	"GET /api/treasury":               anybody,
	"POST /webhooks/stripe":           anybody, // its signature says who calls

	"GET /api/auth/status":        anybody,
	"POST /api/auth/logout":       {scope: account.ScopeCredentials}, // a token may end itself
	"POST /api/auth/manual-login": anybody,
	"POST /api/auth/email":        anybody,
	"POST /api/auth/email/verify": anybody,
	"POST /api/auth/claim":        anybody,
	"GET /api/auth/test-oauth":    anybody,
	"GET /auth/x/login":           anybody,
	"GET /auth/x/callback":        anybody,
	"POST /api/auth/token":        somebody,

	"GET /api/account":                  somebody,
	"POST /api/account/email":           somebody,
	"POST /api/account/email/verify":    somebody,
	"PUT /api/account/notices":          somebody,
	"DELETE /api/account/sessions":      somebody,
	"DELETE /api/account/sessions/{id}": somebody,
	"GET /api/account/export":           somebody,
	"POST /api/account/deletion":        {login: true, fresh: true},
	"POST /unsubscribe":                 anybody,

	"PUT /api/account/username":                    holders,
	"GET /api/account/credits":                     holders,
	"GET /api/account/onboarding":                  holders,
	"PUT /api/account/onboarding/{kind}":           holders,
	"POST /api/account/onboarding/{kind}/complete": holders,

	"POST /api/auth/credentials":       botKeepers,
	"DELETE /api/auth/credentials":     botKeepers,
	"GET /api/auth/credentials/status": botKeepers,

	"GET /api/admin/secrets":                 freshAdmin,
	"POST /api/admin/x-credentials":          freshAdmin,
	"POST /api/admin/x-credentials/rollback": freshAdmin,
	"GET /api/admin/audit":                   admins,
	"GET /api/admin/letters":                 admins,
	"GET /api/admin/client-errors":           admins,
	"POST /api/admin/letters/{id}/retry":     admins,

	"POST /api/client-errors":     anybody,
	"GET /docs":                   anybody,
	"GET /healthz":                anybody,
	"GET /readyz":                 anybody,
	"GET /metrics":                anybody,
	"GET /openapi.json":           anybody,
	"GET /openapi.yaml":           anybody,
	"GET /openapi-3.0.json":       anybody,
	"GET /openapi-3.0.yaml":       anybody,
	"GET /sandbox/x":              anybody,
	"GET /sandbox/x/{path}":       anybody,
	"POST /sandbox/x/{path}":      anybody,
	"GET /sandbox/stripe":         anybody,
	"GET /sandbox/stripe/{path}":  anybody,
	"POST /sandbox/stripe/{path}": anybody,
	"GET /sandbox/mail":           anybody,
	"GET /sandbox/mail.json":      anybody,
	"GET /sandbox/mail/{id}":      anybody,
}

// routeName is how the table names a route that Gin or Huma names in its own way.
func routeName(method, path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, found := strings.CutPrefix(part, ":"); found {
			parts[i] = "{" + name + "}"
		} else if name, found := strings.CutPrefix(part, "*"); found {
			parts[i] = "{" + name + "}"
		}
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return method + " " + strings.Join(parts, "/")
}
