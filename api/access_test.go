package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// people are everybody a route may meet, and the token that each comes with.
type people struct{ member, other, frozen, founder, stale, token string }

// expected is the answer to each of them. The post in a path is the member's.
type expected struct {
	body    string
	visitor int
	member  int
	other   int
	frozen  int // somebody who is logged in, and no more
	founder int
	stale   int // a founder whose login is older than ten minutes; 0: as the founder
	token   int // a founder's token for credentials; 0: refused with 403
	key     int // the founders' key; 0: refused with 403
}

func open(status int, body string) expected {
	return expected{body, status, status, status, status, status, 0, status, status}
}

const (
	ok      = http.StatusOK
	no      = http.StatusUnauthorized
	never   = http.StatusForbidden
	nothing = http.StatusNotFound
)

// answers has a line for every route: what each of the people is answered.
var answers = map[string]expected{
	"GET /api/bot-posts":     open(ok, ""),
	"GET /api/bot-status":    open(ok, ""),
	"GET /api/stats":         open(ok, ""),
	"GET /api/members":       open(ok, ""),
	"POST /api/members":      {body: `{"username":"new","paymentAmount":9}`, visitor: no, member: never, other: never, frozen: never, founder: 201, key: 201},
	"POST /tweet":            {body: `{"content":"now"}`, visitor: no, member: 202, other: 202, frozen: never, founder: 202, key: 202},
	"GET /api/posts":         open(ok, ""),
	"GET /api/posts/{id}":    open(ok, ""),
	"POST /api/posts":        {body: `{"content":"later"}`, visitor: no, member: 201, other: 201, frozen: never, founder: 201, key: 201},
	"POST /api/posts/import": {body: "text\nhello there", visitor: no, member: ok, other: ok, frozen: never, founder: ok, key: ok},

	"PATCH /api/posts/{id}":      {body: `{"content":"other words"}`, visitor: no, member: ok, other: never, frozen: never, founder: ok, key: ok},
	"DELETE /api/posts/{id}":     {visitor: no, member: ok, other: never, frozen: never, founder: ok, key: ok},
	"POST /api/posts/{id}/retry": {visitor: no, member: 409, other: never, frozen: never, founder: 409, key: 409},

	"POST /api/posts/{id}/restore": {visitor: no, member: 409, other: never, frozen: never, founder: 409, key: 409},
	"POST /api/posts/{id}/review":  {body: `{"decision":"approve"}`, visitor: no, member: never, other: never, frozen: never, founder: 409, key: 409},
	"POST /api/posts/check":        {body: `{"content":"hello"}`, visitor: no, member: ok, other: ok, frozen: never, founder: ok, key: ok},
	"GET /api/schedule":            open(ok, ""),
	"GET /api/schedule/budget":     open(ok, ""),
	"GET /api/brakes":              open(ok, ""),
	"PUT /api/brakes":              {body: `{"paused":true,"approval":true}`, visitor: no, member: never, other: never, frozen: never, founder: ok, key: ok},

	"POST /api/ai/generate":              {body: `{"content_type":"tweet","prompt":"hello"}`, visitor: no, member: ok, other: ok, frozen: never, founder: ok, key: ok},
	"POST /api/ai/generations":           {body: `{"prompt":"hello","models":["builtin-1"]}`, visitor: no, member: 201, other: 201, frozen: never, founder: 201, key: 201},
	"GET /api/ai/generations/{id}":       {visitor: no, member: ok, other: nothing, frozen: never, founder: ok, key: nothing},
	"POST /api/ai/generations/{id}/vote": {body: `{"candidateId":"a"}`, visitor: no, member: nothing, other: nothing, frozen: never, founder: nothing, key: nothing},
	"GET /api/ai/models":                 open(ok, ""),
	"GET /api/ai/league":                 open(ok, ""),

	"GET /api/timetable":       {visitor: no, member: ok, other: ok, frozen: never, founder: ok, key: ok},
	"PUT /api/timetable":       {body: `{"times":[],"timezone":"UTC","quietFrom":"22:00","quietTo":"07:00","minGapMinutes":0,"version":0}`, visitor: no, member: ok, other: ok, frozen: never, founder: ok, key: ok},
	"GET /api/timetable/next":  {visitor: no, member: ok, other: ok, frozen: never, founder: ok, key: ok},
	"GET /api/series":          open(ok, ""),
	"POST /api/series":         {body: `{"texts":["number {number}"],"times":[{"weekday":1,"time":"09:00"}],"timezone":"UTC"}`, visitor: no, member: 201, other: 201, frozen: never, founder: 201, key: 201},
	"POST /api/series/preview": {body: `{"texts":["number {number}"],"times":[{"weekday":1,"time":"09:00"}],"timezone":"UTC"}`, visitor: no, member: ok, other: ok, frozen: never, founder: ok, key: ok},
	"GET /api/series/{id}":     open(ok, ""),
	"PATCH /api/series/{id}":   {body: `{"state":"paused"}`, visitor: no, member: ok, other: never, frozen: never, founder: ok, key: ok},
	"DELETE /api/series/{id}":  {visitor: no, member: ok, other: never, frozen: never, founder: ok, key: ok},

	"GET /api/chaos/recent":            open(ok, ""),
	"POST /api/chaos":                  open(ok, `{"type":"crash-api","source":"dashboard"}`),
	"GET /api/chaos/runs":              open(ok, ""),
	"GET /api/chaos/runs.csv":          open(ok, ""),
	"GET /api/chaos/runs/{id}":         open(ok, ""),
	"GET /api/chaos/runs/{id}/events":  open(ok, ""),
	"GET /api/chaos/score":             open(ok, ""),
	"GET /api/chaos/incidents":         open(ok, ""),
	"GET /api/chaos/cell":              open(ok, ""),
	"GET /api/chaos/badges/{name}":     open(ok, ""),
	"POST /api/chaos/runs/{id}/replay": {visitor: no, member: never, other: never, frozen: never, founder: ok, key: ok},
	"POST /api/chaos/runs/{id}/check":  {visitor: no, member: never, other: never, frozen: never, founder: ok, key: ok},
	"PUT /api/chaos/switch":            {body: `{"on":false}`, visitor: no, member: never, other: never, frozen: never, founder: ok, key: ok},

	"POST /api/ai-verification":                open(ok, `{"wait":false}`),
	"GET /api/verification/status":             open(ok, ""),
	"GET /api/verification/runs":               open(ok, ""),
	"GET /api/verification/runs/{id}":          open(ok, ""),
	"POST /api/verification/runs/{id}/approve": {body: `{"reason":"as drawn"}`, visitor: no, member: never, other: never, frozen: never, founder: ok, key: ok},
	"GET /api/verification/baselines":          open(ok, ""),
	"GET /api/verification/agreement":          open(ok, ""),
	"GET /api/verification/pictures/{name}":    open(ok, ""),
	"GET /api/verification/badges/{name}":      open(ok, ""),

	"GET /api/experiments":                        open(ok, ""),
	"GET /api/experiments/similar":                open(ok, ""),
	"GET /api/experiments/{slug}":                 open(ok, ""),
	"POST /api/experiments/submit":                open(201, anIdea),
	"POST /api/experiments/vote":                  {body: `{"experimentId":"001","vote":1}`, visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"DELETE /api/experiments/{slug}/vote":         {visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"PATCH /api/experiments/{slug}":               {body: `{"version":1,"progress":61}`, visitor: no, member: never, other: never, frozen: never, founder: ok, key: ok},
	"POST /api/experiments/{slug}/move":           {body: `{"version":1,"to":"testing"}`, visitor: no, member: never, other: never, frozen: never, founder: ok, key: ok},
	"PUT /api/experiments/{slug}/metric":          {body: `{"version":1,"metric":"members","threshold":7,"due_at":"2026-12-01T09:00:00Z"}`, visitor: no, member: never, other: never, frozen: never, founder: 409, key: 409},
	"DELETE /api/experiments/{slug}/metric":       {visitor: no, member: never, other: never, frozen: never, founder: 409, key: 409},
	"PUT /api/experiments/{slug}/notes/{date}":    {body: `{"version":1,"content":"other words"}`, visitor: no, member: never, other: never, frozen: never, founder: ok, key: ok},
	"DELETE /api/experiments/{slug}/notes/{date}": {visitor: no, member: never, other: never, frozen: never, founder: ok, key: ok},

	"GET /api/runs":      open(ok, ""),
	"GET /api/runs/{id}": open(ok, ""),
	"GET /feeds/{name}":  open(ok, ""),
	"GET /sitemap.xml":   open(ok, ""),
	"GET /robots.txt":    open(ok, ""),

	"GET /api/pricing":                open(ok, ""),
	"POST /api/visits":                open(ok, `{"page":"other"}`),
	"POST /api/dynamic-payment":       {body: `{"service":"founding_membership"}`, visitor: ok, member: 409, other: 409, frozen: ok, founder: ok, token: ok, key: ok},
	"POST /api/cye/full-flow":         open(ok, `{"user_data":{"visits":3,"time_on_site":60,"viewed_pricing":true,"added_to_cart":false,"user_type":"returning_visitor"}}`),
	"GET /api/receipts/{id}":          open(nothing, ""),
	"POST /api/checkouts/{id}/look":   open(nothing, ""),
	"POST /api/checkouts/{id}/cancel": open(nothing, ""),
	"POST /api/checkouts/{id}/refund": {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: nothing, stale: never},
	"GET /api/checkouts":              {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},
	"GET /api/treasury":               open(ok, ""),
	"POST /webhooks/stripe":           open(http.StatusBadRequest, "{}"),

	"GET /api/auth/status":        open(ok, ""),
	"POST /api/auth/logout":       open(ok, ""),
	"POST /api/auth/manual-login": open(ok, `{"username":"somebody"}`),
	"POST /api/auth/email":        open(ok, `{"email":"a@example.com"}`),
	"POST /api/auth/email/verify": open(422, `{"email":"a@example.com","code":"000000"}`),
	"POST /api/auth/claim":        open(422, `{"token":"`+strings.Repeat("a", 43)+`"}`),
	"GET /api/auth/test-oauth":    open(ok, ""),
	"GET /auth/x/login":           open(303, ""),
	"GET /auth/x/callback":        open(303, ""),
	"POST /api/auth/token":        {body: `{"scope":"credentials"}`, visitor: no, member: 201, other: 201, frozen: 201, founder: 201},

	"GET /api/account":                  {visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"POST /api/account/email":           {body: `{"email":"new@example.com"}`, visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"POST /api/account/email/verify":    {body: `{"code":"000000"}`, visitor: no, member: 422, other: 422, frozen: 422, founder: 422},
	"PUT /api/account/notices":          {body: `{"wanted":false}`, visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"DELETE /api/account/sessions":      {visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"DELETE /api/account/sessions/{id}": {visitor: no, member: nothing, other: nothing, frozen: nothing, founder: nothing},
	"GET /api/account/export":           {visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"POST /api/account/deletion":        {body: `{"confirm":"ada"}`, visitor: no, member: 202, other: 422, frozen: 422, founder: never},
	"POST /unsubscribe":                 open(nothing, "List-Unsubscribe=One-Click"),

	// A founder without a membership has neither name nor credits of a member.
	"PUT /api/account/username":                    {body: `{"username":"zoe"}`, visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"GET /api/account/credits":                     {visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"GET /api/account/onboarding":                  {visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"PUT /api/account/onboarding/{kind}":           {body: `{"step":1}`, visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"POST /api/account/onboarding/{kind}/complete": {visitor: no, member: ok, other: ok, frozen: never, founder: never},

	"POST /api/auth/credentials":       {body: `{"accessToken":"a","accessTokenSecret":"b"}`, visitor: no, member: never, other: never, frozen: never, founder: ok, token: ok},
	"DELETE /api/auth/credentials":     {visitor: no, member: never, other: never, frozen: never, founder: ok, token: ok},
	"GET /api/auth/credentials/status": {visitor: no, member: never, other: never, frozen: never, founder: ok, token: ok},

	"GET /api/admin/secrets":                 {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok, stale: never},
	"POST /api/admin/x-credentials":          {body: `{"clientId":"a","clientSecret":"b"}`, visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok, stale: never},
	"POST /api/admin/x-credentials/rollback": {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: 409, stale: never},
	"GET /api/admin/audit":                   {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},
	"GET /api/admin/client-errors":           {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},
	"GET /api/admin/letters":                 {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},
	"POST /api/admin/letters/{id}/retry":     {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},

	"POST /api/client-errors":     open(201, `{"message":"boom","path":"/"}`),
	"GET /docs":                   open(503, ""), // its page is not built here
	"GET /healthz":                open(ok, ""),
	"GET /readyz":                 open(ok, ""),
	"GET /metrics":                open(ok, ""),
	"GET /openapi.json":           open(ok, ""),
	"GET /openapi.yaml":           open(ok, ""),
	"GET /openapi-3.0.json":       open(ok, ""),
	"GET /openapi-3.0.yaml":       open(ok, ""),
	"GET /sandbox/x":              open(http.StatusTeapot, ""),
	"GET /sandbox/x/{path}":       open(http.StatusTeapot, ""),
	"POST /sandbox/x/{path}":      open(http.StatusTeapot, ""),
	"GET /sandbox/stripe":         open(http.StatusTeapot, ""),
	"GET /sandbox/stripe/{path}":  open(http.StatusTeapot, ""),
	"POST /sandbox/stripe/{path}": open(http.StatusTeapot, ""),
	"GET /sandbox/mail":           open(http.StatusTeapot, ""),
	"GET /sandbox/mail.json":      open(http.StatusTeapot, ""),
	"GET /sandbox/mail/{id}":      open(http.StatusTeapot, ""),
}

// sender is how somebody shows who they are, and what they are answered.
type sender struct {
	token, bearer, key string
	status             int
}

// A route that nobody has thought about would answer nobody, and is found here.
// Proves: F32, V8.2.1
func TestEveryRouteIsInTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.standIns(t)
	for _, route := range w.server.Routes() {
		_, listed := answers[route]
		require.True(t, listed, "%s: say here what each caller is answered", route)
	}
	require.Len(t, w.server.Routes(), len(answers))
}

// Proves: F32, V7.2.2, V8.2.1, V8.2.2, V8.3.1, S-membership
func TestEveryRouteAnswersEverybodyAsItShould(t *testing.T) {
	t.Parallel()
	for name := range callers(people{}, expected{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &cast{}
			for route, want := range answers {
				w := c.on(t)
				who := callers(c.people, want)[name]
				rec := w.do(t, w.callTo(route, want.body, c.ids, who.token, who.bearer, who.key))
				require.Equal(t, who.status, rec.Code, "%s: %s", route, rec.Body)
				if !strings.HasPrefix(route, http.MethodGet) && rec.Code < http.StatusBadRequest {
					c.world = nil // it has changed
				}
			}
		})
	}
}

func orElse(status, other int) int {
	if status == 0 {
		return other
	}
	return status
}
