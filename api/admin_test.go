package api_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
)

// To all but founders, the admin's routes are as any path that does not exist: to the
// last byte.
// Proves: S-admin-pages
func TestTheAdminIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, known := w.everybody(t)
	for name, all := range map[string][]header{
		"a visitor":               nil,
		"a member":                {{"Cookie", "session=" + p.member}},
		"a frozen member":         {{"Cookie", "session=" + p.frozen}},
		"a member's token":        {{"Authorization", "Bearer " + w.login(t, w.accountOf(t, "ada"), account.ScopeCredentials)}},
		"a session that ended":    {{"Cookie", "session=" + account.NewToken()}},
		"a token that ended":      {{"Authorization", "Bearer " + account.NewToken()}},
		"a wrong key":             {{"X-Admin-Key", "guess"}},
		"two keys":                {{"X-Admin-Key", "guess"}, {"X-Admin-Key", "guess"}},
		"a password":              {{"Authorization", "Basic Z3JhY2U6cw=="}},
		"two people":              {{"Cookie", "session=" + p.member + "; session=" + p.other}},
		"a founder and another":   {{"Cookie", "session=" + p.founder + "; session=" + p.other}},
		"a founder, a wrong key":  {{"Cookie", "session=" + p.founder}, {"X-Admin-Key", "guess"}},
		"a founder, a dead token": {{"Cookie", "session=" + p.founder}, {"Authorization", "Bearer " + account.NewToken()}},
	} {
		before := w.rows(t)
		for route, want := range answers {
			if !strings.Contains(route, "/api/admin/") {
				continue
			}
			c := w.callTo(route, want.body, known, "", "", "none")
			got := w.say(t, c, all)
			c.path = "/api/admin/nothing"
			nothing := w.say(t, c, all)
			require.Equal(t, http.StatusNotFound, got.Code, "%s, %s", name, route)
			require.Equal(t, heard(nothing), heard(got), "%s, %s", name, route)
		}
		require.Equal(t, before, w.rows(t), name)
	}
}

// accountOf finds a member's account.
func (w *world) accountOf(t *testing.T, name string) string {
	t.Helper()
	a, err := w.db.Accounts.AccountByName(t.Context(), name)
	require.NoError(t, err)
	require.NotNil(t, a)
	return a.ID
}

// A session that somebody left open may look around, but not touch.
// Proves: V8.3.1, S-admin-pages
func TestTheAdminAsksForAFreshLogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.founder(t)
	fresh := []struct{ method, path, body string }{
		{http.MethodGet, "/api/admin/secrets", ""},
		{http.MethodPost, "/api/admin/x-credentials", body(t, map[string]string{"clientId": clientID, "clientSecret": clientSecret})},
		{http.MethodPost, "/api/admin/x-credentials/rollback", ""},
	}
	w.now = now.Add(account.FreshFor - time.Second)
	require.True(t, b.who(t).Fresh)
	require.Equal(t, http.StatusOK, b.get(t, "/api/admin/secrets").Code)

	w.now = now.Add(account.FreshFor)
	require.False(t, b.who(t).Fresh, "using it does not make it young again")
	before := w.rows(t)
	for _, c := range fresh {
		rec := b.send(t, c.method, c.path, c.body)
		require.Equal(t, http.StatusForbidden, rec.Code, c.path)
		require.Equal(t, problem.LoginStale, problemOf(t, rec).Code)
	}
	require.Equal(t, before, w.rows(t))
	require.Equal(t, http.StatusOK, b.get(t, "/api/admin/audit").Code)
	require.Equal(t, http.StatusOK, b.get(t, "/api/admin/letters").Code)
}

// Proves: S-admin-pages
func TestEveryActOfAFounderIsInTheAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(t, "ada")
	dead := w.deadLetter(t)
	b := w.founder(t)
	keys := body(t, map[string]string{"clientId": clientID, "clientSecret": clientSecret})
	fingerprint, before := bot.Fingerprint(clientID, clientSecret), bot.Fingerprint("k", "s")
	for _, tt := range []struct {
		method, path, body string
		want               audit.Entry
	}{
		{http.MethodGet, "/api/admin/secrets", "", audit.Entry{Action: audit.ReadSecrets, Outcome: audit.Done, Detail: "The list of secrets was opened."}},
		{http.MethodPost, "/api/admin/x-credentials", keys, audit.Entry{Action: audit.ReplaceProviderKeys, Outcome: audit.Begun, Detail: "Keys " + fingerprint + " are tried by the diagnostic."}},
		{http.MethodPost, "/api/admin/x-credentials/rollback", "", audit.Entry{Action: audit.RollBackProvider, Outcome: audit.Done, Detail: "Keys " + before + " are in use again."}},
		{http.MethodPost, "/api/admin/letters/" + dead + "/retry", "", audit.Entry{Action: audit.RetryLetter, Outcome: audit.Begun, Detail: "A letter (welcome) is sent again.", WorkflowID: "mail:" + dead}},
		{http.MethodPost, "/api/members", `{"username":"new","paymentAmount":9}`, audit.Entry{Action: audit.AddMember, Outcome: audit.Done, Detail: "@new is a member."}},
	} {
		w.now = w.now.Add(time.Second)
		_, n := w.lastAudit(t)
		rec := b.send(t, tt.method, tt.path, tt.body)
		require.Less(t, rec.Code, 300, "%s: %s", tt.path, rec.Body)
		got, total := w.lastAudit(t)
		require.Equal(t, n+1, total, tt.path)
		require.Equal(t, "@Grace", got.Actor)
		require.Equal(t, w.accountOf(t, "grace"), *got.AccountID)
		require.Equal(t, w.now, got.At.UTC())
		if tt.want.Action == audit.ReplaceProviderKeys {
			require.Regexp(t, "^provider-keys:", got.WorkflowID)
			got.WorkflowID = ""
		}
		got.ID, got.Actor, got.AccountID, got.At = "", "", nil, time.Time{}
		require.Equal(t, tt.want, got)
	}
	list := read[api.Audit](t, b.get(t, "/api/admin/audit?limit=2"), http.StatusOK)
	require.Len(t, list.Entries, 2)
	require.Equal(t, 5, list.Pagination.Total)
	require.Equal(t, "@new is a member.", list.Entries[0].Detail, "the latest first")
}

