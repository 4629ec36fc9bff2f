package api_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	accountapi "customerzero/api/account"
	"customerzero/api/admin"
	"customerzero/api/auth"
	checkoutapi "customerzero/api/checkout"
	"customerzero/api/httpapi"
	membersapi "customerzero/api/members"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// To all but founders, the admin routes look like unknown paths, to the last byte.
// Proves: S-admin-pages
func TestTheAdminIsNotThere(t *testing.T) {
	w := newWorld(t)
	p, known := w.loginAll(t)
	for name, all := range map[string][]header{
		"a visitor":              nil,
		"a member":               {{"Cookie", "session=" + p.member}},
		"a frozen member":        {{"Cookie", "session=" + p.frozen}},
		"an expired token":       {{"Authorization", "Bearer " + account.NewToken()}},
		"a wrong key":            {{"X-Admin-Key", "guess"}},
		"two keys":               {{"X-Admin-Key", "guess"}, {"X-Admin-Key", "guess"}},
		"two accounts":           {{"Cookie", "session=" + p.member + "; session=" + p.other}},
		"a founder, a wrong key": {{"Cookie", "session=" + p.founder}, {"X-Admin-Key", "guess"}},
		"a founder, a bad token": {{"Cookie", "session=" + p.founder}, {"Authorization", "Bearer " + account.NewToken()}},
	} {
		before := w.rows(t)
		for route, want := range answers {
			if !strings.Contains(route, "/api/admin/") {
				continue
			}
			c := w.callTo(route, want.body, known, "", "", "none")
			got := w.sendHeaders(t, c, all)
			c.path = "/api/admin/nothing"
			nothing := w.sendHeaders(t, c, all)
			require.Equal(t, http.StatusNotFound, got.Code, "%s, %s", name, route)
			require.Equal(t, wholeReply(nothing), wholeReply(got), "%s, %s", name, route)
		}
		require.Equal(t, before, w.rows(t), name)
	}
}

func (w *world) accountOf(t *testing.T, name string) string {
	a := must(w.db.Accounts.AccountByName(t.Context(), name))(t)
	require.NotNil(t, a)
	return a.ID
}

// An old session may read the admin pages, but not the secrets.
// Proves: V8.3.1, S-admin-pages
func TestTheAdminAsksForAFreshLogin(t *testing.T) {
	w := newWorld(t)
	b := w.founder(t)
	w.now = now.Add(account.FreshFor - time.Second)
	require.True(t, b.who(t).Fresh)
	require.Equal(t, ok, b.get(t, "/api/admin/secrets").Code)
	w.now = now.Add(account.FreshFor)
	require.False(t, b.who(t).Fresh, "use does not make it fresh")
	w.refusesAll(t, b.send, map[string]bad{"the secrets": {"GET", "/api/admin/secrets", "", problem.LoginStale}})
	require.Equal(t, ok, b.get(t, "/api/admin/audit").Code)
}

// Proves: S-write-only
func TestKeysOfTheAppAreReplacedOnlyIfTheDiagnosticPasses(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.db.Bot.SeedKeys(t.Context(), bot.Keys{ConsumerKey: "k", ConsumerSecret: "s"}, now))
	w.server.Settings = []httpapi.Setting{{Name: "SMTP_URL"}, {Name: "ADMIN_KEY", Set: true}}
	b := w.founder(t)
	keys := asJSON(t, map[string]string{"clientId": " " + clientID, "clientSecret": clientSecret + "\n"})
	secrets := func(name, secret string) admin.Secrets {
		rec := b.get(t, "/api/admin/secrets")
		require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
		shown := read[admin.Secrets](t, rec, ok)
		require.Equal(t, []admin.Secret{
			{Name: "X app: client id and secret", Status: "fingerprint " + bot.Fingerprint(name, secret)},
			{Name: "X account: access token and secret", Status: "fingerprint " + bot.Fingerprint("1-test-token", "test-secret")},
			{Name: "SMTP_URL", Status: "unset"},
			{Name: "ADMIN_KEY", Status: "set"},
		}, shown.Secrets)
		require.Equal(t, []string{"SMTP_URL"}, shown.MissingSecrets)
		return shown
	}
	w.runs.err = errors.New("X says no")
	reply := read[admin.ProviderKeysReply](t, b.post(t, "/api/admin/x-credentials", keys), ok)
	require.Equal(t, []any{false, "keys_refused", "X refused the keys."}, []any{reply.Success, reply.Code, reply.Error})
	require.Nil(t, secrets("k", "s").Previous)

	w.runs.err = nil
	reply = read[admin.ProviderKeysReply](t, b.post(t, "/api/admin/x-credentials", keys), ok)
	require.True(t, reply.Success)
	require.Contains(t, reply.RunURL, "/runs/provider-keys:")
	require.Equal(t, &admin.PreviousKeys{Fingerprint: bot.Fingerprint("k", "s"), KeptUntil: now.Add(bot.KeepPrevious)}, secrets(clientID, clientSecret).Previous)
	require.Equal(t, ok, b.post(t, "/api/admin/x-credentials/rollback", "").Code)
	secrets("k", "s")
}

