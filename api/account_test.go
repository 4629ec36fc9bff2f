package api_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

func TestANewAddressIsMineWhenItsCodeSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.canaries.addAddress("new@example.com")
	b := w.browserWith(w.login(t, ada, ""))
	addressIs := func(want string) {
		t.Helper()
		require.Equal(t, want, read[api.Account](t, b.get(t, "/api/account"), http.StatusOK).Email)
	}
	require.Equal(t, http.StatusOK, b.post(t, "/api/account/email", `{"email":" New@Example.com "}`).Code)
	code := w.mailedCode(t, "new@example.com")
	addressIs("ada@example.com")

	rec := b.post(t, "/api/account/email/verify", body(t, map[string]string{"code": other(code, 0)}))
	require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code)
	addressIs("ada@example.com")
	require.Equal(t, http.StatusOK, b.post(t, "/api/account/email/verify", body(t, map[string]string{"code": code})).Code)
	addressIs("new@example.com")
	rec = b.post(t, "/api/account/email/verify", body(t, map[string]string{"code": code}))
	require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code, "a code is good once")
}

func TestAnAddressBelongsToOneAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.join(t, "eve")
	b := w.browserWith(w.login(t, ada, ""))
	require.Equal(t, http.StatusOK, b.post(t, "/api/account/email", `{"email":"eve@example.com"}`).Code, "who has it is not told before the code")
	rec := b.post(t, "/api/account/email/verify", body(t, map[string]string{"code": w.mailedCode(t, "eve@example.com")}))
	require.Equal(t, problem.Conflict, problemOf(t, rec).Code)
	require.Equal(t, "ada@example.com", read[api.Account](t, b.get(t, "/api/account"), http.StatusOK).Email)
}

func TestACodeForMyAddressIsNobodyElses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	b, hers := w.browserWith(w.login(t, ada, "")), w.browserWith(w.login(t, eve, ""))
	require.Equal(t, http.StatusOK, b.post(t, "/api/account/email", `{"email":"new@example.com"}`).Code)
	code := w.mailedCode(t, "new@example.com")
	rec := hers.post(t, "/api/account/email/verify", body(t, map[string]string{"code": code}))
	require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code)
	rec = w.browser().post(t, "/api/auth/email/verify", body(t, map[string]string{"email": "new@example.com", "code": code}))
	require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code, "and it lets nobody in")
}

func TestOnlyTheProofOfALetterEndsLetters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	proof := w.db.Keys().Mark(ada, account.UnsubscribePlace)
	unsubscribe := func(id, proof string) int {
		path := "/unsubscribe?account=" + url.QueryEscape(id) + "&proof=" + url.QueryEscape(proof)
		return w.do(t, call{method: http.MethodPost, path: path, body: "List-Unsubscribe=One-Click", contentType: "application/x-www-form-urlencoded", key: "none"}).Code
	}
	before := w.rows(t)
	require.Equal(t, http.StatusNotFound, unsubscribe(eve, proof), "it is ada's")
	require.Equal(t, http.StatusNotFound, unsubscribe(ada, w.db.Keys().Mark(ada, "visitor")), "it is for something else")
	require.Equal(t, http.StatusNotFound, unsubscribe(ada, "x"))
	require.Equal(t, http.StatusUnprocessableEntity, unsubscribe(ada, ""))
	require.Equal(t, before, w.rows(t))
	require.Equal(t, http.StatusOK, unsubscribe(ada, proof))
	b := w.browserWith(w.login(t, ada, ""))
	require.False(t, read[api.Account](t, b.get(t, "/api/account"), http.StatusOK).Notices)
	require.Equal(t, http.StatusOK, b.send(t, http.MethodPut, "/api/account/notices", `{"wanted":true}`).Code)
	require.True(t, read[api.Account](t, b.get(t, "/api/account"), http.StatusOK).Notices)
}
