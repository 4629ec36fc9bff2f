package api_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	accountapi "customerzero/api/account"
	"customerzero/api/auth"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
)

// cookieOf returns a cookie that a reply sets.
func cookieOf(t *testing.T, rec *httptest.ResponseRecorder, name string) *http.Cookie {
	cookies := rec.Result().Cookies()
	i := slices.IndexFunc(cookies, func(c *http.Cookie) bool { return c.Name == name })
	require.GreaterOrEqual(t, i, 0, "%s in %v", name, cookies)
	return cookies[i]
}

// Proves: F32, V3.3.1, V3.3.2, V3.3.4
func TestEveryLoginSetsACookieThatOnlyThisSiteGets(t *testing.T) {
	t.Parallel()
	for name, way := range ways {
		for _, secure := range []bool{false, true} {
			if secure && way.provider == account.ByDev {
				continue // only available on loopback
			}
			t.Run(name+map[bool]string{false: " over HTTP", true: " over HTTPS"}[secure], func(t *testing.T) {
				w := newWorld(t)
				w.join(t, "ada")
				b, prefix := w.over(secure)
				got := cookieOf(t, way.login(t, b), prefix+"session")
				requireFlags(t, got, secure)
				require.True(t, account.IsToken(got.Value))
				require.Equal(t, int(account.SessionLife.Seconds()), got.MaxAge)
				require.Equal(t, string(way.provider), b.who(t).Provider)
				unguarded := w.browserWith(got.Value)
				require.Equal(t, !secure, unguarded.who(t).IsAuthenticated, "over HTTPS, a subdomain may have set it")

				out := cookieOf(t, b.post(t, "/api/auth/logout", ""), prefix+"session")
				requireFlags(t, out, secure)
				require.Negative(t, out.MaxAge)
				require.Empty(t, out.Value)
			})
		}
	}
}

func requireFlags(t *testing.T, got *http.Cookie, secure bool) {
	require.Equal(t, []any{true, http.SameSiteLaxMode, "/", "", secure}, []any{got.HttpOnly, got.SameSite, got.Path, got.Domain, got.Secure})
}

// Proves: V1.2.4, V7.2.3
func TestCookiesThatAreNoSessionMakeAVisitor(t *testing.T) {
	w := newWorld(t)
	good := w.newMember(t, "ada").cookies["session"]
	before := w.rows(t)
	for _, cookie := range []string{
		"session=", "session=admin", "session=" + account.NewToken(), "session=" + good[:42], "session=" + good + "A", "session=" + strings.ToUpper(good),
		"session=" + account.Hash(good), "__Host-session=" + good, "session=%00", "=" + good, ";;;", "session=" + strings.Repeat("a", 30000),
	} {
		rec := w.visits(t, "/api/account", "Cookie", cookie)
		require.Equal(t, no, rec.Code, cookie)
		require.Empty(t, rec.Header()["Set-Cookie"], cookie)
		require.False(t, read[auth.AuthStatus](t, w.visits(t, "/api/auth/status", "Cookie", cookie), ok).IsAuthenticated, cookie)
	}
	require.Equal(t, before, w.rows(t))
	require.True(t, w.browserWith(good).who(t).IsAuthenticated, "the session is still valid")
}

