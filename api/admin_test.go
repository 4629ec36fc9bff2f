package api_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api/admin"
	"customerzero/api/auth"
	checkoutapi "customerzero/api/checkout"
	"customerzero/api/httpapi"
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
	a := must(w.db.Accounts.AccountByName(t.Context(), name))(t)
	require.NotNil(t, a)
	return a.ID
}

// A session that somebody left open may look around, but not touch.
// Proves: V8.3.1, S-admin-pages
func TestTheAdminAsksForAFreshLogin(t *testing.T) {
	w := newWorld(t)
	b := w.founder(t)
	w.now = now.Add(account.FreshFor - time.Second)
	require.True(t, b.who(t).Fresh)
	require.Equal(t, ok, b.get(t, "/api/admin/secrets").Code)
	w.now = now.Add(account.FreshFor)
	require.False(t, b.who(t).Fresh, "using it does not make it young again")
	w.refusesAll(t, b.send, map[string]bad{"the secrets": {"GET", "/api/admin/secrets", "", problem.LoginStale}})
	require.Equal(t, ok, b.get(t, "/api/admin/audit").Code)
}

// Proves: S-admin-pages
func TestEveryActOfAFounderIsInTheAudit(t *testing.T) {
	w := newWorld(t)
	w.join(t, "ada")
	dead, b := w.deadLetter(t), w.founder(t)
	for _, tt := range []struct {
		method, path, body string
		want               audit.Entry
	}{
		{"GET", "/api/admin/secrets", "", audit.Entry{Action: audit.ReadSecrets, Outcome: audit.Done, Detail: "The list of secrets was opened."}},
		{"POST", "/api/admin/x-credentials", appKeys, audit.Entry{Action: audit.ReplaceProviderKeys, Outcome: audit.Begun, Detail: "Keys " + bot.Fingerprint(clientID, clientSecret) + " are tried by the diagnostic."}},
		{"POST", "/api/admin/x-credentials/rollback", "", audit.Entry{Action: audit.RollBackProvider, Outcome: audit.Done, Detail: "Keys " + bot.Fingerprint("k", "s") + " are in use again."}},
		{"POST", "/api/admin/letters/" + dead + "/retry", "", audit.Entry{Action: audit.RetryLetter, Outcome: audit.Begun, Detail: "A letter (welcome) is sent again.", WorkflowID: "email:" + dead}},
		{"POST", "/api/experiments/submit", anIdea, audit.Entry{Action: audit.SubmitExperiment, Outcome: audit.Done, Detail: "Experiment 002 (Reply to every mention) was submitted."}},
		{"PUT", "/api/experiments/002/metric", promise("7", "2026-11-30T12:00:00Z"), audit.Entry{
			Action: audit.RegisterMetric, Outcome: audit.Done, Detail: "Experiment 002 (Reply to every mention) promises members of 7 by 2026-11-30T12:00:00Z.",
		}},
		{"DELETE", "/api/experiments/002/metric?version=2", "", audit.Entry{
			Action: audit.DropMetric, Outcome: audit.Done, Detail: "Experiment 002 (Reply to every mention) promises nothing any more.",
		}},
		{"PATCH", "/api/experiments/001", `{"version":1,"title":"The open lab"}`, audit.Entry{Action: audit.EditExperiment, Outcome: audit.Done, Detail: "Experiment 001 (The open lab) was edited."}},
		{"POST", "/api/experiments/001/move", `{"version":2,"to":"testing"}`, audit.Entry{Action: audit.MoveExperiment, Outcome: audit.Done, Detail: "Experiment 001 (The open lab) went from active to testing."}},
		{"POST", "/api/experiments/001/move", `{"version":3,"to":"declined","reason":"Nobody came"}`, audit.Entry{
			Action: audit.MoveExperiment, Outcome: audit.Done, Detail: "Experiment 001 (The open lab) went from testing to declined: Nobody came.",
		}},
		{"POST", "/api/members", `{"username":"new","paymentAmount":9}`, audit.Entry{Action: audit.AddMember, Outcome: audit.Done, Detail: "@new is a member."}},
	} {
		w.now = w.now.Add(time.Second)
		_, n := w.lastAudit(t)
		rec := b.send(t, tt.method, tt.path, tt.body)
		require.Less(t, rec.Code, 300, "%s: %s", tt.path, rec.Body)
		got, total := w.lastAudit(t)
		require.Equal(t, []any{n + 1, "@Grace", w.accountOf(t, "grace"), w.now}, []any{total, got.Actor, *got.AccountID, got.At.UTC()}, tt.path)
		if tt.want.Action == audit.ReplaceProviderKeys {
			require.Regexp(t, "^provider-keys:", got.WorkflowID)
			got.WorkflowID = ""
		}
		got.ID, got.Actor, got.AccountID, got.At = "", "", nil, time.Time{}
		require.Equal(t, tt.want, got)
	}
	list := read[admin.Audit](t, b.get(t, "/api/admin/audit?limit=2"), ok)
	require.Equal(t, []any{2, 11, "@new is a member."}, []any{len(list.Entries), list.Pagination.Total, list.Entries[0].Detail}, "the latest first")
	require.Equal(t, 201, w.send(t, "POST", "/api/members", `{"username":"newer","paymentAmount":9}`).Code)
	entry, _ := w.lastAudit(t)
	require.Equal(t, []any{"the founders' key", (*string)(nil)}, []any{entry.Actor, entry.AccountID})
}