func TestTheFoundersKeyIsInTheAuditUnderItsOwnName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, http.StatusCreated, w.do(t, call{method: http.MethodPost, path: "/api/members", body: `{"username":"new","paymentAmount":9}`}).Code)
	entry, _ := w.lastAudit(t)
	require.Equal(t, "the founders' key", entry.Actor)
	require.Nil(t, entry.AccountID)
}

// Proves: S-write-only
func TestSecretsAreListedByWhetherTheyAreSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.db.Bot.SeedKeys(t.Context(), bot.Keys{ConsumerKey: clientID, ConsumerSecret: clientSecret}, now))
	w.server.Settings = []api.Setting{{Name: "SMTP_URL"}, {Name: "ADMIN_KEY", Set: true}}
	rec := w.founder(t).get(t, "/api/admin/secrets")
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	shown := read[api.Secrets](t, rec, http.StatusOK)
	require.Equal(t, []api.Secret{
		{Name: "X app: client id and secret", Status: "fingerprint " + bot.Fingerprint(clientID, clientSecret)},
		{Name: "X account: access token and secret", Status: "fingerprint " + bot.Fingerprint("1-test-token", "test-secret")},
		{Name: "SMTP_URL", Status: "unset"},
		{Name: "ADMIN_KEY", Status: "set"},
	}, shown.Secrets)
	require.Equal(t, []string{"SMTP_URL"}, shown.MissingSecrets)
	require.Nil(t, shown.Previous)
}

// Proves: S-write-only
func TestNewKeysOfTheAppNeedBothHalves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.founder(t)
	before := w.rows(t)
	for name, fields := range map[string]map[string]string{
		"nothing":         {},
		"no secret":       {"clientId": clientID},
		"no id":           {"clientSecret": clientSecret},
		"an empty secret": {"clientId": clientID, "clientSecret": ""},
		"a blank id":      {"clientId": " \t", "clientSecret": clientSecret},
		"a control":       {"clientId": clientID, "clientSecret": "canary\x01secret"},
		"501 characters":  {"clientId": clientID, "clientSecret": strings.Repeat("canary", 84)},
	} {
		rec := b.post(t, "/api/admin/x-credentials", body(t, fields))
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, name)
		require.NotContains(t, rec.Body.String(), "canary", name)
		require.NotEmpty(t, problemOf(t, rec).Details, name)
	}
	require.Equal(t, before, w.rows(t))
}

func TestKeysOfTheAppAreReplacedOnlyIfTheDiagnosticPasses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.db.Bot.SeedKeys(t.Context(), bot.Keys{ConsumerKey: "k", ConsumerSecret: "s"}, now))
	b := w.founder(t)
	keys := body(t, map[string]string{"clientId": " " + clientID, "clientSecret": clientSecret + "\n"})
	inUse := func(name, secret string) {
		t.Helper()
		current, err := w.db.Bot.ProviderKeys(t.Context())
		require.NoError(t, err)
		require.Equal(t, bot.Fingerprint(name, secret), current.Fingerprint)
	}
	w.runs.err = errors.New("X says no")
	reply := read[api.ProviderKeysReply](t, b.post(t, "/api/admin/x-credentials", keys), http.StatusOK)
	require.False(t, reply.Success)
	require.Equal(t, "keys_refused", reply.Code)
	require.Equal(t, "X refused the keys.", reply.Error)
	inUse("k", "s")

	w.runs.err = nil
	reply = read[api.ProviderKeysReply](t, b.post(t, "/api/admin/x-credentials", keys), http.StatusOK)
	require.True(t, reply.Success)
	require.Contains(t, reply.RunURL, "/runs/provider-keys:")
	inUse(clientID, clientSecret)
	previous := read[api.Secrets](t, b.get(t, "/api/admin/secrets"), http.StatusOK).Previous
	require.Equal(t, &api.PreviousKeys{Fingerprint: bot.Fingerprint("k", "s"), KeptUntil: now.Add(bot.KeepPrevious)}, previous)

	require.Equal(t, http.StatusOK, b.post(t, "/api/admin/x-credentials/rollback", "").Code)
	inUse("k", "s")
}

// Whom an e-mail was for is nobody's business, not even a founder's.
// Proves: V8.2.3
func TestDeadLettersAreListedWithoutTheirReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(t, "ada")
	dead := w.deadLetter(t)
	b := w.founder(t)
	rec := b.get(t, "/api/admin/letters")
	require.NotContains(t, rec.Body.String(), "ada")
	list := read[api.DeadLetters](t, rec, http.StatusOK).Letters
	require.Len(t, list, 1)
	require.Equal(t, dead, list[0].ID)
	require.Equal(t, email.Welcome, list[0].Kind)
	require.Equal(t, "The mail server refused it.", list[0].Reason)

	require.Equal(t, http.StatusOK, b.post(t, "/api/admin/letters/"+dead+"/retry", "").Code)
	require.Empty(t, read[api.DeadLetters](t, b.get(t, "/api/admin/letters"), http.StatusOK).Letters)
	require.Equal(t, http.StatusNotFound, b.post(t, "/api/admin/letters/nothing/retry", "").Code)
}
