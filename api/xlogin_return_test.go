package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
)

const callback = "/auth/x/callback"

// landed reads where a login ended: the page, and what it is told.
func landed(t *testing.T, rec *httptest.ResponseRecorder) (page string, says url.Values) {
	t.Helper()
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body.String())
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	location := rec.Header().Get("Location")
	require.Regexp(t, `^/([^/\\]|$)`, location, "a page of ours")
	to, err := url.Parse(location)
	require.NoError(t, err)
	require.Empty(t, to.Host)
	return to.Path, to.Query()
}

// returned is what a browser comes back from X with. token is of its own login, other of
// another browser's.
type returned func(token, other string) string

// Whatever comes back, it ends on a page, with a word that the page knows.
// Proves: F32, V10.1.2
func TestReturnsFromXThatLeadNowhere(t *testing.T) {
	t.Parallel()
	const nonsense, over = account.InvalidResponse, account.ExpiredToken
	long := strings.Repeat("a", 201)
	for name, tt := range map[string]struct {
		query   returned
		prepare func(t *testing.T, w *world, b *browser, token string)
		outcome account.Outcome
		detail  string
	}{
		"nothing":                       {query: func(_, _ string) string { return "" }, outcome: nonsense, detail: "no_token"},
		"a token alone":                 {query: func(token, _ string) string { return "oauth_token=" + token }, outcome: nonsense, detail: "no_token"},
		"a verifier alone":              {query: func(_, _ string) string { return "oauth_verifier=v" }, outcome: nonsense, detail: "no_token"},
		"empty ones":                    {query: func(_, _ string) string { return "oauth_token=&oauth_verifier=" }, outcome: nonsense, detail: "no_token"},
		"an empty verifier":             {query: func(token, _ string) string { return "oauth_verifier=&oauth_token=" + token }, outcome: nonsense, detail: "no_token"},
		"a no to nothing":               {query: func(_, _ string) string { return "denied=" }, outcome: nonsense, detail: "no_token"},
		"a token that is too long":      {query: func(_, _ string) string { return "oauth_verifier=v&oauth_token=" + long }, outcome: nonsense, detail: "no_token"},
		"a verifier that is too long":   {query: func(token, _ string) string { return "oauth_token=" + token + "&oauth_verifier=" + long }, outcome: nonsense, detail: "no_token"},
		"a no that is too long":         {query: func(_, _ string) string { return "denied=" + long }, outcome: nonsense, detail: "no_token"},
		"lists":                         {query: func(token, _ string) string { return "oauth_verifier[]=v&oauth_token[]=" + token }, outcome: nonsense, detail: "no_token"},
		"the token twice":               {query: func(token, _ string) string { return "oauth_verifier=v&oauth_token=" + token + "&oauth_token=x" }, outcome: nonsense, detail: "no_token"},
		"the verifier twice":            {query: func(token, _ string) string { return "oauth_verifier=v&oauth_verifier=w&oauth_token=" + token }, outcome: nonsense, detail: "no_token"},
		"a no, twice":                   {query: func(token, _ string) string { return "denied=x&denied=" + token }, outcome: nonsense, detail: "no_token"},
		"a broken query":                {query: func(token, _ string) string { return "oauth_verifier=v;oauth_token=" + token + "%zz" }, outcome: nonsense, detail: "no_token"},
		"a forged token":                {query: func(_, _ string) string { return "oauth_verifier=v&oauth_token=forged" }, outcome: over},
		"a forged token, with signs":    {query: func(_, _ string) string { return "oauth_verifier=v&oauth_token=%27%20OR%201%3D1%20--%00" }, outcome: over},
		"a token in capitals":           {query: func(token, _ string) string { return "oauth_verifier=v&oauth_token=" + strings.ToUpper(token) }, outcome: over},
		"another login's token":         {query: func(_, other string) string { return "oauth_verifier=v&oauth_token=" + other }, outcome: over},
		"a no to another's login":       {query: func(_, other string) string { return "denied=" + other }, outcome: over},
		"a no to a forged token":        {query: func(_, _ string) string { return "denied=forged" }, outcome: over},
		"a no, although it was a yes":   {query: func(token, _ string) string { return "oauth_verifier=v&oauth_token=" + token + "&denied=" + token }, outcome: account.Denied},
		"a no":                          {query: func(token, _ string) string { return "denied=" + token }, outcome: account.Denied},
		"ten minutes later":             {query: consent, outcome: over, prepare: func(_ *testing.T, w *world, _ *browser, _ string) { w.now = now.Add(account.XLoginLife) }},
		"a no, ten minutes later":       {query: refusal, outcome: over, prepare: func(_ *testing.T, w *world, _ *browser, _ string) { w.now = now.Add(account.XLoginLife) }},
		"another browser":               {query: consent, outcome: over, prepare: func(_ *testing.T, w *world, b *browser, _ string) { b.cookies = map[string]string{} }},
		"a browser with another cookie": {query: consent, outcome: over, prepare: func(_ *testing.T, w *world, b *browser, _ string) { b.cookies["login"] = account.NewToken() }},
		"a browser with an empty one":   {query: consent, outcome: over, prepare: func(_ *testing.T, w *world, b *browser, _ string) { b.cookies["login"] = "" }},
		"the cookie's stored form": {query: consent, outcome: over, prepare: func(_ *testing.T, w *world, b *browser, _ string) {
			b.cookies["login"] = account.Hash(b.cookies["login"])
		}},
		"a second time": {query: consent, outcome: over, prepare: func(t *testing.T, w *world, b *browser, token string) {
			cookie := b.cookies["login"]
			w.runs.finished = account.Unauthorized
			b.get(t, callback+"?"+consent(token, ""))
			w.runs.finished, b.cookies["login"] = "", cookie
		}},
		"a yes after a no": {query: consent, outcome: over, prepare: func(t *testing.T, w *world, b *browser, token string) {
			cookie := b.cookies["login"]
			b.get(t, callback+"?"+refusal(token, ""))
			b.cookies["login"] = cookie
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			b, another := w.browser(), w.browser()
			token, other := b.leaveForX(t, ""), another.leaveForX(t, "")
			if tt.prepare != nil {
				tt.prepare(t, w, b, token)
			}
			rec := b.get(t, callback+"?"+tt.query(token, other))
			page, says := landed(t, rec)
			require.Equal(t, "/experiments", page)
			require.Equal(t, "x", says.Get("auth"))
			require.Equal(t, string(tt.outcome), says.Get("error"))
			require.Equal(t, tt.detail, says.Get("details"))
			require.Zero(t, w.count(t, "SELECT count(*) FROM sessions"))
			require.NotContains(t, b.cookies, "session")
			require.NotContains(t, b.cookies, "login", "it is over for this browser")

			w.now = now
			page, says = landed(t, another.get(t, callback+"?"+consent(other, "")))
			require.Equal(t, "/experiments", page)
			require.Empty(t, says.Get("error"), "the other browser's login was not disturbed")
		})
	}
}