// Proves: S-write-only
func TestSecretsAreListedByWhetherTheyAreSet(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.db.Bot.SeedKeys(t.Context(), bot.Keys{ConsumerKey: clientID, ConsumerSecret: clientSecret}, now))
	w.server.Settings = []httpapi.Setting{{Name: "SMTP_URL"}, {Name: "ADMIN_KEY", Set: true}}
	rec := w.founder(t).get(t, "/api/admin/secrets")
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	shown := read[admin.Secrets](t, rec, ok)
	require.Equal(t, []admin.Secret{
		{Name: "X app: client id and secret", Status: "fingerprint " + bot.Fingerprint(clientID, clientSecret)},
		{Name: "X account: access token and secret", Status: "fingerprint " + bot.Fingerprint("1-test-token", "test-secret")},
		{Name: "SMTP_URL", Status: "unset"},
		{Name: "ADMIN_KEY", Status: "set"},
	}, shown.Secrets)
	require.Equal(t, []string{"SMTP_URL"}, shown.MissingSecrets)
	require.Nil(t, shown.Previous)
}

func TestKeysOfTheAppAreReplacedOnlyIfTheDiagnosticPasses(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.db.Bot.SeedKeys(t.Context(), bot.Keys{ConsumerKey: "k", ConsumerSecret: "s"}, now))
	b := w.founder(t)
	keys := asJSON(t, map[string]string{"clientId": " " + clientID, "clientSecret": clientSecret + "\n"})
	inUse := func(name, secret string) {
		require.Equal(t, bot.Fingerprint(name, secret), must(w.db.Bot.ProviderKeys(t.Context()))(t).Fingerprint)
	}
	w.runs.err = errors.New("X says no")
	reply := read[admin.ProviderKeysReply](t, b.post(t, "/api/admin/x-credentials", keys), ok)
	require.Equal(t, []any{false, "keys_refused", "X refused the keys."}, []any{reply.Success, reply.Code, reply.Error})
	inUse("k", "s")

	w.runs.err = nil
	reply = read[admin.ProviderKeysReply](t, b.post(t, "/api/admin/x-credentials", keys), ok)
	require.True(t, reply.Success)
	require.Contains(t, reply.RunURL, "/runs/provider-keys:")
	inUse(clientID, clientSecret)
	previous := read[admin.Secrets](t, b.get(t, "/api/admin/secrets"), ok).Previous
	require.Equal(t, &admin.PreviousKeys{Fingerprint: bot.Fingerprint("k", "s"), KeptUntil: now.Add(bot.KeepPrevious)}, previous)
	require.Equal(t, ok, b.post(t, "/api/admin/x-credentials/rollback", "").Code)
	inUse("k", "s")
}

