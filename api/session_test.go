package api_test

import (
	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cookieOf finds a cookie that an answer sets.
func cookieOf(t *testing.T, rec *httptest.ResponseRecorder, name string) *http.Cookie {
	for _, cookie := range rec.Result().Cookies() {
		if cookie.Name == name {
			return cookie
		}
	}
	require.Fail(t, "no such cookie", "%s in %v", name, rec.Header()["Set-Cookie"])
	return nil
}

// overHTTPS makes the world a public one.
func (w *world) overHTTPS() {
	w.server.Site.PublicURL, w.server.Site.Local = "https://zero.example", false
}

// Proves: F32, V3.3.1, V3.3.2, V3.3.4
func TestEveryLoginSetsACookieThatOnlyThisSiteGets(t *testing.T) {
	t.Parallel()
	for name, way := range ways {
		for _, secure := range []bool{false, true} {
			if secure && way.provider == account.ByDev {
				continue // there it does not exist
			}
			t.Run(name+map[bool]string{false: " over HTTP", true: " over HTTPS"}[secure], func(t *testing.T) {
				w := newWorld(t)
				w.join(t, "ada")
				b, prefix := w.browser(), ""
				if secure {
					w.overHTTPS()
					b.host, prefix = "zero.example", "__Host-"
				}
				rec := way.login(t, b)
				got := cookieOf(t, rec, prefix+"session")
				require.True(t, account.IsToken(got.Value))
				requireFlags(t, got, secure)
				require.Equal(t, int(account.SessionLife.Seconds()), got.MaxAge)
				require.Equal(t, string(way.provider), b.who(t).Provider)

				out := cookieOf(t, b.post(t, "/api/auth/logout", ""), prefix+"session")
				requireFlags(t, out, secure)
				require.Negative(t, out.MaxAge)
				require.Empty(t, out.Value)
			})
		}
	}
}

func requireFlags(t *testing.T, got *http.Cookie, secure bool) {
	require.True(t, got.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, got.SameSite)
	require.Equal(t, "/", got.Path)
	require.Empty(t, got.Domain)
	require.Equal(t, secure, got.Secure)
}

// Proves: V3.3.1, V3.3.2
func TestTheCookieOfALoginUnderWayIsAsWellGuarded(t *testing.T) {
	for name, secure := range map[string]bool{"login": false, "__Host-login": true} {
		w := newWorld(t)
		b := w.browser()
		if secure {
			w.overHTTPS()
			b.host = "zero.example"
		}
		left := b.get(t, "/auth/x/login")
		got := cookieOf(t, left, name)
		requireFlags(t, got, secure)
		require.Equal(t, int(account.XLoginLife.Seconds()), got.MaxAge)
		require.Equal(t, "no-store", left.Header().Get("Cache-Control"))

		gone := cookieOf(t, b.get(t, "/auth/x/callback"), name)
		requireFlags(t, gone, secure)
		require.Negative(t, gone.MaxAge)
	}
}

// Proves: V1.2.4, V7.2.3
func TestCookiesThatAreNoSessionMakeAVisitor(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	good := w.login(t, ada, "")
	before := w.rows(t)
	for name, cookie := range map[string]string{
		"nothing":              "session=",
		"a word":               "session=admin",
		"an unknown token":     "session=" + account.NewToken(),
		"a token cut short":    "session=" + good[:42],
		"a token and more":     "session=" + good + "A",
		"a token in capitals":  "session=" + strings.ToUpper(good),
		"its stored form":      "session=" + account.Hash(good),
		"a padded token":       "session=" + good + "=",
		"a name in capitals":   "Session=" + good,
		"the name for HTTPS":   "__Host-session=" + good,
		"another name":         "sessions=" + good,
		"a statement":          "session=' OR 1=1 --",
		"a NUL, escaped":       "session=%00",
		"no name":              "=" + good,
		"only semicolons":      ";;;",
		"thirty thousand more": "session=" + strings.Repeat("a", 30000),
	} {
		rec := w.do(t, call{method: http.MethodGet, path: "/api/account", key: "none", header: map[string]string{"Cookie": cookie}})
		require.Equal(t, http.StatusUnauthorized, rec.Code, name)
		require.Empty(t, rec.Header()["Set-Cookie"], name)
		rec = w.do(t, call{method: http.MethodGet, path: "/api/auth/status", key: "none", header: map[string]string{"Cookie": cookie}})
		require.Equal(t, http.StatusOK, rec.Code, name)
		require.Contains(t, rec.Body.String(), `"isAuthenticated":false`, name)
	}
	require.Equal(t, before, w.rows(t))
	require.True(t, w.whoHas(t, good).IsAuthenticated, "the true one is still good")
}

// Proves: F32, V3.3.1
func TestOverHTTPSAnUnguardedCookieCountsForNothing(t *testing.T) {
	w := newWorld(t)
	w.overHTTPS()
	ada, _ := w.join(t, "ada")
	token := w.login(t, ada, "")
	require.False(t, w.whoHas(t, token).IsAuthenticated, "a neighbour may have set it")
	b := w.browser()
	b.cookies["__Host-session"] = token
	require.True(t, b.who(t).IsAuthenticated)
}

// Proves: V7.4.1
func TestASessionLastsThirtyDaysFromItsLastUse(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	token := b.cookies["session"]

	w.now = now.Add(account.SlideEvery - time.Second)
	require.Empty(t, b.get(t, "/api/auth/status").Header()["Set-Cookie"], "it is not written at every request")

	for range 3 { // thrice 29 days are more than thirty
		w.now = w.now.Add(29 * 24 * time.Hour)
		rec := b.get(t, "/api/auth/status")
		renewed := cookieOf(t, rec, "session")
		requireFlags(t, renewed, false)
		require.Equal(t, token, renewed.Value)
		require.Equal(t, int(account.SessionLife.Seconds()), renewed.MaxAge, "the browser keeps it as long")
		require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
		require.Contains(t, rec.Body.String(), `"isAuthenticated":true`)
	}
	w.now = w.now.Add(account.SessionLife)
	require.False(t, b.who(t).IsAuthenticated, "it ends on the dot")
	require.Equal(t, http.StatusUnauthorized, b.get(t, "/api/account").Code)
}

// Proves: F32, V7.4.1
func TestLoggingOutEndsTheSessionOnTheServer(t *testing.T) {
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
	w := newWorld(t)
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
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
			ada := must(w.db.Accounts.AccountByEmail(t.Context(), "ada@example.com"))(t)
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

// say sends a call with just these headers.
func (w *world) say(t *testing.T, c call, all []header) *httptest.ResponseRecorder {
	c.key = "none"
	req := w.request(t, c)
	for _, h := range all {
		req.Header.Add(h.name, h.value)
	}
	return w.answer(t, req)
}

// bearing sends a call as a program with a token.
func (w *world) bearing(t *testing.T, token, method, path, body string) *httptest.ResponseRecorder {
	return w.say(t, call{method: method, path: path, body: body}, []header{{"Authorization", "Bearer " + token}})
}

// mint makes a token as a founder would, and gives the founder's browser too.
func (w *world) mint(t *testing.T) (api.Token, *browser) {
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
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
	w := newWorld(t)
	token, b := w.mint(t)
	require.Equal(t, http.StatusOK, w.bearing(t, token.Token, http.MethodPost, "/api/auth/logout", "").Code)
	require.Equal(t, http.StatusUnauthorized, w.bearing(t, token.Token, http.MethodGet, "/api/auth/credentials/status", "").Code)
	require.True(t, b.who(t).IsAuthenticated)
}

func TestOtherScopesDoNotExist(t *testing.T) {
	w := newWorld(t)
	_, b := w.mint(t)
	before := w.rows(t)
	for _, body := range []string{`{"scope":""}`, `{"scope":"admin"}`, `{"scope":"Credentials"}`, `{"scope":["credentials"]}`, `{}`} {
		require.Equal(t, http.StatusUnprocessableEntity, b.post(t, "/api/auth/token", body).Code, body)
	}
	require.Equal(t, before, w.rows(t))
}