// The recipient of an email is hidden, even from founders.
// Proves: V8.2.3
func TestFailedEmailsAreListedWithoutTheirReaders(t *testing.T) {
	w := newWorld(t)
	w.join(t, "ada")
	id, b := w.failedEmail(t), w.founder(t)
	rec := b.get(t, "/api/admin/failed-emails")
	require.NotContains(t, rec.Body.String(), "ada")
	list := read[admin.FailedEmails](t, rec, ok).Emails
	require.Equal(t, []any{id, email.Welcome, "The mail server refused it."}, []any{list[0].ID, list[0].Kind, list[0].Reason})
	require.Equal(t, ok, b.post(t, "/api/admin/failed-emails/"+id+"/retry", "").Code)
	require.Empty(t, read[admin.FailedEmails](t, b.get(t, "/api/admin/failed-emails"), ok).Emails)
}

// act is a founder's action with its audit entry. Each requires the ones before it.
type act struct {
	method, path, body string
	action             audit.Action
	detail             string
}

// acts are all audited actions, except the refusal of tokens.
func (w *world) acts(t *testing.T) []act {
	accountID, _ := w.join(t, "ada")
	failed := w.failedEmail(t)
	bought := read[checkoutapi.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok).CheckoutID
	w.pay(t, bought)
	run := w.verified(t, siteCheck{})
	w.controls(t, `{"approval":true}`)
	ada := w.browserWith(w.login(t, accountID, ""))
	var posts [4]string
	for i, text := range []string{"one", "two", "three", "four"} {
		posts[i] = ada.write(t, `{"content":"`+text+`","scheduledAt":"2026-12-01T09:00:00Z"}`).ID
	}
	const second, first = "Experiment 002 (Reply to every mention) ", "Experiment 001 (The open lab) "
	fingerprint := bot.Fingerprint(accessToken, accessSecret)
	return []act{
		{"GET", "/api/admin/secrets", "", audit.ReadSecrets, "The list of secrets was opened."},
		{"POST", "/api/admin/x-credentials", appKeys, audit.ReplaceProviderKeys, "Keys " + bot.Fingerprint(clientID, clientSecret) + " are being tested."},
		{"POST", "/api/admin/x-credentials/rollback", "", audit.RollBackProvider, "Keys " + bot.Fingerprint("k", "s") + " are in use again."},
		{"POST", "/api/members", `{"username":"new","paymentAmount":9}`, audit.AddMember, "@new is a member."},
		{"POST", "/api/checkouts/" + bought + "/refund", "", audit.Refund, "Checkout " + bought + " was refunded."},
		{
			"POST", approving(run), `{"reason":"  The new header. "}`, audit.ApproveBaseline,
			"Screenshots of / in run " + run + " (light wide, dark wide, light narrow, dark narrow): The new header.",
		},
		{"POST", "/api/posts/" + posts[0] + "/review", `{"decision":"approve"}`, audit.ApprovePost, "Post " + posts[0] + "."},
		{"POST", "/api/posts/" + posts[1] + "/review", `{"decision":"reject","reason":"No."}`, audit.RejectPost, "Post " + posts[1] + "."},
		{"POST", "/api/posts/" + posts[2] + "/review", `{"decision":"suggest","suggestion":"Hello."}`, audit.SuggestText, "Post " + posts[2] + "."},
		{"PATCH", "/api/posts/" + posts[3], `{"draft":false}`, audit.ApprovePost, "Post " + posts[3] + "."},
		{"PUT", "/api/posting-controls", `{"approval":false}`, audit.DropApproval, "Members' posts need no approval."},
		{"PUT", "/api/posting-controls", `{"approval":true}`, audit.RequireApproval, "Members' posts need a founder's approval."},
		{"PUT", "/api/posting-controls", `{"paused":true,"reason":"a storm"}`, audit.PauseBot, "The bot is paused: a storm."},
		{"PUT", "/api/posting-controls", `{"paused":false}`, audit.ResumeBot, "Posting resumed."},
		{"PUT", "/api/chaos/switch", `{"on":false,"reason":"a demo"}`, audit.StopChaos, "Chaos testing was turned off: a demo."},
		{"PUT", "/api/chaos/switch", `{"on":true}`, audit.AllowChaos, "Chaos testing was turned on."},
		{"POST", "/api/experiments/submit", anIdea, audit.SubmitExperiment, second + "was submitted."},
		{"PUT", "/api/experiments/002/metric", promise("7", "2026-11-30T12:00:00Z"), audit.RegisterMetric, second + "promises members of 7 by 2026-11-30T12:00:00Z."},
		{"DELETE", "/api/experiments/002/metric?version=2", "", audit.DropMetric, second + "no longer promises a metric."},
		{"PATCH", "/api/experiments/001", `{"version":1,"title":"The open lab"}`, audit.EditExperiment, first + "was edited."},
		{"PUT", "/api/experiments/001/notes/2026-11-20", `{"version":1,"content":"words"}`, audit.WriteLabNote, first + "has the lab note of 2026-11-20."},
		{"DELETE", "/api/experiments/001/notes/2026-11-20?version=2", "", audit.DeleteLabNote, first + "lost the lab note of 2026-11-20."},
		{"POST", "/api/experiments/001/move", `{"version":2,"to":"testing"}`, audit.MoveExperiment, first + "went from active to testing."},
		{"POST", "/api/experiments/001/move", `{"version":3,"to":"declined","reason":"Nobody came"}`, audit.MoveExperiment, first + "went from testing to declined: Nobody came."},
		{"POST", "/api/auth/credentials", botTokens, audit.ConnectBot, "The bot is connected as @bot, tokens " + fingerprint + "."},
		{"DELETE", "/api/auth/credentials", "", audit.DisconnectBot, "2 scheduled posts wait."},
		{"POST", "/api/admin/failed-emails/" + failed + "/retry", "", audit.RetryEmail, "A failed email (welcome) is sent again."}, // last, because its workflow starts in the background
	}
}