// Whom an e-mail was for is nobody's business, not even a founder's.
// Proves: V8.2.3
func TestDeadLettersAreListedWithoutTheirReaders(t *testing.T) {
	w := newWorld(t)
	w.join(t, "ada")
	dead := w.deadLetter(t)
	b := w.founder(t)
	rec := b.get(t, "/api/admin/letters")
	require.NotContains(t, rec.Body.String(), "ada")
	list := read[admin.DeadLetters](t, rec, ok).Letters
	require.Len(t, list, 1)
	require.Equal(t, []any{dead, email.Welcome, "The mail server refused it."}, []any{list[0].ID, list[0].Kind, list[0].Reason})

	require.Equal(t, ok, b.post(t, "/api/admin/letters/"+dead+"/retry", "").Code)
	require.Empty(t, read[admin.DeadLetters](t, b.get(t, "/api/admin/letters"), ok).Letters)
	require.Equal(t, http.StatusNotFound, b.post(t, "/api/admin/letters/nothing/retry", "").Code)
}

// act is something that a founder does. Each is valid once those before it are done.
type act struct{ method, path, body string }

// acts are all that the audit tells of, but for what the bot's tokens came to and for the list of
// secrets, which is only read.
func (w *world) acts(t *testing.T) []act {
	accountID, _ := w.join(t, "ada")
	letter := w.deadLetter(t)
	bought := read[checkoutapi.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok).CheckoutID
	w.pay(t, bought)
	look := w.verified(t, look{})
	w.controls(t, `{"approval":true}`)
	ada := w.login(t, accountID, "")
	waiting := func(text string) (path string) {
		return "/api/posts/" + w.write(t, ada, `{"content":"`+text+`","scheduledAt":"2026-12-01T09:00:00Z"}`).ID
	}
	return []act{
		{"POST", "/api/admin/x-credentials", appKeys},
		{"POST", "/api/admin/x-credentials/rollback", ""},
		{"POST", "/api/members", `{"username":"new","paymentAmount":9}`},
		{"POST", "/api/checkouts/" + bought + "/refund", ""},
		{"POST", "/api/verification/runs/" + look + "/approve", `{"reason":"The new header."}`},
		{"POST", waiting("one") + "/review", `{"decision":"approve"}`},
		{"POST", waiting("two") + "/review", `{"decision":"reject","reason":"No."}`},
		{"POST", waiting("three") + "/review", `{"decision":"suggest","suggestion":"Hello."}`},
		{"PATCH", waiting("four"), `{"draft":false}`},
		{"PUT", "/api/brakes", `{"approval":false}`},
		{"PUT", "/api/brakes", `{"paused":true,"reason":"a storm"}`},
		{"PUT", "/api/brakes", `{"paused":false}`},
		{"PUT", "/api/chaos/switch", `{"on":false,"reason":"a demo"}`},
		{"PUT", "/api/chaos/switch", `{"on":true}`},
		{"POST", "/api/experiments/submit", titled("Reply to every mention")},
		{"PUT", "/api/experiments/002/metric", `{"version":1,"metric":"members","threshold":7,"due_at":"2026-11-30T12:00:00Z"}`},
		{"DELETE", "/api/experiments/002/metric?version=2", ""},
		{"PATCH", "/api/experiments/001", `{"version":1,"progress":75}`},
		{"PUT", "/api/experiments/001/notes/2026-11-20", `{"version":1,"content":"words"}`},
		{"DELETE", "/api/experiments/001/notes/2026-11-20?version=2", ""},
		{"POST", "/api/experiments/001/move", `{"version":2,"to":"testing"}`},
		{"POST", "/api/auth/credentials", botTokens},
		{"DELETE", "/api/auth/credentials", ""},
		{"POST", "/api/admin/letters/" + letter + "/retry", ""}, // the last one: its run is told when it suits
	}
}

// noteNothing lets nobody write into the audit, as a database would in which there is no room.
func noteNothing(t *testing.T, db *sql.DB) (letGo func()) {
	must(db.ExecContext(t.Context(), "CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'full'); END"))(t)
	return func() {
		must(db.ExecContext(t.Context(), "DROP TRIGGER full"))(t)
	}
}

