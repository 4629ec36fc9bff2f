package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// senders are what a request may say of its sender.
type senders struct{ cookie, otherCookie, member, token, memberToken, dead string }

// header is one of a request; they may come twice.
type header struct{ name, value string }

// Whoever mixes two senders up should not find out later as whom they acted.
// Proves: F32, V7.2.2, S-admin-key
func TestARequestHasOneSender(t *testing.T) {
	t.Parallel()
	conflict, unknown := problem.CredentialsConflict, problem.Unauthorized
	cookie := func(values ...string) (all []header) {
		for _, value := range values {
			all = append(all, header{"Cookie", "session=" + value})
		}
		return all
	}
	with := func(all []header, more ...header) []header { return append(all, more...) }
	founders := header{"X-Admin-Key", key}
	bearer := func(token string) header { return header{"Authorization", "Bearer " + token} }

	for name, tt := range map[string]struct {
		say    func(s senders) []header
		status int
		code   problem.Code
	}{
		"the key and a cookie":                {func(s senders) []header { return with(cookie(s.cookie), founders) }, 400, conflict},
		"the key and a cookie that is none":   {func(senders) []header { return with(cookie("x"), founders) }, 400, conflict},
		"the key and a bearer token":          {func(s senders) []header { return []header{founders, bearer(s.token)} }, 400, conflict},
		"the key and a dead bearer token":     {func(s senders) []header { return []header{founders, bearer(s.dead)} }, 400, conflict},
		"all three":                           {func(s senders) []header { return with(cookie(s.cookie), founders, bearer(s.token)) }, 400, conflict},
		"two keys":                            {func(senders) []header { return []header{founders, {"X-Admin-Key", "other"}} }, 400, conflict},
		"the key twice":                       {func(senders) []header { return []header{founders, founders} }, 400, conflict},
		"a wrong key and a cookie":            {func(s senders) []header { return with(cookie(s.cookie), header{"X-Admin-Key", "other"}) }, 401, unknown},
		"an empty key and a cookie":           {func(s senders) []header { return with(cookie(s.cookie), header{"X-Admin-Key", ""}) }, 401, unknown},
		"somebody's cookie, another's token":  {func(s senders) []header { return with(cookie(s.member), bearer(s.token)) }, 400, conflict},
		"a founder's cookie, another's token": {func(s senders) []header { return with(cookie(s.cookie), bearer(s.memberToken)) }, 400, conflict},
		"a cookie and a dead token":           {func(s senders) []header { return with(cookie(s.cookie), bearer(s.dead)) }, 401, unknown},
		"two cookies of two people":           {func(s senders) []header { return cookie(s.cookie + "; session=" + s.member) }, 400, conflict},
		"two cookies of one person":           {func(s senders) []header { return cookie(s.cookie + "; session=" + s.otherCookie) }, 400, conflict},
		"a cookie and one that is none":       {func(s senders) []header { return cookie(s.cookie + "; session=x") }, 400, conflict},
		"two cookies in two headers":          {func(s senders) []header { return cookie(s.cookie, s.member) }, 400, conflict},
		"two tokens":                          {func(s senders) []header { return []header{bearer(s.token), bearer(s.memberToken)} }, 400, conflict},
		"the same token twice":                {func(s senders) []header { return []header{bearer(s.token), bearer(s.token)} }, 400, conflict},
		"a password":                          {func(senders) []header { return []header{{"Authorization", "Basic Z3JhY2U6cw=="}} }, 401, unknown},
		"a password beside a cookie":          {func(s senders) []header { return with(cookie(s.cookie), header{"Authorization", "Basic Z3JhY2U6cw=="}) }, 401, unknown},
		"an empty bearer token":               {func(senders) []header { return []header{bearer("")} }, 401, unknown},
		"an empty one beside a cookie":        {func(s senders) []header { return with(cookie(s.cookie), bearer("")) }, 401, unknown},
		"an empty Authorization":              {func(s senders) []header { return with(cookie(s.cookie), header{"Authorization", ""}) }, 401, unknown},
		"a token under another scheme":        {func(s senders) []header { return []header{{"Authorization", "Token " + s.token}} }, 401, unknown},
		"a token without its scheme":          {func(s senders) []header { return []header{{"Authorization", s.token}} }, 401, unknown},
		"the key as a bearer token":           {func(senders) []header { return []header{bearer(key)} }, 401, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.senders(t)
			before := w.rows(t)
			for _, route := range []call{
				{method: http.MethodPost, path: "/api/posts", body: `{"content":"hi"}`},
				{method: http.MethodDelete, path: "/api/auth/credentials"},
				{method: http.MethodPost, path: "/api/auth/logout"},
				{method: http.MethodGet, path: "/api/members"},
			} {
				rec := w.say(t, route, tt.say(s))
				require.Equal(t, tt.status, rec.Code, "%s %s: %s", route.method, route.path, rec.Body)
				require.Equal(t, tt.code, problemOf(t, rec).Code)
				require.Empty(t, rec.Header()["Set-Cookie"])
				require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
			}
			require.Equal(t, before, w.rows(t))
			require.Empty(t, w.runs.told())
		})
	}
}

func TestOneSenderMayBeNamedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.senders(t)
	status := call{method: http.MethodGet, path: "/api/auth/credentials/status"}
	for name, all := range map[string][]header{
		"the cookie":                             {{"Cookie", "session=" + s.cookie}},
		"the same cookie twice":                  {{"Cookie", "session=" + s.cookie + "; session=" + s.cookie}},
		"the token":                              {{"Authorization", "Bearer " + s.token}},
		"the token, and the scheme in small":     {{"Authorization", "bearer " + s.token}},
		"cookie and token of the same account":   {{"Cookie", "session=" + s.cookie}, {"Authorization", "Bearer " + s.token}},
		"a good token beside a cookie that died": {{"Cookie", "session=" + s.dead}, {"Authorization", "Bearer " + s.token}},
	} {
		rec := w.say(t, status, all)
		require.Equal(t, http.StatusOK, rec.Code, "%s: %s", name, rec.Body)
	}
}

func (w *world) senders(t *testing.T) senders {
	t.Helper()
	ada, _ := w.join(t, "ada")
	grace, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	dead := account.NewToken()
	w.canaries.add(dead)
	return senders{
		cookie: w.login(t, grace.ID, ""), otherCookie: w.login(t, grace.ID, ""), member: w.login(t, ada, ""), dead: dead,
		token: w.login(t, grace.ID, account.ScopeCredentials), memberToken: w.login(t, ada, account.ScopeCredentials),
	}
}
