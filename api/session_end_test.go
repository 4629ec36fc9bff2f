package api_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
)

// Proves: F32, V7.4.1
func TestLoggingOutEndsTheSessionOnTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	b, other := w.browserWith(w.login(t, ada, "")), w.browserWith(w.login(t, ada, ""))
	stolen := b.cookies["session"]
	require.Equal(t, http.StatusOK, b.post(t, "/api/auth/logout", "").Code)
	require.NotContains(t, b.cookies, "session")
	require.Equal(t, "visitor", w.whoHas(t, stolen).Role, "whoever kept the cookie has nothing")
	require.True(t, other.who(t).IsAuthenticated, "the other browser goes on")
	require.Equal(t, http.StatusOK, b.post(t, "/api/auth/logout", "").Code, "a visitor may press it too")
}

// Two presses of the button, or twenty, are one logout and no failure.
// Proves: F32, V7.4.1
func TestLoggingOutTwentyTimesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	token := w.login(t, ada, "")
	answers := make([]*httptest.ResponseRecorder, 20)
	var all sync.WaitGroup
	for i := range answers {
		req := w.browserWith(token).request(t, http.MethodPost, "/api/auth/logout", "")
		all.Go(func() { answers[i] = w.answer(t, req) })
	}
	all.Wait()
	for _, rec := range answers {
		require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
	}
	require.False(t, w.whoHas(t, token).IsAuthenticated)
}

// Proves: V7.4.1
func TestLoggingOutEndsWhateverTheRequestCameWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	cookie, token := w.login(t, ada, ""), w.login(t, ada, account.ScopeCredentials)
	req := w.browserWith(cookie).request(t, http.MethodPost, "/api/auth/logout", "")
	req.Header.Set("Authorization", "Bearer "+token)
	require.Equal(t, http.StatusOK, w.answer(t, req).Code)
	require.Zero(t, w.count(t, "SELECT count(*) FROM sessions"))
}

// Proves: F32, V7.4.1
func TestLoggingOutEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	b, hers := w.browserWith(w.login(t, ada, "")), w.browserWith(w.login(t, eve, ""))
	mine := []string{b.cookies["session"], w.login(t, ada, ""), w.login(t, ada, account.ScopeCredentials)}
	require.Equal(t, http.StatusOK, b.send(t, http.MethodDelete, "/api/account/sessions", "").Code)
	require.NotContains(t, b.cookies, "session")
	for _, token := range mine {
		require.False(t, w.whoHas(t, token).IsAuthenticated)
	}
	require.True(t, hers.who(t).IsAuthenticated, "somebody else's go on")
}

// Proves: V7.4.1, V8.2.2
func TestEndingOneOfMySessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	b, hers := w.browserWith(w.login(t, ada, "")), w.browserWith(w.login(t, eve, ""))
	lost := w.login(t, ada, "")

	list := read[api.Account](t, w.browserWith(lost).get(t, "/api/account"), http.StatusOK).Sessions
	require.Len(t, list, 2)
	lostID := currentOf(t, list)
	require.Equal(t, http.StatusNotFound, hers.send(t, http.MethodDelete, "/api/account/sessions/"+lostID, "").Code, "eve cannot end ada's")
	require.True(t, w.whoHas(t, lost).IsAuthenticated)

	require.Equal(t, http.StatusOK, b.send(t, http.MethodDelete, "/api/account/sessions/"+lostID, "").Code)
	require.False(t, w.whoHas(t, lost).IsAuthenticated)
	require.True(t, b.who(t).IsAuthenticated)
	require.Equal(t, http.StatusNotFound, b.send(t, http.MethodDelete, "/api/account/sessions/"+lostID, "").Code, "once is enough")
	require.Len(t, read[api.Account](t, b.get(t, "/api/account"), http.StatusOK).Sessions, 1)
}

func currentOf(t *testing.T, list []api.Session) (id string) {
	t.Helper()
	for _, session := range list {
		if session.Current {
			require.Empty(t, id, "only one asks")
			id = session.ID
		}
	}
	require.NotEmpty(t, id)
	return id
}

// Proves: F32, V7.4.2
func TestAFounderTakenOffTheListIsNoneAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	grace, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	b := w.browserWith(w.login(t, grace.ID, ""))
	require.Equal(t, "founder", b.who(t).Role)
	require.Equal(t, http.StatusOK, b.get(t, "/api/admin/audit").Code)

	w.server.Founders = account.ParseFounders([]string{"barbara"})
	require.Equal(t, "visitor", b.who(t).Role)
	require.Equal(t, http.StatusNotFound, b.get(t, "/api/admin/audit").Code)
	require.Equal(t, http.StatusForbidden, b.post(t, "/api/posts", `{"content":"hi"}`).Code)
	require.Equal(t, http.StatusForbidden, b.get(t, "/api/auth/credentials/status").Code)
}

// Proves: F32, V7.4.2
func TestAFrozenMemberIsNoneAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, memberID := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	for _, step := range []struct {
		status member.Status
		role   string
		answer int
	}{
		{member.StatusActive, "member", http.StatusCreated},
		{member.StatusFrozen, "visitor", http.StatusForbidden},
		{member.StatusRemoved, "visitor", http.StatusForbidden},
		{member.StatusActive, "member", http.StatusCreated},
	} {
		w.setStatus(t, memberID, step.status)
		require.Equal(t, step.role, b.who(t).Role)
		rec := b.post(t, "/api/posts", `{"content":"hello on `+string(step.status)+` `+account.NewToken()[:5]+`"}`)
		require.Equal(t, step.answer, rec.Code, rec.Body.String())
	}
}