func TestWhatCannotBeNotedIsNotDone(t *testing.T) {
	w := newWorld(t)
	acts, db, grace := w.acts(t), w.open(t), w.founder(t)
	for _, a := range acts {
		letGo := noteNothing(t, db)
		before, told := w.rows(t), w.runs.told()
		rec := grace.send(t, a.method, a.path, a.body)
		require.Equal(t, http.StatusInternalServerError, rec.Code, "%s %s: %s", a.method, a.path, rec.Body)
		for _, line := range changed(before, w.rows(t)) {
			require.True(t, strings.HasPrefix(line, "rate_windows "), "%s %s has written %s", a.method, a.path, line)
		}
		require.Equal(t, told, w.runs.told(), "%s %s", a.method, a.path)
		letGo()

		_, noted := w.lastAudit(t)
		rec = grace.send(t, a.method, a.path, a.body)
		require.Less(t, rec.Code, 300, "%s %s: %s", a.method, a.path, rec.Body)
		_, after := w.lastAudit(t)
		require.Greater(t, after, noted, "%s %s", a.method, a.path)
	}
}

// What founders give us, and nobody gets back.
const (
	accessToken  = "77-canaryaccesstoken"
	accessSecret = "canaryaccesssecret"
	clientID     = "canaryclientidentifier"
	clientSecret = "canaryclientsecret"

	appKeys   = `{"clientId":"` + clientID + `","clientSecret":"` + clientSecret + `"}`
	botTokens = `{"accessToken":"` + accessToken + `","accessTokenSecret":"` + accessSecret + `"}`
)

// founder logs Grace in, and plants what she will type in.
func (w *world) founder(t *testing.T) *browser {
	w.canaries.add(accessToken, accessSecret, clientID, clientSecret)
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
	return w.browserWith(w.login(t, grace.ID, ""))
}

// lastAudit is the last line of the audit, and how many there are.
func (w *world) lastAudit(t *testing.T) (audit.Entry, int) {
	entries, total, err := w.db.AuditLog.AuditEntries(t.Context(), 1, 0)
	require.NoError(t, err)
	if total == 0 {
		return audit.Entry{}, 0
	}
	return entries[0], total
}

// Proves: S-write-only
func TestTheBotIsConnectedWithPastedTokens(t *testing.T) {
	w := newWorld(t)
	b := w.founder(t)
	rec := b.post(t, "/api/auth/credentials", asJSON(t, map[string]string{"accessToken": " \t" + accessToken + "\n", "accessTokenSecret": accessSecret + "  "}))
	require.Equal(t, admin.CredentialsReply{Valid: true, Username: "bot"}, read[admin.CredentialsReply](t, rec, ok))

	connected := must(w.db.Bot.Connection(t.Context()))(t)
	_, tokens, err := w.db.Bot.ConnectionTokens(t.Context(), connected.ID)
	require.NoError(t, err)
	require.Equal(t, bot.Tokens{AccessToken: accessToken, AccessSecret: accessSecret}, tokens, "without what stood around them")
	require.NotContains(t, w.rows(t), "canary", "they lie sealed")

	status := read[admin.CredentialStatus](t, b.get(t, "/api/auth/credentials/status"), ok)
	require.Equal(t, bot.Fingerprint(accessToken, accessSecret), status.Credentials.Fingerprint)
	require.Equal(t, []any{"credentials:" + connected.ID, false}, []any{status.Credentials.WorkflowID, status.Credentials.Configured})
	entry, _ := w.lastAudit(t)
	require.Equal(t, []any{"@Grace", audit.ConnectBot, audit.Done}, []any{entry.Actor, entry.Action, entry.Outcome})
	require.Equal(t, "The bot is connected as @bot, tokens "+status.Credentials.Fingerprint+".", entry.Detail)
}