// Proves: V7.4.1
func TestASessionLastsThirtyDaysFromItsLastUse(t *testing.T) {
	w := newWorld(t)
	b := w.newMember(t, "ada")
	token := b.cookies["session"]
	w.now = now.Add(account.SlideEvery - time.Second)
	require.Empty(t, b.get(t, "/api/auth/status").Header()["Set-Cookie"], "the cookie is not renewed at every request")
	left := []time.Duration{account.SessionLife, account.SessionLife, 3 * 24 * time.Hour} // the last one ends with the session's limit
	for i := range left {                                                                 // 3 × 29 days are more than 30
		w.now = now.Add(time.Duration(i+1) * 29 * 24 * time.Hour)
		rec := b.get(t, "/api/auth/status")
		renewed := cookieOf(t, rec, "session")
		requireFlags(t, renewed, false)
		require.Equal(t, []any{token, int(left[i].Seconds())}, []any{renewed.Value, renewed.MaxAge}, "the cookie lasts as long as the session")
		require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
		require.Contains(t, rec.Body.String(), `"isAuthenticated":true`)
	}
	w.now = now.Add(account.SessionLimit - time.Second)
	require.True(t, b.who(t).IsAuthenticated)
	w.now = now.Add(account.SessionLimit)
	require.False(t, b.who(t).IsAuthenticated, "the session has expired, however much it was used")
	b = w.browserWith(w.login(t, w.accountOf(t, "ada"), ""))
	w.now = w.now.Add(account.SessionLife)
	require.False(t, b.who(t).IsAuthenticated, "another one was not used")
	require.Equal(t, no, b.get(t, "/api/account").Code)
}

// Repeated logouts are one logout and no error.
// Proves: F32, V7.4.1
func TestLoggingOutEndsTheSessionOnTheServer(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve := w.newMember(t, "eve")
	b, other := w.browserWith(w.login(t, ada, "")), w.browserWith(w.login(t, ada, ""))
	stolen := b.cookies["session"]
	recs := w.atOnce(t, 20, func(int) *http.Request { return b.request(t, http.MethodPost, "/api/auth/logout", "") })
	require.Equal(t, map[int]int{ok: 20}, counted(recs))
	require.False(t, w.browserWith(stolen).who(t).IsAuthenticated, "a copied cookie is invalid")
	require.True(t, other.who(t).IsAuthenticated, "the other browser stays logged in")

	sessions := w.count(t, "SELECT count(*) FROM sessions")
	req := w.browserWith(w.login(t, ada, "")).request(t, http.MethodPost, "/api/auth/logout", "")
	req.Header.Set("Authorization", "Bearer "+w.login(t, ada, account.ScopeCredentials))
	require.Equal(t, ok, w.answer(t, req).Code)
	require.Equal(t, sessions, w.count(t, "SELECT count(*) FROM sessions"), "both sessions of the request have ended")

	require.Equal(t, ok, other.send(t, http.MethodDelete, "/api/account/sessions", "").Code, "all sessions")
	require.NotContains(t, other.cookies, "session")
	require.Equal(t, sessions-1, w.count(t, "SELECT count(*) FROM sessions"))
	require.True(t, eve.who(t).IsAuthenticated, "other accounts stay logged in")
}

// Proves: V7.4.1, V8.2.2
func TestEndingOneOfMySessions(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, b, lost := w.newMember(t, "eve"), w.browserWith(w.login(t, ada, "")), w.browserWith(w.login(t, ada, ""))
	list := read[accountapi.Account](t, lost.get(t, "/api/account"), ok).Sessions
	require.Len(t, list, 2)
	current := slices.DeleteFunc(list, func(s accountapi.Session) bool { return !s.Current })
	require.Len(t, current, 1, "one session is current")
	end := func(b *browser) int {
		return b.send(t, http.MethodDelete, "/api/account/sessions/"+current[0].ID, "").Code
	}
	require.Equal(t, nothing, end(eve), "another member's session")
	require.True(t, lost.who(t).IsAuthenticated)
	require.Equal(t, ok, end(b))
	require.False(t, lost.who(t).IsAuthenticated)
	require.True(t, b.who(t).IsAuthenticated)
}