// Proves: S-admin-pages
func TestEveryActOfAFounderIsInTheAuditOrIsNotDone(t *testing.T) {
	w := newWorld(t)
	acts, db, grace := w.acts(t), w.open(t), w.founder(t)
	for _, a := range acts {
		w.now = w.now.Add(time.Second)
		must(db.ExecContext(t.Context(), "CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'full'); END"))(t)
		before, told := w.rows(t), w.runs.sent()
		rec := grace.send(t, a.method, a.path, a.body)
		require.Equal(t, http.StatusInternalServerError, rec.Code, "%s %s: %s", a.method, a.path, rec.Body)
		for _, line := range changed(before, w.rows(t)) {
			require.True(t, strings.HasPrefix(line, "rate_windows "), "%s %s has written %s", a.method, a.path, line)
		}
		require.Equal(t, told, w.runs.sent(), "%s %s", a.method, a.path)
		must(db.ExecContext(t.Context(), "DROP TRIGGER full"))(t)

		_, noted := w.lastAudit(t)
		rec = grace.send(t, a.method, a.path, a.body)
		require.Less(t, rec.Code, 300, "%s %s: %s", a.method, a.path, rec.Body)
		entry, after := w.lastAudit(t)
		require.Greater(t, after, noted, "%s %s", a.method, a.path)
		require.Equal(t, []any{a.action, a.detail, "@Grace", w.accountOf(t, "grace"), w.now},
			[]any{entry.Action, entry.Detail, entry.Actor, *entry.AccountID, entry.At.UTC()}, a.path)
	}
	list := read[admin.Audit](t, grace.get(t, "/api/admin/audit?limit=2"), ok)
	require.Equal(t, []any{audit.RetryEmail, audit.Begun}, []any{list.Entries[0].Action, list.Entries[0].Outcome}, "the latest first")
	require.Equal(t, 201, w.send(t, "POST", "/api/members", `{"username":"newer","paymentAmount":9}`).Code)
	entry, _ := w.lastAudit(t)
	require.Equal(t, []any{"the admin key", (*string)(nil)}, []any{entry.Actor, entry.AccountID})
}