func TestTokensThatXRefusesAreForgotten(t *testing.T) {
	w := newWorld(t)
	b := w.founder(t)
	before, secrets := must(w.db.Bot.Connection(t.Context()))(t), w.count(t, "SELECT count(*) FROM secrets")
	w.runs.err = errors.New("X says no")
	reply := read[admin.CredentialsReply](t, b.post(t, "/api/auth/credentials", botTokens), ok)
	require.Equal(t, admin.CredentialsReply{Error: "X does not accept the bot's keys.", Code: "x_bad_token"}, reply)
	require.Equal(t, secrets, w.count(t, "SELECT count(*) FROM secrets"))
	require.Equal(t, before, must(w.db.Bot.Connection(t.Context()))(t), "the bot goes on with what it had")
	entry, _ := w.lastAudit(t)
	require.Equal(t, []any{"@Grace", audit.Refused, "Tokens " + bot.Fingerprint(accessToken, accessSecret) + " were refused: X does not accept the bot's keys."},
		[]any{entry.Actor, entry.Outcome, entry.Detail})

	w.runs.refusal = string(problem.Conflict) // they are another account's
	refused(t, b.post(t, "/api/auth/credentials", botTokens), problem.Conflict)
	entry, _ = w.lastAudit(t)
	require.Equal(t, audit.Refused, entry.Outcome)
}

// Proves: F33
func TestDisconnectingSaysWhichPostsWait(t *testing.T) {
	w := newWorld(t)
	b := w.founder(t)
	var want []string
	for i, at := range []string{"2026-12-02T09:00:00Z", "2026-12-01T09:00:00Z"} {
		want = append([]string{createPost(t, w, fmt.Sprintf(`{"content":"post %d","scheduledAt":"%s"}`, i, at)).ID}, want...)
	}
	gone := read[admin.RemovedCredentials](t, b.send(t, http.MethodDelete, "/api/auth/credentials", ""), ok)
	require.Equal(t, admin.RemovedCredentials{
		Success: true, Waiting: 2, Posts: want,
		Message: "The bot is disconnected. 2 scheduled posts wait until it is connected again; none of them fails.",
	}, gone)
	require.Equal(t, 2, w.count(t, "SELECT count(*) FROM posts WHERE status = 'scheduled'"))

	status := read[admin.CredentialStatus](t, b.get(t, "/api/auth/credentials/status"), ok)
	require.Equal(t, admin.CredentialStatus{WaitingPosts: 2}, status)
	entry, _ := w.lastAudit(t)
	require.Equal(t, []any{"@Grace", audit.DisconnectBot, "2 scheduled posts wait."}, []any{entry.Actor, entry.Action, entry.Detail})

	w.now = now.Add(time.Minute)
	again := read[admin.RemovedCredentials](t, b.send(t, http.MethodDelete, "/api/auth/credentials", ""), ok)
	require.Equal(t, 2, again.Waiting, "asked again, it says the same")
}

const diagnosticPath = "/api/auth/test-oauth?step="

// from gives a visitor of another network.
func (w *world) from(address string) *browser {
	b := w.browser()
	b.from = address
	return b
}

// Proves: V2.4.1-diagnostic
func TestADiagnosisIsRunOnceAMinuteForEachVisitor(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	first := read[auth.TestOAuth](t, b.get(t, diagnosticPath+"env"), ok)
	require.Equal(t, []any{true, now.Add(time.Minute)}, []any{first.OK, first.NextAt})

	w.now = now.Add(59 * time.Second)
	again := read[auth.TestOAuth](t, b.get(t, diagnosticPath+"env"), ok)
	require.Equal(t, first, again, "the run before is shown")
	require.Len(t, w.runs.told(), 1)
	neighbour := read[auth.TestOAuth](t, w.from("198.51.100.7").get(t, diagnosticPath+"env"), ok)
	require.NotEqual(t, first.WorkflowID, neighbour.WorkflowID)

	w.now = now.Add(time.Minute)
	next := read[auth.TestOAuth](t, b.get(t, diagnosticPath+"env"), ok)
	require.NotEqual(t, first.WorkflowID, next.WorkflowID)
	for _, step := range []string{"signature", "request_token"} {
		require.Equal(t, next.WorkflowID, read[auth.TestOAuth](t, b.get(t, diagnosticPath+step), ok).WorkflowID)
	}
}

