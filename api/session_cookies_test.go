package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
)

// cookieOf finds a cookie that an answer sets.
func cookieOf(t *testing.T, rec *httptest.ResponseRecorder, name string) *http.Cookie {
	t.Helper()
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
				t.Parallel()
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
	t.Helper()
	require.True(t, got.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, got.SameSite)
	require.Equal(t, "/", got.Path)
	require.Empty(t, got.Domain)
	require.Equal(t, secure, got.Secure)
}

// Proves: V3.3.1, V3.3.2
func TestTheCookieOfALoginUnderWayIsAsWellGuarded(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