// Secrets that founders enter.
const (
	accessToken  = "77-canaryaccesstoken"
	accessSecret = "canaryaccesssecret"
	clientID     = "canaryclientidentifier"
	clientSecret = "canaryclientsecret"

	appKeys   = `{"clientId":"` + clientID + `","clientSecret":"` + clientSecret + `"}`
	botTokens = `{"accessToken":"` + accessToken + `","accessTokenSecret":"` + accessSecret + `"}`
)

// founder returns Grace's browser and registers the secrets that she enters.
func (w *world) founder(t *testing.T) *browser {
	w.canaries.add(accessToken, accessSecret, clientID, clientSecret)
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
	return w.browserWith(w.login(t, grace.ID, ""))
}

// lastAudit returns the last audit entry and their number.
func (w *world) lastAudit(t *testing.T) (audit.Entry, int) {
	entries, total, err := w.db.AuditLog.AuditEntries(t.Context(), 1, 0)
	require.NoError(t, err)
	if total == 0 {
		return audit.Entry{}, 0
	}
	return entries[0], total
}

// Proves: S-write-only
func TestTheBotIsConnectedWithPastedTokensThatXTakes(t *testing.T) {
	w := newWorld(t)
	b := w.founder(t)
	before, secrets := must(w.db.Bot.Connection(t.Context()))(t), w.count(t, "SELECT count(*) FROM secrets")
	w.runs.err = errors.New("X says no")
	reply := read[admin.CredentialsReply](t, b.post(t, "/api/auth/credentials", botTokens), ok)
	require.Equal(t, admin.CredentialsReply{Error: "X does not accept the bot's keys.", Code: "x_bad_token"}, reply)
	require.Equal(t, secrets, w.count(t, "SELECT count(*) FROM secrets"))
	require.Equal(t, before, must(w.db.Bot.Connection(t.Context()))(t), "the bot keeps its connection")
	entry, _ := w.lastAudit(t)
	require.Equal(t, []any{audit.Refused, "Tokens " + bot.Fingerprint(accessToken, accessSecret) + " were refused: X does not accept the bot's keys."}, []any{entry.Outcome, entry.Detail})
	w.runs.refusal = string(problem.Conflict) // the tokens are for another account
	refused(t, b.post(t, "/api/auth/credentials", botTokens), problem.Conflict)

	w.runs.err = nil
	rec := b.post(t, "/api/auth/credentials", asJSON(t, map[string]string{"accessToken": " \t" + accessToken + "\n", "accessTokenSecret": accessSecret + "  "}))
	require.Equal(t, admin.CredentialsReply{Valid: true, Username: "bot"}, read[admin.CredentialsReply](t, rec, ok))
	connected := must(w.db.Bot.Connection(t.Context()))(t)
	_, tokens, err := w.db.Bot.ConnectionTokens(t.Context(), connected.ID)
	require.NoError(t, err)
	require.Equal(t, bot.Tokens{AccessToken: accessToken, AccessSecret: accessSecret}, tokens, "trimmed")
	require.NotContains(t, w.rows(t), "canary", "they are stored encrypted")
	shown := read[admin.CredentialStatus](t, b.get(t, "/api/auth/credentials/status"), ok).Credentials
	require.Equal(t, []any{bot.Fingerprint(accessToken, accessSecret), "credentials:" + connected.ID, false}, []any{shown.Fingerprint, shown.WorkflowID, shown.Configured})
}

// Proves: F33
func TestDisconnectingSaysWhichPostsWait(t *testing.T) {
	w := newWorld(t)
	b := w.founder(t)
	later := createPost(t, w, `{"content":"later","scheduledAt":"2026-12-02T09:00:00Z"}`).ID
	sooner := createPost(t, w, `{"content":"sooner","scheduledAt":"2026-12-01T09:00:00Z"}`).ID
	for range 2 { // repeating it returns the same
		gone := read[admin.RemovedCredentials](t, b.send(t, http.MethodDelete, "/api/auth/credentials", ""), ok)
		require.Equal(t, admin.RemovedCredentials{
			Success: true, Waiting: 2, Posts: []string{sooner, later},
			Message: "The bot is disconnected. 2 scheduled posts wait until it is connected again; none will fail.",
		}, gone)
	}
	require.Equal(t, admin.CredentialStatus{WaitingPosts: 2}, read[admin.CredentialStatus](t, b.get(t, "/api/auth/credentials/status"), ok))
}