// Proves: V8.2.2
func TestLaterStepsBelongToARun(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	for _, step := range []string{"signature", "request_token"} {
		rec := b.get(t, diagnosticPath+step)
		refused(t, rec, problem.Conflict)
	}
	require.Equal(t, ok, b.get(t, diagnosticPath+"env").Code)
	require.Equal(t, http.StatusConflict, w.from("198.51.100.7").get(t, diagnosticPath+"signature").Code, "another's run is not theirs")
	w.now = now.Add(10 * time.Minute)
	require.Equal(t, ok, b.get(t, diagnosticPath+"signature").Code)
	w.now = now.Add(10*time.Minute + time.Second)
	require.Equal(t, http.StatusConflict, b.get(t, diagnosticPath+"signature").Code)
}

// Proves: V8.2.3, S-write-only
func TestXsAnswerIsForFoundersEyes(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	grace := w.founder(t)
	require.Equal(t, ok, w.browser().get(t, diagnosticPath+"env").Code)
	for name, tt := range map[string]struct {
		headers []header
		sees    string
	}{
		"a visitor":         {nil, ""},
		"a member":          {[]header{{"Cookie", "session=" + w.login(t, ada, "")}}, ""},
		"a founder":         {[]header{{"Cookie", "session=" + grace.cookies["session"]}}, "raw answer"},
		"a founder's token": {[]header{{"Authorization", "Bearer " + w.login(t, w.accountOf(t, "grace"), account.ScopeCredentials)}}, ""},
	} {
		rec := w.say(t, call{method: http.MethodGet, path: diagnosticPath + "request_token"}, tt.headers)
		require.Equal(t, tt.sees != "", strings.Contains(rec.Body.String(), "raw"), name)
		shown := read[auth.TestOAuth](t, rec, ok)
		require.Equal(t, tt.sees, shown.RequestTokenTest.APIResponse.ResponseText, name)
		require.Equal(t, tt.sees, shown.Account.APIResponse.ResponseText, name)
	}
}

// Proves: S-write-only
func TestBadKeysAndTokensAreNotEvenTried(t *testing.T) {
	w := newWorld(t)
	w.canaries.add("kanari")
	calls := map[string]bad{
		"a blank id":              {"POST", "/api/admin/x-credentials", asJSON(t, map[string]string{"clientId": " \t", "clientSecret": clientSecret}), problem.Invalid},
		"an empty secret":         {"POST", "/api/admin/x-credentials", asJSON(t, map[string]string{"clientId": clientID, "clientSecret": ""}), problem.Invalid},
		"a control in the secret": {"POST", "/api/admin/x-credentials", asJSON(t, map[string]string{"clientId": clientID, "clientSecret": "kanari\x01secret"}), problem.Invalid},
		"100,000 characters":      {"POST", "/api/auth/credentials", asJSON(t, map[string]string{"accessToken": accessToken, "accessTokenSecret": "kanari" + strings.Repeat("a", 50_000)}), problem.Invalid},
	}
	for name, tt := range map[string]struct{ field, value string }{
		"an empty token": {"accessToken", ""}, "a blank token": {"accessToken", " \t\n "}, "a blank secret": {"accessTokenSecret", "\u00a0"},
		"a control character": {"accessToken", "kanari\x01token"}, "a line break inside": {"accessTokenSecret", "kanari\nX-Header: 1"},
		"a blank inside": {"accessToken", "kanari token"}, "letters of no key": {"accessTokenSecret", "kanaritökén"}, "something invisible": {"accessToken", "kanari\u200btoken"},
	} {
		fields := map[string]string{"accessToken": accessToken, "accessTokenSecret": accessSecret}
		fields[tt.field] = tt.value
		calls[name] = bad{"POST", "/api/auth/credentials", asJSON(t, fields), problem.Invalid}
		require.Equal(t, "body."+tt.field, problemOf(t, w.founder(t).post(t, "/api/auth/credentials", calls[name].body)).Details[0].Field, name)
	}
	w.refusesAll(t, w.founder(t).send, calls)
}
