package api_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// people holds a session token for each kind of caller; token is a bearer token.
type people struct{ member, other, frozen, founder, stale, token string }

// expected is the status for each caller. A post in a path belongs to the member.
type expected struct {
	body    string
	visitor int
	member  int
	other   int
	frozen  int // logged in with a frozen membership
	founder int
	stale   int // a founder whose login is older than 10 minutes; 0 means the same as founder
	token   int // a founder's token for credentials; 0 means 403
	key     int // the admin key; 0 means 403
}

func open(status int, body string) expected {
	return expected{body, status, status, status, status, status, 0, status, status}
}

// members is for routes of members and founders.
func members(status int, body string) expected {
	return expected{body: body, visitor: no, member: status, other: status, frozen: never, founder: status, key: status}
}

// founders is for routes of founders only.
func founders(status int, body string) expected {
	return expected{body: body, visitor: no, member: never, other: never, frozen: never, founder: status, key: status}
}

const (
	ok      = http.StatusOK
	no      = http.StatusUnauthorized
	never   = http.StatusForbidden
	nothing = http.StatusNotFound
)

// openReads are the public GET routes.
var openReads = strings.Fields(`
	/api/bot-posts /api/bot-status /api/stats /api/members /api/posts /api/posts/{id} /api/schedule /api/schedule/budget /api/posting-controls /api/ai/models
	/api/ai/leaderboard /api/recurring-posts /api/recurring-posts/{id} /api/chaos/recent /api/chaos/runs /api/chaos/runs.csv /api/chaos/runs/{id} /api/chaos/runs/{id}/events
	/api/chaos/score /api/chaos/incidents /api/chaos/target /api/chaos/badges/{name} /api/verification/status /api/verification/runs
	/api/verification/runs/{id} /api/verification/baselines /api/verification/agreement /api/verification/pictures/{name} /api/verification/badges/{name}
	/api/experiments /api/experiments/similar /api/experiments/{slug} /api/runs /api/runs/{id} /feeds/{name} /sitemap.xml /robots.txt /api/pricing
	/api/treasury /api/auth/status /api/auth/test-oauth /healthz /readyz /metrics /openapi.json /openapi.yaml /openapi-3.0.json /openapi-3.0.yaml`)

var sandboxRoutes = []string{
	"GET /sandbox/x", "GET /sandbox/x/{path}", "POST /sandbox/x/{path}", "GET /sandbox/stripe", "GET /sandbox/stripe/{path}",
	"POST /sandbox/stripe/{path}", "GET /sandbox/mail", "GET /sandbox/mail.json", "GET /sandbox/mail/{id}",
}

// answers holds the expected status of every route for each caller.
var answers = func() map[string]expected {
	all := maps.Clone(others)
	for _, path := range openReads {
		all["GET "+path] = open(ok, "")
	}
	for _, route := range sandboxRoutes {
		all[route] = open(http.StatusTeapot, "")
	}
	return all
}()