const diagnosticPath = "/api/auth/test-oauth?step="

// Proves: S-write-only
func TestBadKeysAndTokensAreNotEvenTried(t *testing.T) {
	w := newWorld(t)
	w.canaries.add("kanari")
	grace := w.founder(t)
	calls := map[string]bad{
		"a blank id":              {"POST", "/api/admin/x-credentials", asJSON(t, map[string]string{"clientId": " \t", "clientSecret": clientSecret}), problem.Invalid},
		"an empty secret":         {"POST", "/api/admin/x-credentials", asJSON(t, map[string]string{"clientId": clientID, "clientSecret": ""}), problem.Invalid},
		"a control in the secret": {"POST", "/api/admin/x-credentials", asJSON(t, map[string]string{"clientId": clientID, "clientSecret": "kanari\x01secret"}), problem.Invalid},
		"100,000 characters":      {"POST", "/api/auth/credentials", asJSON(t, map[string]string{"accessToken": accessToken, "accessTokenSecret": "kanari" + strings.Repeat("a", 50_000)}), problem.Invalid},
	}
	for name, tt := range map[string]struct{ field, value string }{
		"an empty token": {"accessToken", ""}, "a blank token": {"accessToken", " \t\n "}, "a blank secret": {"accessTokenSecret", "\u00a0"},
		"a control character": {"accessToken", "kanari\x01token"}, "a line break inside": {"accessTokenSecret", "kanari\nX-Header: 1"},
		"a blank inside": {"accessToken", "kanari token"}, "an umlaut": {"accessTokenSecret", "kanaritökén"}, "something invisible": {"accessToken", "kanari\u200btoken"},
	} {
		fields := map[string]string{"accessToken": accessToken, "accessTokenSecret": accessSecret}
		fields[tt.field] = tt.value
		calls[name] = bad{"POST", "/api/auth/credentials", asJSON(t, fields), problem.Invalid}
		require.Equal(t, "body."+tt.field, problemOf(t, grace.post(t, "/api/auth/credentials", calls[name].body)).Details[0].Field, name)
	}
	w.refusesAll(t, grace.send, calls)
}

// A diagnosis is visible to its visitor for 10 minutes. X's response is visible to founders only.
// Proves: V2.4.1-diagnostic, V8.2.2, V8.2.3, S-write-only
func TestADiagnosisIsRunOnceAMinuteForEachVisitor(t *testing.T) {
	w := newWorld(t)
	b, grace, neighbour := w.browser(), w.founder(t), w.browser()
	neighbour.from = "198.51.100.7"
	ask := func(b *browser, step string) auth.TestOAuth {
		return read[auth.TestOAuth](t, b.get(t, diagnosticPath+step), ok)
	}
	refused(t, b.get(t, diagnosticPath+"signature"), problem.Conflict)
	first := ask(b, "env")
	require.Equal(t, []any{true, now.Add(time.Minute)}, []any{first.OK, first.NextAt})
	refused(t, neighbour.get(t, diagnosticPath+"signature"), problem.Conflict, "runs are private")
	w.now = now.Add(59 * time.Second)
	require.Equal(t, first, ask(b, "env"), "the run before is shown")
	require.Len(t, w.runs.sent(), 1)
	require.NotEqual(t, first.WorkflowID, ask(neighbour, "env").WorkflowID)

	w.now = now.Add(time.Minute)
	next := ask(b, "env")
	require.NotEqual(t, first.WorkflowID, next.WorkflowID)
	w.now = now.Add(11 * time.Minute)
	require.Equal(t, next.WorkflowID, ask(b, "signature").WorkflowID)
	require.NotContains(t, w.bearing(t, w.login(t, w.accountOf(t, "grace"), account.ScopeCredentials), http.MethodGet, diagnosticPath+"request_token").Body.String(), "raw")
	for who, sees := range map[*browser]string{b: "", w.newMember(t, "ada"): "", grace: "raw answer"} {
		rec := who.get(t, diagnosticPath+"request_token")
		require.Equal(t, sees != "", strings.Contains(rec.Body.String(), "raw"))
		shown := read[auth.TestOAuth](t, rec, ok)
		require.Equal(t, []string{next.WorkflowID, sees, sees}, []string{shown.WorkflowID, shown.RequestTokenTest.APIResponse.ResponseText, shown.Account.APIResponse.ResponseText})
	}
	w.now = now.Add(11*time.Minute + time.Second)
	refused(t, b.get(t, diagnosticPath+"signature"), problem.Conflict)
}