// Proves: F32, V7.4.2
func TestWhoIsNoMemberOrFounderAnyMoreIsNoneAtOnce(t *testing.T) {
	w := newWorld(t)
	ada, memberID := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	for _, step := range []struct {
		status member.Status
		role   string
		answer int
	}{
		{member.StatusFrozen, "visitor", http.StatusForbidden},
		{member.StatusRemoved, "visitor", http.StatusForbidden},
		{member.StatusActive, "member", http.StatusCreated},
	} {
		w.setStatus(t, memberID, step.status)
		require.Equal(t, step.role, b.who(t).Role)
		rec := b.post(t, "/api/posts", `{"content":"hello on `+string(step.status)+` `+account.NewToken()[:5]+`"}`)
		require.Equal(t, step.answer, rec.Code, rec.Body.String())
	}
	grace := w.founder(t)
	require.Equal(t, []any{"founder", ok}, []any{grace.who(t).Role, grace.get(t, "/api/admin/audit").Code})
	w.server.Founders = account.ParseFounders([]string{"barbara"})
	w.handler = handlerOf(w.server)
	require.Equal(t, "visitor", grace.who(t).Role, "no longer in FOUNDERS")
	require.Equal(t, []int{nothing, never, never}, []int{
		grace.get(t, "/api/admin/audit").Code, grace.post(t, "/api/posts", `{"content":"hi"}`).Code, grace.get(t, "/api/auth/credentials/status").Code,
	})
}

// A login replaces any planted session (session fixation).
// Proves: F32, V7.2.2, V7.2.4
func TestALoginNeverKeepsTheSessionBeforeIt(t *testing.T) {
	t.Parallel()
	for name, way := range ways {
		for _, kind := range []string{"an attacker's own", "their own earlier one", "a minted token", "no token at all"} {
			t.Run(name+", "+kind, func(t *testing.T) {
				w := newWorld(t)
				ada, _ := w.join(t, "ada")
				eve, _ := w.join(t, "eve")
				planted := map[string]string{"an attacker's own": eve, "their own earlier one": ada, "a minted token": eve}[kind]
				fixed := "fixed"
				if planted != "" {
					fixed = w.login(t, planted, map[bool]account.Scope{true: account.ScopeCredentials}[kind == "a minted token"])
				}
				b := w.browserWith(fixed)
				rec := way.login(t, b)
				require.Less(t, rec.Code, 400, rec.Body.String())
				require.NotEqual(t, fixed, b.cookies["session"])
				require.True(t, b.who(t).IsAuthenticated)
				require.False(t, w.browserWith(fixed).who(t).IsAuthenticated, "the planted session has ended")
				require.Equal(t, 1, w.count(t, "SELECT count(*) FROM sessions"))
			})
		}
	}
}

// A login replaces the cookie's session even with a bearer token, and a failed login keeps it.
// Proves: F32, V7.2.4
func TestALoginReplacesTheCookieWhateverElseComesAlong(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	before := b.cookies["session"]
	w.runs.finished = account.Unauthorized
	for path, body := range map[string]string{
		"/api/auth/email/verify": `{"email":"ada@example.com","code":"000000"}`,
		"/api/auth/manual-login": `{"username":"ada","code":"000000"}`,
		"/api/auth/activate":     `{"token":"` + account.NewToken() + `"}`,
	} {
		require.Equal(t, 422, b.post(t, path, body).Code, path)
	}
	b.get(t, callback+"?oauth_verifier=v&oauth_token="+b.leaveForX(t, ""))
	b.get(t, callback)
	require.Equal(t, before, b.cookies["session"])
	require.True(t, b.who(t).IsAuthenticated)
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM sessions"))

	require.Equal(t, ok, b.post(t, "/api/auth/email", `{"email":"ada@example.com"}`).Code)
	req := b.request(t, http.MethodPost, "/api/auth/email/verify", `{"email":"ada@example.com","code":"`+w.mailed(t, "ada@example.com", "Code")+`"}`)
	req.Header.Set("Authorization", "Bearer "+w.login(t, ada, account.ScopeCredentials))
	rec := w.answer(t, req)
	require.Equal(t, ok, rec.Code, rec.Body.String())
	require.True(t, w.browserWith(cookieOf(t, rec, "session").Value).who(t).IsAuthenticated)
	require.False(t, w.browserWith(before).who(t).IsAuthenticated)
}

// sendHeaders sends a request with only these headers.
func (w *world) sendHeaders(t *testing.T, c call, all []header) *httptest.ResponseRecorder {
	c.key = "none"
	req := w.request(t, c)
	for _, h := range all {
		req.Header.Add(h.name, h.value)
	}
	return w.answer(t, req)
}

