package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api/auth"
	"customerzero/internal/domain/account"
)

// browser is a client that keeps cookies.
type browser struct {
	w       *world
	cookies map[string]string
	from    string
	host    string

	forwarded string // address that a proxy adds
}

func (w *world) browser() *browser { return &browser{w: w, cookies: map[string]string{}} }

// browserWith returns a browser with a session.
func (w *world) browserWith(token string) *browser {
	b := w.browser()
	b.cookies["session"] = token
	return b
}

func (b *browser) request(t *testing.T, method, path, body string) *http.Request {
	req := b.w.request(t, call{method: method, path: path, body: body, key: "none", host: b.host, from: b.from})
	if b.forwarded != "" {
		req.Header.Set("X-Forwarded-For", b.forwarded)
	}
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	return req
}

func (b *browser) send(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
	rec := b.w.answer(t, b.request(t, method, path, body))
	for _, cookie := range rec.Result().Cookies() {
		if cookie.MaxAge < 0 {
			delete(b.cookies, cookie.Name)
			continue
		}
		b.cookies[cookie.Name] = cookie.Value
		b.w.canaries.add(cookie.Value)
	}
	return rec
}

func (b *browser) get(t *testing.T, path string) *httptest.ResponseRecorder {
	return b.send(t, http.MethodGet, path, "")
}

func (b *browser) post(t *testing.T, path, body string) *httptest.ResponseRecorder {
	return b.send(t, http.MethodPost, path, body)
}

func (b *browser) who(t *testing.T) auth.AuthStatus {
	return read[auth.AuthStatus](t, b.get(t, "/api/auth/status"), ok)
}

// activationToken returns the token in the last welcome email to an address.
func (w *world) activationToken(t *testing.T, address string) string {
	_, token, _ := strings.Cut(w.mailed(t, address, "ActivationURL"), "#")
	w.canaries.add(token)
	return token
}

// mailed returns a fact of the last email to an address, like "Code".
func (w *world) mailed(t *testing.T, address, fact string) string {
	emails := must(w.db.Emails.WaitingEmails(t.Context(), true))(t)
	found := ""
	for _, l := range emails {
		_, content, err := w.db.Emails.Email(t.Context(), l.ID)
		require.NoError(t, err)
		if content.To == address && content.Facts[fact] != "" {
			found = content.Facts[fact]
		}
	}
	require.NotEmpty(t, found, "an email with %s", fact)
	w.canaries.add(found)
	return found
}

// leaveForX starts a login with X and returns its request token.
func (b *browser) leaveForX(t *testing.T, query string) string {
	rec := b.get(t, "/auth/x/login"+query)
	require.Equal(t, http.StatusSeeOther, rec.Code)
	to := must(url.Parse(rec.Header().Get("Location")))(t)
	require.Equal(t, "x.example", to.Host, "X's consent page, not %s", to)
	return to.Query().Get("oauth_token")
}

// way is a login method.
type way struct {
	provider account.Provider
	login    func(t *testing.T, b *browser) *httptest.ResponseRecorder // the reply with the session cookie
}

var ways = map[string]way{
	"with X": {account.ByX, func(t *testing.T, b *browser) *httptest.ResponseRecorder {
		return b.get(t, "/auth/x/callback?oauth_verifier="+verifier+"&oauth_token="+b.leaveForX(t, ""))
	}},
	"with a code by e-mail": {account.ByEmail, func(t *testing.T, b *browser) *httptest.ResponseRecorder {
		require.Equal(t, ok, b.post(t, "/api/auth/email", `{"email":"ada@example.com"}`).Code)
		return b.post(t, "/api/auth/email/verify", `{"email":"ada@example.com","code":"`+b.w.mailed(t, "ada@example.com", "Code")+`"}`)
	}},
	"by name": {account.ByEmail, func(t *testing.T, b *browser) *httptest.ResponseRecorder {
		require.Equal(t, ok, b.post(t, "/api/auth/manual-login", `{"username":"ada"}`).Code)
		return b.post(t, "/api/auth/manual-login", `{"username":"ada","code":"`+b.w.mailed(t, "ada@example.com", "Code")+`"}`)
	}},
	"with the welcome email": {account.ByEmail, func(t *testing.T, b *browser) *httptest.ResponseRecorder {
		rec := b.w.send(t, http.MethodPost, "/api/members", `{"username":"cleo","paymentAmount":9,"email":"cleo@example.com"}`)
		require.Equal(t, http.StatusCreated, rec.Code, rec.Body.String())
		return b.post(t, "/api/auth/activate", `{"token":"`+b.w.activationToken(t, "cleo@example.com")+`"}`)
	}},
	"on a laptop, by name alone": {account.ByDev, func(t *testing.T, b *browser) *httptest.ResponseRecorder {
		b.w.server.DevLogin, b.host = true, "localhost"
		return b.post(t, "/api/auth/manual-login", `{"username":"ada"}`)
	}},
}