// others are the expected statuses of all other routes.
var others = map[string]expected{
	"POST /api/members":                           founders(201, `{"username":"new","paymentAmount":9}`),
	"PUT /api/members/{id}/email":                 {body: `{"email":"new@example.com"}`, visitor: no, member: never, other: never, frozen: never, founder: nothing, stale: never, key: nothing},
	"PUT /api/members/{id}/status":                {body: `{"status":"frozen"}`, visitor: no, member: never, other: never, frozen: never, founder: nothing, stale: never, key: nothing},
	"POST /tweet":                                 members(202, `{"content":"now"}`),
	"POST /api/posts":                             members(201, `{"content":"later"}`),
	"POST /api/posts/import":                      members(ok, "text\nhello there"),
	"PATCH /api/posts/{id}":                       {body: `{"content":"other words"}`, visitor: no, member: ok, other: never, frozen: never, founder: ok, key: ok},
	"DELETE /api/posts/{id}":                      {visitor: no, member: ok, other: never, frozen: never, founder: ok, key: ok},
	"POST /api/posts/{id}/retry":                  {visitor: no, member: 409, other: never, frozen: never, founder: 409, key: 409},
	"POST /api/posts/{id}/restore":                {visitor: no, member: 409, other: never, frozen: never, founder: 409, key: 409},
	"POST /api/posts/{id}/review":                 founders(409, `{"decision":"approve"}`),
	"POST /api/posts/check":                       members(ok, `{"content":"hello"}`),
	"PUT /api/posting-controls":                   founders(ok, `{"paused":true,"approval":true}`),
	"POST /api/ai/generate":                       members(ok, `{"content_type":"tweet","prompt":"hello"}`),
	"POST /api/ai/generations":                    members(201, `{"prompt":"hello","models":["openai:gpt-5"]}`),
	"GET /api/ai/generations/{id}":                {visitor: no, member: ok, other: nothing, frozen: never, founder: ok, key: nothing},
	"POST /api/ai/generations/{id}/vote":          members(nothing, `{"candidateId":"a"}`),
	"GET /api/posting-times":                      members(ok, ""),
	"PUT /api/posting-times":                      members(ok, `{"times":[],"timezone":"UTC","quietFrom":"22:00","quietTo":"07:00","minGapMinutes":0,"version":0}`),
	"GET /api/posting-times/next":                 members(ok, ""),
	"POST /api/recurring-posts":                   members(201, `{"texts":["number {number}"],"times":[{"weekday":1,"time":"09:00"}],"timezone":"UTC"}`),
	"POST /api/recurring-posts/preview":           members(ok, `{"texts":["number {number}"],"times":[{"weekday":1,"time":"09:00"}],"timezone":"UTC"}`),
	"PATCH /api/recurring-posts/{id}":             {body: `{"state":"paused"}`, visitor: no, member: ok, other: never, frozen: never, founder: ok, key: ok},
	"DELETE /api/recurring-posts/{id}":            {visitor: no, member: ok, other: never, frozen: never, founder: ok, key: ok},
	"POST /api/chaos":                             open(ok, `{"type":"crash-api","source":"dashboard"}`),
	"POST /api/chaos/runs/{id}/replay":            founders(ok, ""),
	"POST /api/chaos/runs/{id}/check":             founders(ok, ""),
	"PUT /api/chaos/switch":                       founders(ok, `{"on":false}`),
	"POST /api/ai-verification":                   open(ok, `{"wait":false}`),
	"POST /api/verification/runs/{id}/approve":    founders(ok, `{"reason":"as drawn"}`),
	"GET /api/experiments/mine":                   {visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"POST /api/experiments/submit":                open(201, anIdea),
	"POST /api/experiments/vote":                  {body: `{"experimentId":"001","vote":1}`, visitor: no, member: ok, other: ok, frozen: never, founder: ok},
	"DELETE /api/experiments/{slug}/vote":         {visitor: no, member: ok, other: ok, frozen: never, founder: ok},
	"PATCH /api/experiments/{slug}":               founders(ok, `{"version":1,"progress":61}`),
	"POST /api/experiments/{slug}/move":           founders(ok, `{"version":1,"to":"testing"}`),
	"PUT /api/experiments/{slug}/metric":          founders(409, `{"version":1,"metric":"members","threshold":7,"due_at":"2026-12-01T09:00:00Z"}`),
	"DELETE /api/experiments/{slug}/metric":       founders(409, ""),
	"PUT /api/experiments/{slug}/notes/{date}":    founders(ok, `{"version":1,"content":"other words"}`),
	"DELETE /api/experiments/{slug}/notes/{date}": founders(ok, ""),

	"POST /api/visits":                  open(ok, `{"page":"other"}`),
	"POST /api/dynamic-payment":         {body: `{"service":"founding_membership"}`, visitor: ok, member: 409, other: 409, frozen: ok, founder: ok, token: ok, key: ok},
	"POST /api/cye/full-flow":           open(ok, `{"user_data":{"visits":3,"time_on_site":60,"viewed_pricing":true,"added_to_cart":false,"user_type":"returning_visitor"}}`),
	"GET /api/receipts/{id}":            open(nothing, ""),
	"POST /api/checkouts/{id}/refresh":  open(nothing, ""),
	"POST /api/checkouts/{id}/cancel":   open(nothing, ""),
	"POST /api/checkouts/{id}/refund":   {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: nothing, stale: never},
	"GET /api/checkouts":                {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},
	"POST /webhooks/stripe":             open(http.StatusBadRequest, "{}"),
	"POST /api/auth/logout":             open(ok, ""),
	"POST /api/auth/manual-login":       open(ok, `{"username":"somebody"}`),
	"POST /api/auth/email":              open(ok, `{"email":"a@example.com"}`),
	"POST /api/auth/email/verify":       open(422, `{"email":"a@example.com","code":"000000"}`),
	"POST /api/auth/activate":           open(422, `{"token":"`+strings.Repeat("a", 43)+`"}`),
	"GET /auth/x/login":                 open(303, ""),
	"GET /auth/x/callback":              open(303, ""),
	"POST /api/auth/token":              {body: `{"scope":"credentials"}`, visitor: no, member: 201, other: 201, frozen: 201, founder: 201},
	"GET /api/account":                  {visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"POST /api/account/email":           {body: `{"email":"new@example.com"}`, visitor: no, member: ok, other: ok, frozen: ok, founder: ok, stale: never},
	"POST /api/account/email/verify":    {body: `{"code":"000000"}`, visitor: no, member: 422, other: 422, frozen: 422, founder: 422, stale: never},
	"POST /api/account/email/undo":      open(422, `{"token":"`+strings.Repeat("a", 43)+`"}`),
	"PUT /api/account/notices":          {body: `{"wanted":false}`, visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"DELETE /api/account/sessions":      {visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"DELETE /api/account/sessions/{id}": {visitor: no, member: nothing, other: nothing, frozen: nothing, founder: nothing},
	"GET /api/account/export":           {visitor: no, member: ok, other: ok, frozen: ok, founder: ok},
	"POST /api/account/deletion":        {body: `{"confirm":"ada"}`, visitor: no, member: 202, other: 422, frozen: 422, founder: never},
	"POST /unsubscribe":                 open(nothing, "List-Unsubscribe=One-Click"),

	// A founder without a membership has no member name and no credits.
	"PUT /api/account/username":                    {body: `{"username":"zoe"}`, visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"GET /api/account/credits":                     {visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"GET /api/account/onboarding":                  {visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"PUT /api/account/onboarding/{kind}":           {body: `{"step":1}`, visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"POST /api/account/onboarding/{kind}/complete": {visitor: no, member: ok, other: ok, frozen: never, founder: never},
	"POST /api/auth/credentials":                   {body: `{"accessToken":"a","accessTokenSecret":"b"}`, visitor: no, member: never, other: never, frozen: never, founder: ok, token: ok},
	"DELETE /api/auth/credentials":                 {visitor: no, member: never, other: never, frozen: never, founder: ok, token: ok},
	"GET /api/auth/credentials/status":             {visitor: no, member: never, other: never, frozen: never, founder: ok, token: ok},
	"GET /api/admin/secrets":                       {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok, stale: never},
	"POST /api/admin/x-credentials":                {body: `{"clientId":"a","clientSecret":"b"}`, visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok, stale: never},
	"POST /api/admin/x-credentials/rollback":       {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: 409, stale: never},
	"GET /api/admin/audit":                         {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},
	"GET /api/admin/client-errors":                 {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},
	"GET /api/admin/failed-emails":                 {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},
	"POST /api/admin/failed-emails/{id}/retry":     {visitor: nothing, member: nothing, other: nothing, frozen: nothing, founder: ok},
	"POST /api/client-errors":                      open(201, `{"message":"boom","path":"/"}`),
}

// sender holds the credentials of a caller and the expected status.
type sender struct {
	token, bearer, key string
	status             int
}

// Every new route must be added to the table above.
// Proves: F32, V8.2.1
func TestEveryRouteIsInTheTable(t *testing.T) {
	w := newWorld(t)
	w.withSandboxStub(t)
	for _, route := range w.server.Routes() {
		_, listed := answers[route]
		require.True(t, listed, "%s: add the expected statuses", route)
	}
	require.Len(t, w.server.Routes(), len(answers))
}

// Every route answers each caller with the expected status; a refused write changes nothing and signals no workflow.
// Proves: F32, V7.2.2, V8.2.1, V8.2.2, V8.3.1, S-membership
func TestEveryRouteAnswersEverybodyAsItShould(t *testing.T) {
	t.Parallel()
	for name := range callers(people{}, expected{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &cast{}
			w := c.on(t)
			before, commands, refused := w.rows(t), w.runs.sent(), 0
			ask := func(closed bool) {
				for route, want := range answers {
					w := c.on(t)
					who := callers(c.people, want)[name]
					read := strings.HasPrefix(route, http.MethodGet)
					if closed != (!read && slices.Contains([]int{no, never, nothing}, who.status)) {
						continue
					}
					if closed {
						refused++
					}
					rec := w.do(t, w.callTo(route, want.body, c.ids, who.token, who.bearer, who.key))
					require.Equal(t, who.status, rec.Code, "%s: %s", route, rec.Body)
					if !closed && !read && rec.Code < http.StatusBadRequest {
						c.world = nil // the write changed it
					}
				}
			}
			ask(true)
			require.NotZero(t, refused)
			for _, line := range changed(before, w.rows(t)) { // a session's last use may be stored
				require.True(t, name == "stale founder" && strings.HasPrefix(line, "sessions "), line)
			}
			require.Equal(t, commands, w.runs.sent())
			ask(false)
		})
	}
}

func callers(p people, want expected) map[string]sender {
	return map[string]sender{
		"visitor":        {key: "none", status: want.visitor},
		"member":         {token: p.member, key: "none", status: want.member},
		"another member": {token: p.other, key: "none", status: want.other},
		"frozen member":  {token: p.frozen, key: "none", status: want.frozen},
		"founder":        {token: p.founder, key: "none", status: want.founder},
		"stale founder":  {token: p.stale, key: "none", status: cmp.Or(want.stale, want.founder)},
		"token":          {bearer: p.token, key: "none", status: cmp.Or(want.token, never)},
		"admin key":      {status: cmp.Or(want.key, never)},
	}
}

// cast is a world with all callers logged in, and the IDs for paths.
type cast struct {
	world  *world
	people people
	ids    ids
	kind   string // of the database; empty means SQLite
}

// on returns the world, or a new one after a change.
func (c *cast) on(t *testing.T) *world {
	if c.world == nil {
		c.world = newWorldOn(t, cmp.Or(c.kind, "sqlite"))
		c.world.withSandboxStub(t)
		c.people, c.ids = c.world.loginAll(t)
	}
	return c.world
}

// ids are values for paths.
type ids struct{ post, email, generation, recurring, chaos, verification, picture string }

func (w *world) callTo(route, body string, known ids, token, bearer, key string) call {
	method, path, _ := strings.Cut(route, " ")
	named := map[string]string{"{id}": known.post, "{path}": "page", "{kind}": "tour", "{name}": "score.svg", "{slug}": "001", "{date}": "2026-11-20"}
	for part, value := range map[string][2]string{
		"/failed-emails/": {"{id}", known.email}, "/recurring-posts/": {"{id}", known.recurring}, "/generations/": {"{id}", known.generation}, "/chaos/": {"{id}", known.chaos},
		"/verification/": {"{id}", known.verification}, "/api/runs/": {"{id}", "post:" + known.post},
		"/verification/badges/": {"{name}", "status.svg"}, "/feeds/": {"{name}", "posts.xml"}, "/pictures/": {"{name}", known.picture + ".png"},
	} {
		if strings.Contains(path, part) {
			named[value[0]] = value[1]
		}
	}
	for name, value := range named {
		path = strings.ReplaceAll(path, name, value)
	}
	c := call{host: "localhost", method: method, path: path, body: body, key: key, header: map[string]string{}}
	switch {
	case strings.HasSuffix(path, "/import"):
		c.contentType = "text/csv"
	case path == "/unsubscribe":
		c.path += "?account=a&proof=b"
		c.contentType = "application/x-www-form-urlencoded"
	case path == "/api/schedule":
		c.path += "?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z"
	case method == http.MethodDelete && (strings.HasSuffix(path, "/metric") || strings.Contains(path, "/notes/")):
		c.path += "?version=1"
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

// withSandboxStub serves the sandboxes' pages from localhost.
func (w *world) withSandboxStub(t *testing.T) {
	w.server.Site.PublicURL = "http://localhost"
	w.withSandboxRecorder(t, true)
}

// loginAll logs all callers in and creates what the paths refer to.
func (w *world) loginAll(t *testing.T) (people, ids) {
	ada, adaID := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	ice, iceID := w.join(t, "ice")
	w.setStatus(t, iceID, member.StatusFrozen)
	founder := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)

	p := people{member: w.login(t, ada, ""), other: w.login(t, eve, ""), frozen: w.login(t, ice, "")}
	p.founder, p.token = w.login(t, founder.ID, ""), w.login(t, founder.ID, account.ScopeCredentials)
	w.now = now.Add(-account.FreshFor)
	p.stale = w.login(t, founder.ID, "")
	w.now = now

	hers := w.browserWith(p.member).post(t, "/api/posts", `{"content":"hers","scheduledAt":"2026-12-01T09:00:00Z"}`)
	require.Equal(t, http.StatusCreated, hers.Code, hers.Body.String())
	listed, _, err := w.db.Posts.Posts(t.Context(), post.Filter{Limit: 1})
	require.NoError(t, err)
	return p, ids{
		post: listed[0].ID, email: w.failedEmail(t), generation: w.generation(t, &ada), recurring: w.recurring(t, &adaID).ID, chaos: w.healed(t),
		verification: w.verified(t, siteCheck{}), picture: w.picture(t, "a picture"),
	}
}

// join adds a member with an email address.
func (w *world) join(t *testing.T, name string) (accountID, memberID string) {
	memberID = xid.New().String()
	w.canaries.addAddress(name + "@example.com")
	m := member.Member{
		ID: memberID, Username: name, UsernameKey: name, Status: member.StatusActive, PaymentCents: 900, JoinedAt: now,
	}
	require.NoError(t, w.db.Members.AddMember(t.Context(), m, &account.Welcome{Email: name + "@example.com", Token: account.NewToken()}))
	a := must(w.db.Accounts.AccountByEmail(t.Context(), name+"@example.com"))(t)
	return a.ID, memberID
}

func (w *world) setStatus(t *testing.T, memberID string, status member.Status) {
	w.exec(t, "UPDATE members SET status = $1 WHERE id = $2", status, memberID)
}

func (w *world) login(t *testing.T, accountID string, scope account.Scope) string {
	token := account.NewToken()
	w.canaries.add(token)
	_, err := w.db.Accounts.OpenSession(t.Context(), account.NewSession{
		AccountID: accountID, Token: token, Provider: account.ByEmail, Scope: scope, Device: "Firefox on Linux",
	}, w.now)
	require.NoError(t, err)
	return token
}

// failedEmail marks a waiting email as failed.
func (w *world) failedEmail(t *testing.T) string {
	waiting := must(w.db.Emails.WaitingEmails(t.Context(), false))(t)
	must(w.db.Emails.EndEmail(t.Context(), waiting[0].ID, email.Failed, "mail_refused", "The mail server refused it.", now))(t)
	require.NoError(t, w.db.Bot.SeedKeys(t.Context(), bot.Keys{ConsumerKey: "k", ConsumerSecret: "s"}, now))
	return waiting[0].ID
}

// failingAccounts is a store whose logins cannot be read.
type failingAccounts struct{ httpapi.AccountStore }

func (failingAccounts) Login(context.Context, string, time.Time) (*account.Login, error) {
	return nil, errors.New("dial tcp 10.0.0.3: connection refused")
}

// If logins cannot be read, protected routes stay closed.
// Proves: V16.5.3
func TestV16_5_3_WithoutTheBooksNobodyIsAnybody(t *testing.T) {
	w := newWorld(t)
	w.withSandboxStub(t)
	p, ids := w.loginAll(t)
	before, commands := w.rows(t), w.runs.sent()
	w.server.Accounts = failingAccounts{w.db.Accounts}
	w.handler = handlerOf(w.server)
	asked := 0
	for route, want := range answers {
		if want.visitor < http.StatusBadRequest {
			continue // public
		}
		for name, who := range callers(p, want) {
			if who.token == "" && who.bearer == "" {
				continue // visitors and the admin key need no session
			}
			asked++
			rec := w.do(t, w.callTo(route, want.body, ids, who.token, who.bearer, who.key))
			require.Equal(t, http.StatusInternalServerError, rec.Code, "%s, for %s: %s", route, name, rec.Body)
			require.Empty(t, rec.Header()["Set-Cookie"], "the session cookie stays")
			require.NotContains(t, rec.Body.String(), "10.0.0.3", route)
		}
	}
	require.Greater(t, asked, 300)
	require.Equal(t, before, w.rows(t))
	require.Equal(t, commands, w.runs.sent())
}

// senders are tokens of two accounts and an expired one.
type senders struct{ cookie, otherCookie, member, token, memberToken, dead string }

type header struct{ name, value string }

// Conflicting credentials are refused on every route.
// Proves: F32, V7.2.2, S-admin-key
func TestARequestHasOneSender(t *testing.T) {
	t.Parallel()
	conflict, unknown := problem.CredentialsConflict, problem.Unauthorized
	cookie := func(values ...string) (all []header) {
		for _, value := range values {
			all = append(all, header{"Cookie", "session=" + value})
		}
		return all
	}
	with := func(all []header, more ...header) []header { return append(all, more...) }
	founders := header{"X-Admin-Key", key}
	bearer := func(token string) header { return header{"Authorization", "Bearer " + token} }

	for name, tt := range map[string]struct {
		say    func(s senders) []header
		status int
		code   problem.Code
	}{
		"the key and a cookie":              {func(s senders) []header { return with(cookie(s.cookie), founders) }, 400, conflict},
		"the key and a cookie that is none": {func(senders) []header { return with(cookie("x"), founders) }, 400, conflict},
		"the key and a bearer token":        {func(s senders) []header { return []header{founders, bearer(s.token)} }, 400, conflict},
		"the key and a dead bearer token":   {func(s senders) []header { return []header{founders, bearer(s.dead)} }, 400, conflict},
		"the key twice":                     {func(senders) []header { return []header{founders, founders} }, 400, conflict},
		"a wrong key and a cookie":          {func(s senders) []header { return with(cookie(s.cookie), header{"X-Admin-Key", "other"}) }, 401, unknown},
		"an empty key and a cookie":         {func(s senders) []header { return with(cookie(s.cookie), header{"X-Admin-Key", ""}) }, 401, unknown},
		"two accounts":                      {func(s senders) []header { return with(cookie(s.member), bearer(s.token)) }, 400, conflict},
		"a cookie and a dead token":         {func(s senders) []header { return with(cookie(s.cookie), bearer(s.dead)) }, 401, unknown},
		"two cookies of two people":         {func(s senders) []header { return cookie(s.cookie + "; session=" + s.member) }, 400, conflict},
		"two cookies of one person":         {func(s senders) []header { return cookie(s.cookie + "; session=" + s.otherCookie) }, 400, conflict},
		"two cookies in two headers":        {func(s senders) []header { return cookie(s.cookie, s.member) }, 400, conflict},
		"the same token twice":              {func(s senders) []header { return []header{bearer(s.token), bearer(s.token)} }, 400, conflict},
		"a password":                        {func(senders) []header { return []header{{"Authorization", "Basic Z3JhY2U6cw=="}} }, 401, unknown},
		"an empty bearer token":             {func(senders) []header { return []header{bearer("")} }, 401, unknown},
		"an empty Authorization":            {func(s senders) []header { return with(cookie(s.cookie), header{"Authorization", ""}) }, 401, unknown},
		"a token under another scheme":      {func(s senders) []header { return []header{{"Authorization", "Token " + s.token}} }, 401, unknown},
		"the key as a bearer token":         {func(senders) []header { return []header{bearer(key)} }, 401, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.senders(t)
			before := w.rows(t)
			for _, route := range []call{
				{method: http.MethodPost, path: "/api/posts", body: `{"content":"hi"}`},
				{method: http.MethodDelete, path: "/api/auth/credentials"},
				{method: http.MethodPost, path: "/api/auth/logout"},
				{method: http.MethodGet, path: "/api/members"},
			} {
				rec := w.sendHeaders(t, route, tt.say(s))
				refused(t, rec, tt.code, "%s %s: %s", route.method, route.path, rec.Body)
				require.Empty(t, rec.Header()["Set-Cookie"])
				require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
			}
			require.Equal(t, before, w.rows(t))
			require.Empty(t, w.runs.sent())
		})
	}
}

func TestOneSenderMayRepeatTheirCredential(t *testing.T) {
	w := newWorld(t)
	s := w.senders(t)
	status := call{method: http.MethodGet, path: "/api/auth/credentials/status"}
	for name, all := range map[string][]header{
		"the cookie":                             {{"Cookie", "session=" + s.cookie}},
		"the same cookie twice":                  {{"Cookie", "session=" + s.cookie + "; session=" + s.cookie}},
		"the token":                              {{"Authorization", "Bearer " + s.token}},
		"the token, and the scheme in small":     {{"Authorization", "bearer " + s.token}},
		"cookie and token of the same account":   {{"Cookie", "session=" + s.cookie}, {"Authorization", "Bearer " + s.token}},
		"a good token beside a cookie that died": {{"Cookie", "session=" + s.dead}, {"Authorization", "Bearer " + s.token}},
	} {
		rec := w.sendHeaders(t, status, all)
		require.Equal(t, ok, rec.Code, "%s: %s", name, rec.Body)
	}
}

func (w *world) senders(t *testing.T) senders {
	ada, _ := w.join(t, "ada")
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
	dead := account.NewToken()
	w.canaries.add(dead)
	return senders{
		cookie: w.login(t, grace.ID, ""), otherCookie: w.login(t, grace.ID, ""), member: w.login(t, ada, ""), dead: dead,
		token: w.login(t, grace.ID, account.ScopeCredentials), memberToken: w.login(t, ada, account.ScopeCredentials),
	}
}