// bearing sends a request with a bearer token.
func (w *world) bearing(t *testing.T, token, method, path string) *httptest.ResponseRecorder {
	return w.sendHeaders(t, call{method: method, path: path}, []header{{"Authorization", "Bearer " + token}})
}

// mint creates a bearer token, and returns the founder's browser too.
func (w *world) mint(t *testing.T) (auth.Token, *browser) {
	b := w.founder(t)
	rec := b.post(t, "/api/auth/token", `{"scope":"credentials"}`)
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	require.Empty(t, rec.Header()["Set-Cookie"], "the token is for a program, not for this browser")
	token := read[auth.Token](t, rec, http.StatusCreated)
	w.canaries.addShownOnce(token.Token)
	return token, b
}

// A token of one scope gives a visitor's view elsewhere.
// Proves: V3.3.4, V7.2.3, V8.3.1
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
	require.True(t, b.who(t).IsAuthenticated, "the browser stays logged in")
	status := read[auth.AuthStatus](t, w.bearing(t, token.Token, http.MethodGet, "/api/auth/status"), ok)
	require.Equal(t, auth.AuthStatus{Role: "visitor", Username: "bot", Host: "X"}, status, "a visitor elsewhere")
}

// Proves: V7.4.1
func TestATokenEndsAfterAQuarterOfAnHourHoweverMuchItIsUsed(t *testing.T) {
	w := newWorld(t)
	token, b := w.mint(t)
	use := func() *httptest.ResponseRecorder {
		return w.bearing(t, token.Token, http.MethodGet, "/api/auth/credentials/status")
	}
	for _, step := range []struct {
		after  time.Duration
		status int
	}{{0, ok}, {account.SlideEvery, ok}, {2 * account.SlideEvery, ok}, {account.TokenLife - time.Second, ok}, {account.TokenLife, no}} {
		w.now = now.Add(step.after)
		require.Equal(t, step.status, use().Code, step.after)
		require.Empty(t, use().Header()["Set-Cookie"])
		require.Empty(t, w.visits(t, "/api/auth/status", "Cookie", "session="+token.Token).Header()["Set-Cookie"], "sent as a cookie, it is not renewed as a session")
	}
	w.now = now
	require.Equal(t, ok, w.bearing(t, token.Token, http.MethodPost, "/api/auth/logout").Code, "a token may log itself out")
	require.Equal(t, no, use().Code)
	require.True(t, b.who(t).IsAuthenticated)
}

// over returns a browser over HTTP or HTTPS, and the prefix of its cookie names.
func (w *world) over(secure bool) (b *browser, prefix string) {
	b = w.browser()
	if secure {
		w.server.Site.PublicURL, w.server.Site.Local = "https://zero.example", false
		b.host, prefix = "zero.example", "__Host-"
	}
	return b, prefix
}

// The login and visitor cookies.
// Proves: V3.3.1, V3.3.2
func TestOtherCookiesAreAsWellGuarded(t *testing.T) {
	for _, secure := range []bool{false, true} {
		w := newWorld(t)
		b, prefix := w.over(secure)
		left := b.get(t, "/auth/x/login")
		require.Equal(t, "no-store", left.Header().Get("Cache-Control"))
		require.Equal(t, int(account.XLoginLife.Seconds()), cookieOf(t, left, prefix+"login").MaxAge)
		set := map[string]*httptest.ResponseRecorder{"login": left, "visitor": b.post(t, "/api/visits", `{"page":"pricing"}`)}
		req := b.request(t, http.MethodPost, "/api/visits", `{"page":"pricing"}`)
		req.Header.Set("Sec-GPC", "1")
		gone := map[string]*httptest.ResponseRecorder{"login": b.get(t, callback), "visitor": w.answer(t, req)}
		for name := range set {
			requireFlags(t, cookieOf(t, set[name], prefix+name), secure)
			requireFlags(t, cookieOf(t, gone[name], prefix+name), secure)
			require.Negative(t, cookieOf(t, gone[name], prefix+name).MaxAge)
		}
	}
}
