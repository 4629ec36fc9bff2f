package api_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
)

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
	kind   string // of the database; empty: SQLite
}

// on gives the world, a new one when the last has changed.
func (c *cast) on(t *testing.T) *world {
	t.Helper()
	if c.world == nil {
		c.world = newWorldOn(t, cmp.Or(c.kind, "sqlite"))
		c.world.standIns(t)
		c.people, c.ids = c.world.everybody(t)
	}
	return c.world
}

// ids are what stands in paths.
type ids struct{ post, letter, generation, series, chaos, verification, picture string }

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
	if strings.Contains(path, "/chaos/") {
		id = known.chaos
	}
	name := "score.svg"
	if strings.Contains(path, "/verification/") {
		id, name = known.verification, "status.svg"
	}
	if strings.HasPrefix(path, "/api/runs/") {
		id = "post:" + known.post
	}
	if strings.HasPrefix(path, "/feeds/") {
		name = "posts.xml"
	}
	if strings.Contains(path, "/pictures/") {
		name = known.picture + ".png"
	}
	c := call{host: "localhost", method: method, path: strings.NewReplacer("{id}", id, "{path}", "page", "{kind}", "tour", "{name}", name, "{slug}", "001", "{date}", "2026-11-20").Replace(path), body: body, key: key, header: map[string]string{}}
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
	founder, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)

	p := people{member: w.login(t, ada, ""), other: w.login(t, eve, ""), frozen: w.login(t, ice, "")}
	p.founder, p.token = w.login(t, founder.ID, ""), w.login(t, founder.ID, account.ScopeCredentials)
	w.now = now.Add(-account.FreshFor)
	p.stale = w.login(t, founder.ID, "")
	w.now = now

	hers := w.do(t, call{method: http.MethodPost, path: "/api/posts", body: `{"content":"hers","scheduledAt":"2026-12-01T09:00:00Z"}`, key: "none", header: map[string]string{"Cookie": "session=" + p.member}})
	require.Equal(t, http.StatusCreated, hers.Code, hers.Body.String())
	listed, _, err := w.db.Posts.Posts(t.Context(), post.Filter{Limit: 1})
	require.NoError(t, err)
	return p, ids{
		post: listed[0].ID, letter: w.deadLetter(t), generation: w.generation(t, &ada), series: w.recurring(t, &adaID).ID, chaos: w.healed(t),
		verification: w.verified(t, look{}), picture: w.picture(t, "a picture"),
	}
}

// join enters a member who has an address, and names the account.
func (w *world) join(t *testing.T, name string) (accountID, memberID string) {
	t.Helper()
	memberID = xid.New().String()
	w.canaries.addAddress(name + "@example.com")
	m := member.Member{
		ID: memberID, Username: name, UsernameKey: name, Status: member.StatusActive, PaymentCents: 900, JoinedAt: now,
	}
	require.NoError(t, w.db.Members.AddMember(t.Context(), m, &account.Welcome{Email: name + "@example.com", Token: account.NewToken()}))
	a, err := w.db.Accounts.AccountByEmail(t.Context(), name+"@example.com")
	require.NoError(t, err)
	return a.ID, memberID
}

func (w *world) freeze(t *testing.T, memberID string) {
	t.Helper()
	w.setStatus(t, memberID, member.StatusFrozen)
}

// setStatus gives a member a status that no order of the product would.
func (w *world) setStatus(t *testing.T, memberID string, status member.Status) {
	t.Helper()
	_, err := w.open(t).ExecContext(t.Context(), "UPDATE members SET status = $1 WHERE id = $2", status, memberID)
	require.NoError(t, err)
}

// login gives the token of a new session.
func (w *world) login(t *testing.T, accountID string, scope account.Scope) string {
	t.Helper()
	token := account.NewToken()
	w.canaries.add(token)
	_, err := w.db.Accounts.OpenSession(t.Context(), account.NewSession{
		AccountID: accountID, Token: token, Provider: account.ByEmail, Scope: scope, Device: "Firefox on Linux",
	}, w.now)
	require.NoError(t, err)
	return token
}

// deadLetter gives up one of the e-mails that wait.
func (w *world) deadLetter(t *testing.T) string {
	t.Helper()
	waiting, err := w.db.Emails.WaitingLetters(t.Context(), false)
	require.NoError(t, err)
	_, err = w.db.Emails.EndLetter(t.Context(), waiting[0].ID, email.Dead, "mail_refused", "The mail server refused it.", now)
	require.NoError(t, err)
	require.NoError(t, w.db.Bot.SeedKeys(t.Context(), bot.Keys{ConsumerKey: "k", ConsumerSecret: "s"}, now))
	return waiting[0].ID
}
