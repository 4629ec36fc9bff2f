package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
)

// A session that somebody planted before a login must not be the session after it.
// Proves: F32, V7.2.2, V7.2.4
func TestALoginNeverKeepsTheSessionBeforeIt(t *testing.T) {
	t.Parallel()
	planted := map[string]func(t *testing.T, w *world) string{
		"an attacker's own": func(t *testing.T, w *world) string {
			eve, _ := w.join(t, "eve")
			return w.login(t, eve, "")
		},
		"their own of before": func(t *testing.T, w *world) string {
			ada, err := w.db.Accounts.AccountByEmail(t.Context(), "ada@example.com")
			require.NoError(t, err)
			return w.login(t, ada.ID, "")
		},
		"a minted token": func(t *testing.T, w *world) string {
			eve, _ := w.join(t, "eve")
			return w.login(t, eve, account.ScopeCredentials)
		},
		"one that nobody has": func(*testing.T, *world) string { return account.NewToken() },
		"no token at all":     func(*testing.T, *world) string { return "fixed" },
	}
	for name, way := range ways {
		for kind, plant := range planted {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.join(t, "ada")
				fixed := plant(t, w)
				b := w.browserWith(fixed)
				rec := way.login(t, b)
				require.Less(t, rec.Code, http.StatusBadRequest, rec.Body.String())

				require.NotEqual(t, fixed, b.cookies["session"])
				require.True(t, b.who(t).IsAuthenticated)
				require.False(t, w.whoHas(t, fixed).IsAuthenticated, "what was planted is dead")
				require.Equal(t, 1, w.count(t, "SELECT count(*) FROM sessions"))
			})
		}
	}
}

// A bearer token beside the cookie must not save the cookie's session.
// Proves: F32, V7.2.4
func TestALoginReplacesTheCookieWhateverElseComesAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	b, token := w.browserWith(w.login(t, ada, "")), w.login(t, ada, account.ScopeCredentials)
	before := b.cookies["session"]
	require.Equal(t, http.StatusOK, b.post(t, "/api/auth/email", `{"email":"ada@example.com"}`).Code)
	req := b.request(t, http.MethodPost, "/api/auth/email/verify", `{"email":"ada@example.com","code":"`+w.mailedCode(t, "ada@example.com")+`"}`)
	req.Header.Set("Authorization", "Bearer "+token)
	rec := w.answer(t, req)
	require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
	require.True(t, w.whoHas(t, cookieOf(t, rec, "session").Value).IsAuthenticated)
	require.False(t, w.whoHas(t, before).IsAuthenticated)
}

// Proves: F32, V7.2.4
func TestALoginThatFailsLeavesTheSessionAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	token := b.cookies["session"]
	w.runs.finished = account.Unauthorized
	for path, body := range map[string]string{
		"/api/auth/email/verify": `{"email":"ada@example.com","code":"000000"}`,
		"/api/auth/manual-login": `{"username":"ada","code":"000000"}`,
		"/api/auth/claim":        `{"token":"` + account.NewToken() + `"}`,
	} {
		require.Equal(t, http.StatusUnprocessableEntity, b.post(t, path, body).Code, path)
	}
	b.get(t, "/auth/x/callback?oauth_verifier=v&oauth_token="+b.leaveForX(t, ""))
	b.get(t, "/auth/x/callback")
	require.Equal(t, token, b.cookies["session"])
	require.True(t, b.who(t).IsAuthenticated)
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM sessions"))
}
