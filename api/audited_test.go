package api_test

import (
	"database/sql"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
)

// act is something that a founder does. Each is valid once those before it are done.
type act struct{ method, path, body string }

// acts are all that the audit tells of, but for what the bot's tokens came to and for the list of
// secrets, which is only read.
func (w *world) acts(t *testing.T) []act {
	t.Helper()
	accountID, _ := w.join(t, "ada")
	letter := w.deadLetter(t)
	bought := read[api.PaymentStarted](t, w.buy(t, w.browse(t), wantsToBuy), ok).CheckoutID
	w.pay(t, bought)
	look := w.verified(t, look{})
	w.brakes(t, `{"approval":true}`)
	ada := w.login(t, accountID, "")
	waiting := func(text string) (path string) {
		return "/api/posts/" + w.write(t, ada, `{"content":"`+text+`","scheduledAt":"2026-12-01T09:00:00Z"}`).ID
	}
	tokens := body(t, map[string]string{"accessToken": accessToken, "accessTokenSecret": accessSecret})
	return []act{
		{"POST", "/api/admin/x-credentials", body(t, map[string]string{"clientId": clientID, "clientSecret": clientSecret})},
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
		{"POST", "/api/auth/credentials", tokens},
		{"DELETE", "/api/auth/credentials", ""},
		{"POST", "/api/admin/letters/" + letter + "/retry", ""}, // the last one: its run is told when it suits
	}
}

// noteNothing lets nobody write into the audit, as a database would in which there is no room.
func noteNothing(t *testing.T, db *sql.DB) (letGo func()) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), "CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'full'); END")
	require.NoError(t, err)
	return func() {
		_, err := db.ExecContext(t.Context(), "DROP TRIGGER full")
		require.NoError(t, err)
	}
}

func TestWhatCannotBeNotedIsNotDone(t *testing.T) {
	t.Parallel()
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
