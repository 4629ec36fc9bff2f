package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/account"
	"customerzero/internal/bot"
	"customerzero/internal/letter"
	"customerzero/internal/member"
	"customerzero/internal/post"
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
func TestEveryRouteIsInTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.standIns(t)
	for _, route := range w.server.Routes() {
		_, listed := answers[route]
		require.True(t, listed, "%s: say in access.go who may call it, and here what they are answered", route)
	}
	require.Len(t, w.server.Routes(), len(answers))
}

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

// callers are everybody who may call, with what they are answered.
func callers(p people, want expected) map[string]sender {
	return map[string]sender{
		"visitor":        {key: "none", status: want.visitor},
		"member":         {token: p.member, key: "none", status: want.member},
		"another member": {token: p.other, key: "none", status: want.other},
		"frozen member":  {token: p.frozen, key: "none", status: want.frozen},
		"founder":        {token: p.founder, key: "none", status: want.founder},
		"stale founder":  {token: p.stale, key: "none", status: orElse(want.stale, want.founder)},
		"token":          {bearer: p.token, key: "none", status: orElse(want.token, never)},
		"founders' key":  {status: orElse(want.key, never)},
	}
}

// cast is a world with everybody in it, and what paths name.
type cast struct {
	world  *world
	people people
	ids    ids
}

// on gives the world, a new one when the last has changed.
func (c *cast) on(t *testing.T) *world {
	t.Helper()
	if c.world == nil {
		c.world = newWorld(t)
		c.world.standIns(t)
		c.people, c.ids = c.world.everybody(t)
	}
	return c.world
}

func orElse(status, other int) int {
	if status == 0 {
		return other
	}
	return status
}

// ids are what stands in paths.
type ids struct{ post, letter, generation, series string }

func (w *world) callTo(route, body string, known ids, token, bearer, key string) call {
	method, path, _ := strings.Cut(route, " ")
	id := known.post
	if strings.Contains(path, "/letters/") {
		id = known.letter
	}
	if strings.Contains(path, "/series/") {
		id = known.series
	}
	if strings.Contains(path, "/generations/") {
		id = known.generation
	}
	c := call{host: "localhost", method: method, path: strings.NewReplacer("{id}", id, "{path}", "page", "{kind}", "tour").Replace(path), body: body, key: key, header: map[string]string{}}
	switch {
	case strings.HasSuffix(path, "/import"):
		c.contentType = "text/csv"
	case path == "/unsubscribe":
		c.path += "?account=a&proof=b"
		c.contentType = "application/x-www-form-urlencoded"
	case path == "/api/schedule":
		c.path += "?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z"
	case strings.HasSuffix(path, "/test-oauth"):
		c.path += "?step=env"
	}
	if token != "" {
		c.header["Cookie"] = "session=" + token
	}
	if bearer != "" {
		c.header["Authorization"] = "Bearer " + bearer
	}
	return c
}

// standIns puts servers where the sandboxes are.
func (w *world) standIns(t *testing.T) {
	t.Helper()
	teapot := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(teapot.Close)
	w.server.Site.Sandbox, w.server.Site.XBaseURL, w.server.Site.MailURL = true, teapot.URL, teapot.URL
	w.server.Site.StripeURL = teapot.URL
	w.server.Site.PublicURL = "http://localhost"
	w.handler = w.server.Handler()
}

// everybody logs all of them in, and writes what paths name.
func (w *world) everybody(t *testing.T) (people, ids) {
	t.Helper()
	ada, adaID := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	ice, iceID := w.join(t, "ice")
	w.freeze(t, iceID)
	founder, err := w.books.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)

	p := people{member: w.login(t, ada, ""), other: w.login(t, eve, ""), frozen: w.login(t, ice, "")}
	p.founder, p.token = w.login(t, founder.ID, ""), w.login(t, founder.ID, account.ScopeCredentials)
	w.now = now.Add(-account.FreshFor)
	p.stale = w.login(t, founder.ID, "")
	w.now = now

	hers := w.do(t, call{method: http.MethodPost, path: "/api/posts", body: `{"content":"hers","scheduledAt":"2026-12-01T09:00:00Z"}`, key: "none", header: map[string]string{"Cookie": "session=" + p.member}})
	require.Equal(t, http.StatusCreated, hers.Code, hers.Body.String())
	listed, _, err := w.books.Posts(t.Context(), post.Filter{Limit: 1})
	require.NoError(t, err)
	return p, ids{post: listed[0].ID, letter: w.deadLetter(t), generation: w.generation(t, &ada), series: w.recurring(t, &adaID).ID}
}

// join enters a member who has an address, and names the account.
func (w *world) join(t *testing.T, name string) (accountID, memberID string) {
	t.Helper()
	memberID = xid.New().String()
	w.canaries.addAddress(name + "@example.com")
	m := member.Member{
		ID: memberID, Username: name, UsernameKey: name, Status: member.StatusActive, PaymentCents: 900, JoinedAt: now,
	}
	require.NoError(t, w.books.AddMember(t.Context(), m, &account.Welcome{Email: name + "@example.com", Token: account.NewToken()}))
	a, err := w.books.AccountByEmail(t.Context(), name+"@example.com")
	require.NoError(t, err)
	return a.ID, memberID
}

func (w *world) freeze(t *testing.T, memberID string) {
	t.Helper()
	require.NoError(t, w.books.SetMemberStatus(t.Context(), memberID, member.StatusFrozen))
}

// login gives the token of a new session.
func (w *world) login(t *testing.T, accountID string, scope account.Scope) string {
	t.Helper()
	token := account.NewToken()
	w.canaries.add(token)
	_, err := w.books.OpenSession(t.Context(), account.NewSession{
		AccountID: accountID, Token: token, Provider: account.ByEmail, Scope: scope, Device: "Firefox on Linux",
	}, w.now)
	require.NoError(t, err)
	return token
}

// deadLetter gives up one of the letters that wait.
func (w *world) deadLetter(t *testing.T) string {
	t.Helper()
	waiting, err := w.books.WaitingLetters(t.Context(), false)
	require.NoError(t, err)
	_, err = w.books.EndLetter(t.Context(), waiting[0].ID, letter.Dead, "mail_refused", "The mail server refused it.", now)
	require.NoError(t, err)
	require.NoError(t, w.books.SeedKeys(t.Context(), bot.Keys{ConsumerKey: "k", ConsumerSecret: "s"}, now))
	return waiting[0].ID
}