// TestFoundersChangeAMember uses a login and the admin key, as the command line does.
func TestFoundersChangeAMember(t *testing.T) {
	w := newWorld(t)
	grace := w.founder(t)
	adaAccount, adaID := w.join(t, "ada")
	added := read[membersapi.AddedMember](t, w.send(t, "POST", "/api/members", `{"username":"bob","paymentAmount":9}`), 201).Member
	change := func(id, operation, body string) *membersapi.Member {
		return read[membersapi.ChangedMember](t, grace.send(t, "PUT", "/api/members/"+id+"/"+operation, body), ok).Member
	}
	require.Equal(t, "bob@example.com", change("@Bob", "email", `{"email":"Bob@Example.com"}`).Email)
	refused(t, w.send(t, "PUT", "/api/members/ada/email", `{"email":"bob@example.com"}`), problem.MemberExists)
	refused(t, w.send(t, "PUT", "/api/members/ada/email", `{"email":"Bob <bob@example.com>"}`), problem.Invalid)

	ada := w.browserWith(w.login(t, adaAccount, ""))
	frozen := change(adaID, "status", `{"status":"frozen","reason":"Spam."}`)
	require.Equal(t, []any{member.StatusFrozen, "A founder froze this membership. Spam."}, []any{frozen.Status, frozen.FrozenReason})
	require.Equal(t, frozen.FrozenReason, read[accountapi.Account](t, ada.get(t, "/api/account"), ok).Frozen, "the member sees why")
	require.NotContains(t, w.browser().get(t, "/api/members").Body.String(), "Spam.")
	refused(t, ada.post(t, "/api/experiments/vote", `{"experimentId":"001","vote":1}`), problem.Forbidden)
	require.Equal(t, member.StatusActive, change("ada", "status", `{"status":"active"}`).Status)
	refused(t, w.send(t, "PUT", "/api/members/ada/status", `{"status":"active"}`), problem.Conflict)
	refused(t, w.send(t, "PUT", "/api/members/ada/status", `{"status":"gone"}`), problem.Invalid)

	require.Nil(t, change("ada", "status", `{"status":"removed"}`))
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM account_deletions WHERE account_id = '"+adaAccount+"'"), "the account is deleted")
	refused(t, w.send(t, "PUT", "/api/members/ada/status", `{"status":"frozen"}`), problem.NotFound)
	w.exec(t, "UPDATE accounts SET member_id = NULL WHERE email = 'bob@example.com'")
	w.exec(t, "UPDATE accounts SET member_id = ? WHERE x_handle_key = 'grace'", added.ID)
	refused(t, w.send(t, "PUT", "/api/members/bob/status", `{"status":"removed"}`), problem.Forbidden)
	w.exec(t, "UPDATE accounts SET member_id = NULL WHERE member_id = ?", added.ID)
	require.Nil(t, change("bob", "status", `{"status":"removed"}`), "without an account, the membership ends")
	var actions []audit.Action
	for _, e := range read[admin.Audit](t, grace.get(t, "/api/admin/audit"), ok).Entries {
		actions = append(actions, e.Action)
	}
	require.Subset(t, actions, []audit.Action{audit.SetMemberEmail, audit.FreezeMember, audit.UnfreezeMember, audit.RemoveMember})
}

// Proves: S-admin-key
func TestWrongAdminKeysAreLimited(t *testing.T) {
	w := newWorld(t)
	try := func(guess, from string) int {
		return w.do(t, call{method: http.MethodGet, path: "/api/posting-times", key: "none", header: map[string]string{"X-Admin-Key": guess}, from: from}).Code
	}
	for range account.WrongKeys.Most {
		require.Equal(t, http.StatusUnauthorized, try("guess", "203.0.113.9"))
	}
	require.Equal(t, http.StatusTooManyRequests, try("guess", "203.0.113.9"))
	require.Equal(t, http.StatusTooManyRequests, try(key, "203.0.113.9"), "a guess that fits is refused, too")
	require.Equal(t, http.StatusUnauthorized, try("guess", "203.0.113.10"))
	require.NotEqual(t, http.StatusTooManyRequests, try(key, "203.0.113.10"), "another network can use the key")
	w.now = w.now.Add(account.WrongKeys.Per)
	require.NotEqual(t, http.StatusTooManyRequests, try(key, "203.0.113.9"))
}
