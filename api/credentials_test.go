package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/problem"
)

// What founders give us, and nobody gets back.
const (
	accessToken  = "77-canaryaccesstoken"
	accessSecret = "canaryaccesssecret"
	clientID     = "canaryclientidentifier"
	clientSecret = "canaryclientsecret"
)

// founder logs Grace in, and plants what she will type in.
func (w *world) founder(t *testing.T) *browser {
	t.Helper()
	w.canaries.add(accessToken, accessSecret, clientID, clientSecret)
	grace, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	return w.browserWith(w.login(t, grace.ID, ""))
}

// lastAudit is the last line of the audit, and how many there are.
func (w *world) lastAudit(t *testing.T) (audit.Entry, int) {
	t.Helper()
	entries, total, err := w.db.AuditLog.AuditEntries(t.Context(), 1, 0)
	require.NoError(t, err)
	if total == 0 {
		return audit.Entry{}, 0
	}
	return entries[0], total
}

// Proves: S-write-only
func TestTheBotIsConnectedWithPastedTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.founder(t)
	rec := b.post(t, "/api/auth/credentials", body(t, map[string]string{"accessToken": " \t" + accessToken + "\n", "accessTokenSecret": accessSecret + "  "}))
	require.Equal(t, api.CredentialsReply{Valid: true, Username: "bot"}, read[api.CredentialsReply](t, rec, http.StatusOK))

	connected, err := w.db.Bot.Connection(t.Context())
	require.NoError(t, err)
	_, tokens, err := w.db.Bot.ConnectionTokens(t.Context(), connected.ID)
	require.NoError(t, err)
	require.Equal(t, bot.Tokens{AccessToken: accessToken, AccessSecret: accessSecret}, tokens, "without what stood around them")
	require.NotContains(t, w.rows(t), "canary", "they lie sealed")

	status := read[api.CredentialStatus](t, b.get(t, "/api/auth/credentials/status"), http.StatusOK)
	require.Equal(t, bot.Fingerprint(accessToken, accessSecret), status.Credentials.Fingerprint)
	require.Equal(t, "credentials:"+connected.ID, status.Credentials.WorkflowID)
	require.False(t, status.Credentials.Configured)
	entry, _ := w.lastAudit(t)
	require.Equal(t, "@Grace", entry.Actor)
	require.Equal(t, audit.ConnectBot, entry.Action)
	require.Equal(t, audit.Done, entry.Outcome)
	require.Equal(t, "The bot is connected as @bot, tokens "+status.Credentials.Fingerprint+".", entry.Detail)
}

// Proves: S-write-only
func TestTokensThatCannotBeXsAreNotEvenTried(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.founder(t)
	before := w.rows(t)
	for name, tt := range map[string]struct{ field, value string }{
		"an empty token":        {"accessToken", ""},
		"a blank token":         {"accessToken", " \t\n "},
		"a blank secret":        {"accessTokenSecret", "\u00a0"},
		"501 characters":        {"accessToken", "canary" + strings.Repeat("a", 495)},
		"100,000 characters":    {"accessTokenSecret", "canary" + strings.Repeat("a", 50_000)},
		"a control character":   {"accessToken", "canary\x01token"},
		"a line break inside":   {"accessTokenSecret", "canary\nX-Header: 1"},
		"a blank inside":        {"accessToken", "canary token"},
		"letters of no key":     {"accessTokenSecret", "canarytökén"},
		"something invisible":   {"accessToken", "canary\u200btoken"},
		"a field that is not":   {"accessTokenSecrets", "canary"},
		"the fields of the app": {"clientSecret", "canary"},
	} {
		fields := map[string]string{"accessToken": accessToken, "accessTokenSecret": accessSecret}
		fields[tt.field] = tt.value
		rec := b.post(t, "/api/auth/credentials", body(t, fields))
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, name)
		p := problemOf(t, rec)
		require.Equal(t, problem.Invalid, p.Code, name)
		require.Equal(t, "body."+tt.field, p.Details[0].Field, name)
		require.NotContains(t, rec.Body.String(), "canary", name)
	}
	require.Equal(t, before, w.rows(t))
}

func TestTokensThatXRefusesAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.founder(t)
	before, err := w.db.Bot.Connection(t.Context())
	require.NoError(t, err)
	secrets := w.count(t, "SELECT count(*) FROM secrets")
	w.runs.err = errors.New("X says no")
	rec := b.post(t, "/api/auth/credentials", body(t, map[string]string{"accessToken": accessToken, "accessTokenSecret": accessSecret}))
	reply := read[api.CredentialsReply](t, rec, http.StatusOK)
	require.Equal(t, api.CredentialsReply{Error: "X does not accept the bot's keys.", Code: "x_bad_token"}, reply)

	require.Equal(t, secrets, w.count(t, "SELECT count(*) FROM secrets"))
	after, err := w.db.Bot.Connection(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after, "the bot goes on with what it had")
	entry, _ := w.lastAudit(t)
	require.Equal(t, "@Grace", entry.Actor)
	require.Equal(t, audit.Refused, entry.Outcome)
	require.Equal(t, "Tokens "+bot.Fingerprint(accessToken, accessSecret)+" were refused: X does not accept the bot's keys.", entry.Detail)
}

func TestTokensOfAnotherAccountAreAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.founder(t)
	w.runs.err, w.runs.refusal = errors.New("X says no"), string(problem.Conflict)
	rec := b.post(t, "/api/auth/credentials", body(t, map[string]string{"accessToken": accessToken, "accessTokenSecret": accessSecret}))
	require.Equal(t, http.StatusConflict, rec.Code)
	require.Equal(t, problem.Conflict, problemOf(t, rec).Code)
	entry, _ := w.lastAudit(t)
	require.Equal(t, audit.Refused, entry.Outcome)
}

// Proves: V2.4.1-logins
func TestTryingTokensIsLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.founder(t)
	tokens := body(t, map[string]string{"accessToken": accessToken, "accessTokenSecret": accessSecret})
	for range account.CredentialTries.Most {
		require.Equal(t, http.StatusOK, b.post(t, "/api/auth/credentials", tokens).Code)
	}
	before := w.rows(t)
	rec := b.post(t, "/api/auth/credentials", tokens)
	require.Equal(t, http.StatusTooManyRequests, rec.Code)
	require.Equal(t, problem.TooMany, problemOf(t, rec).Code)
	require.Equal(t, now.Add(account.CredentialTries.Per).Format(http.TimeFormat), rec.Header().Get("Retry-After"))
	require.Equal(t, before, w.rows(t))
	w.now = now.Add(account.CredentialTries.Per)
	require.Equal(t, http.StatusOK, b.post(t, "/api/auth/credentials", tokens).Code)
}

// Proves: F33
func TestDisconnectingSaysWhichPostsWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.founder(t)
	var want []string
	for i, at := range []string{"2026-12-02T09:00:00Z", "2026-12-01T09:00:00Z"} {
		want = append([]string{createPost(t, w, fmt.Sprintf(`{"content":"post %d","scheduledAt":"%s"}`, i, at)).ID}, want...)
	}
	gone := read[api.RemovedCredentials](t, b.send(t, http.MethodDelete, "/api/auth/credentials", ""), http.StatusOK)
	require.Equal(t, api.RemovedCredentials{
		Success: true, Waiting: 2, Posts: want,
		Message: "The bot is disconnected. 2 scheduled posts wait until it is connected again; none of them fails.",
	}, gone)
	require.Equal(t, 2, w.count(t, "SELECT count(*) FROM posts WHERE status = 'scheduled'"))

	status := read[api.CredentialStatus](t, b.get(t, "/api/auth/credentials/status"), http.StatusOK)
	require.Equal(t, api.CredentialStatus{WaitingPosts: 2}, status)
	entry, _ := w.lastAudit(t)
	require.Equal(t, "@Grace", entry.Actor)
	require.Equal(t, audit.DisconnectBot, entry.Action)
	require.Equal(t, "2 scheduled posts wait.", entry.Detail)

	w.now = now.Add(time.Minute)
	again := read[api.RemovedCredentials](t, b.send(t, http.MethodDelete, "/api/auth/credentials", ""), http.StatusOK)
	require.Equal(t, 2, again.Waiting, "asked again, it says the same")
}