func consent(token, _ string) string { return "oauth_verifier=" + verifier + "&oauth_token=" + token }

func refusal(token, _ string) string { return "denied=" + token }

// Proves: V10.1.2
func TestALoginWithXIsGoodOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	token := b.leaveForX(t, "")
	again := *b
	again.cookies = map[string]string{"login": b.cookies["login"]}
	_, says := landed(t, b.get(t, callback+"?"+consent(token, "")))
	require.Empty(t, says.Get("error"))

	_, says = landed(t, again.get(t, callback+"?"+consent(token, "")))
	require.Equal(t, "expired_token", says.Get("error"))
	require.NotContains(t, again.cookies, "session")
	require.Equal(t, "founder", b.who(t).Role)
}

// Proves: F32, V10.1.2, V15.4.2
func TestTenReturnsAtOnceAreOneLogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	token := b.leaveForX(t, "")
	var all sync.WaitGroup
	for range 10 {
		req := b.request(t, http.MethodGet, callback+"?"+consent(token, ""), "")
		all.Go(func() { w.answer(t, req) })
	}
	all.Wait()
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM sessions"))
}

// Proves: S-login-secret
func TestTheSecretOfALoginIsGoneWhenItEnds(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]returned{"a yes": consent, "a no": refusal} {
		w := newWorld(t)
		b := w.browser()
		before := w.count(t, "SELECT count(*) FROM secrets")
		token := b.leaveForX(t, "")
		require.Equal(t, before+1, w.count(t, "SELECT count(*) FROM secrets"))
		require.NotContains(t, w.rows(t), token, "it lies sealed")
		require.NotContains(t, w.rows(t), b.cookies["login"])
		landed(t, b.get(t, callback+"?"+query(token, "")))
		require.Equal(t, before, w.count(t, "SELECT count(*) FROM secrets"), name)
	}
}

// Proves: V2.4.1-logins
func TestLoginsWithXAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	for range account.LoginsPerVisitor.Most {
		b.leaveForX(t, "")
	}
	page, says := landed(t, b.get(t, "/auth/x/login?next=/dashboard"))
	require.Equal(t, "/dashboard", page)
	require.Equal(t, "too_many", says.Get("error"))
	neighbour := w.browser()
	neighbour.from = "198.51.100.7"
	neighbour.leaveForX(t, "")

	w.now = now.Add(account.LoginsPerVisitor.Per + time.Second)
	b.leaveForX(t, "")
}
