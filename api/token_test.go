package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// say sends a call with just these headers.
func (w *world) say(t *testing.T, c call, all []header) *httptest.ResponseRecorder {
	t.Helper()
	c.key = "none"
	req := w.request(t, c)
	for _, h := range all {
		req.Header.Add(h.name, h.value)
	}
	return w.answer(t, req)
}

// bearing sends a call as a program with a token.
func (w *world) bearing(t *testing.T, token, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	return w.say(t, call{method: method, path: path, body: body}, []header{{"Authorization", "Bearer " + token}})
}

// mint makes a token as a founder would, and gives the founder's browser too.
func (w *world) mint(t *testing.T) (api.Token, *browser) {
	t.Helper()
	grace, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	b := w.browserWith(w.login(t, grace.ID, ""))
	rec := b.post(t, "/api/auth/token", `{"scope":"credentials"}`)
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	require.Empty(t, rec.Header()["Set-Cookie"], "it is for a program, not for this browser")
	token := read[api.Token](t, rec, http.StatusCreated)
	w.canaries.addShownOnce(token.Token)
	return token, b
}

// Proves: V7.2.3
func TestATokenIsShownOnceAndKeptAsADigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, b := w.mint(t)
	require.True(t, account.IsToken(token.Token))
	require.Equal(t, now.Add(account.TokenLife), token.ExpiresAt)
	rec := b.get(t, "/api/account")
	require.Contains(t, rec.Body.String(), `"scope":"credentials"`)
	require.NotContains(t, rec.Body.String(), token.Token)
	require.NotContains(t, w.rows(t), token.Token)
	require.Contains(t, w.rows(t), account.Hash(token.Token))
	require.True(t, b.who(t).IsAuthenticated, "the browser's own session goes on")
}

// Proves: V3.3.4
func TestATokenServesItsScopeAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(t, "ada")
	token, _ := w.mint(t)
	require.Equal(t, http.StatusOK, w.bearing(t, token.Token, http.MethodGet, "/api/auth/credentials/status", "").Code)

	before, refused := w.rows(t), 0
	for route, want := range answers {
		if want.token != 0 {
			continue // for anybody, or for this token
		}
		refused++
		rec := w.do(t, w.callTo(route, want.body, ids{post: "x", letter: "x", generation: "x", series: "x"}, "", token.Token, "none"))
		require.Equal(t, http.StatusForbidden, rec.Code, "%s: %s", route, rec.Body)
		require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
	}
	require.Greater(t, refused, 15)
	require.Equal(t, before, w.rows(t))
	require.Equal(t, http.StatusForbidden, w.bearing(t, token.Token, http.MethodPost, "/api/auth/token", `{"scope":"credentials"}`).Code,
		"a token begets no other")
}

// What everybody may call shows founders more. Their tokens are for something else.
// Proves: V3.3.4, V8.3.1
func TestElsewhereATokensHolderIsAVisitor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(t, "ada")
	token, b := w.mint(t)
	require.Contains(t, b.get(t, "/api/members").Body.String(), "ada@example.com")
	require.NotContains(t, w.bearing(t, token.Token, http.MethodGet, "/api/members", "").Body.String(), "example.com")
	status := read[api.AuthStatus](t, w.bearing(t, token.Token, http.MethodGet, "/api/auth/status", ""), http.StatusOK)
	require.Equal(t, "visitor", status.Role)
	require.Nil(t, status.User)
}

// Proves: V7.4.1
func TestATokenEndsAfterAQuarterOfAnHourHoweverMuchItIsUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, _ := w.mint(t)
	for _, step := range []struct {
		after  time.Duration
		status int
	}{{0, 200}, {account.SlideEvery, 200}, {2 * account.SlideEvery, 200}, {account.TokenLife - time.Second, 200}, {account.TokenLife, 401}} {
		w.now = now.Add(step.after)
		rec := w.bearing(t, token.Token, http.MethodGet, "/api/auth/credentials/status", "")
		require.Equal(t, step.status, rec.Code, step.after)
		require.Empty(t, rec.Header()["Set-Cookie"])
	}
}

// Proves: V7.4.1
func TestATokenMayEndItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, b := w.mint(t)
	require.Equal(t, http.StatusOK, w.bearing(t, token.Token, http.MethodPost, "/api/auth/logout", "").Code)
	require.Equal(t, http.StatusUnauthorized, w.bearing(t, token.Token, http.MethodGet, "/api/auth/credentials/status", "").Code)
	require.True(t, b.who(t).IsAuthenticated)
}

func TestOtherScopesDoNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, b := w.mint(t)
	before := w.rows(t)
	for _, body := range []string{`{"scope":""}`, `{"scope":"admin"}`, `{"scope":"Credentials"}`, `{"scope":["credentials"]}`, `{}`} {
		require.Equal(t, http.StatusUnprocessableEntity, b.post(t, "/api/auth/token", body).Code, body)
	}
	require.Equal(t, before, w.rows(t))
}
