package api_test

import (
	"customerzero/internal/domain/account"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEveryOutcomeOfALoginHasItsWord(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runs    func(r *runs)
		outcome account.Outcome
		detail  string
	}{
		"X lets a founder in":               {func(*runs) {}, "", ""},
		"X says who it is, and it is not":   {func(r *runs) { r.finished = account.Unauthorized }, account.Unauthorized, "http_401"},
		"X refuses the verifier":            {func(r *runs) { r.finished = account.AccessTokenFailed }, account.AccessTokenFailed, "http_401"},
		"X is down at the end":              {func(r *runs) { r.finished = account.XDown }, account.XDown, "http_401"},
		"X talks nonsense at the end":       {func(r *runs) { r.finished = account.InvalidResponse }, account.InvalidResponse, "http_401"},
		"X took too long":                   {func(r *runs) { r.finished = account.ExpiredToken }, account.ExpiredToken, "http_401"},
		"the flow fails":                    {func(r *runs) { r.finished = account.ServerError }, account.ServerError, "http_401"},
		"X is down at the beginning":        {func(r *runs) { r.asked = account.XDown }, account.XDown, "http_503"},
		"X talks nonsense at the beginning": {func(r *runs) { r.asked = account.InvalidResponse }, account.InvalidResponse, "http_503"},
		"X would not even begin":            {func(r *runs) { r.asked = account.XRefused }, account.XRefused, "http_503"},
		"the flow fails at the beginning":   {func(r *runs) { r.asked = account.ServerError }, account.ServerError, "http_503"},
		"Temporal is down":                  {func(r *runs) { r.down = true }, account.ServerError, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tt.runs(w.runs)
			b := w.browser()
			rec := b.get(t, "/auth/x/login?next=/dashboard%3Fview%3Dweek")
			if to, err := url.Parse(rec.Header().Get("Location")); err == nil && to.Host == "x.example" {
				rec = b.get(t, callback+"?"+consent(to.Query().Get("oauth_token"), ""))
			}
			page, says := landed(t, rec)
			require.Equal(t, "/dashboard", page)
			require.Equal(t, "week", says.Get("view"))
			require.Equal(t, "x", says.Get("auth"))
			require.Equal(t, string(tt.outcome), says.Get("error"))
			require.Equal(t, tt.detail, says.Get("details"))
			require.Equal(t, tt.outcome == "", b.who(t).IsAuthenticated)
		})
	}
}

// What comes along in the query, from X or from whoever made the link, is never shown.
// Proves: S-link-text
func TestTheLandingRepeatsNobodysWords(t *testing.T) {
	const words = "call+this+number"
	for name, link := range map[string]string{
		"in the page to return to":             "?next=" + url.QueryEscape("/experiments?auth=x&error="+words+"&details="+words),
		"in the page to return to, repeatedly": "?next=" + url.QueryEscape("/experiments?details=a&details="+words+"&error=b&error="+words),
		"beside it":                            "?error=" + words + "&details=" + words,
	} {
		w := newWorld(t)
		for _, query := range []string{"", "&error=" + words + "&details=" + words} {
			b := w.browser()
			rec := b.get(t, callback+"?"+consent(b.leaveForX(t, link), "")+query)
			_, says := landed(t, rec)
			require.NotContains(t, rec.Header().Get("Location"), words, name)
			require.Equal(t, url.Values{"auth": {"x"}}, says, name)
		}
	}
	w := newWorld(t)
	b := w.browser()
	for _, query := range []string{"denied=" + words, "oauth_verifier=v&oauth_token=" + words, "oauth_problem=" + words, "details=" + words + "&error=" + words} {
		require.NotContains(t, b.get(t, callback+"?"+query).Header().Get("Location"), words)
	}
}

// Proves: V3.7.2
func TestALoginReturnsToAPageOfOurs(t *testing.T) {
	w := newWorld(t)
	for name, tt := range map[string]struct{ next, want string }{
		"a page":                        {"/dashboard", "/dashboard"},
		"a page with a query":           {"/bot-posts?page=2", "/bot-posts"},
		"a page of other letters":       {"/über", "/über"},
		"a page with a place in it":     {"/dashboard#queue", "/dashboard"},
		"as long as may be":             {"/" + strings.Repeat("a", 499), "/" + strings.Repeat("a", 499)},
		"none":                          {"", "/experiments"},
		"another site":                  {"https://evil.example", "/experiments"},
		"another site, by its host":     {"//evil.example", "/experiments"},
		"three slashes":                 {"///evil.example", "/experiments"},
		"a backslash":                   {`/\evil.example`, "/experiments"},
		"two backslashes":               {`\\evil.example`, "/experiments"},
		"a backslash after a slash":     {`//\evil.example`, "/experiments"},
		"a backslash later":             {`/a/..\..\\evil.example`, "/experiments"},
		"a tab between":                 {"/\t/evil.example", "/experiments"},
		"a line break between":          {"/\n/evil.example", "/experiments"},
		"a header of its own":           {"/a\r\nSet-Cookie: session=x", "/experiments"},
		"a tab before":                  {"\t//evil.example", "/experiments"},
		"a NUL":                         {"/\x00/evil.example", "/experiments"},
		"a DEL":                         {"/\x7f/evil.example", "/experiments"},
		"a blank before":                {" //evil.example", "/experiments"},
		"escaped slashes":               {"%2f%2fevil.example", "/experiments"},
		"an escaped second slash":       {"/%2fevil.example", "/experiments"},
		"an escaped second slash, up":   {"/%2Fevil.example", "/experiments"},
		"escapes that are none":         {"/%zz", "/experiments"},
		"an escaped header of its own":  {"/a%0d%0aSet-Cookie:%20session=x", "/experiments"},
		"an escaped backslash":          {"/%5cevil.example", "/experiments"},
		"an escaped tab between":        {"/%09/evil.example", "/experiments"},
		"600 characters":                {"/" + strings.Repeat("a", 599), "/experiments"},
		"a script":                      {"javascript:alert(1)", "/experiments"},
		"a script in disguise":          {"/javascript:alert(1)", "/javascript:alert(1)"},
		"data":                          {"data:text/html,hi", "/experiments"},
		"a name and a password":         {"https://zero.example@evil.example", "/experiments"},
		"a host after an @":             {"/@evil.example", "/@evil.example"},
		"a page beside this one":        {"evil.example", "/experiments"},
		"a detour":                      {"/.//evil.example", "/evil.example"},
		"a detour through a folder":     {"/a/..//evil.example", "/evil.example"},
		"bytes that are no text":        {"/\xff", "/experiments"},
		"a wide slash is only a letter": {"/／evil.example", "/／evil.example"},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.browser()
			w.now = w.now.Add(account.LoginsPerVisitor.Per) // so many are too many at once
			page, _ := landed(t, b.get(t, callback+"?"+consent(b.leaveForX(t, "?next="+url.QueryEscape(tt.next)), "")))
			require.Equal(t, tt.want, page)
		})
	}
}

// Proves: S-sandboxes
func TestTheSandboxLetsNoStrangersIn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		host    string
		sandbox bool
		local   bool
		open    bool
	}{
		"a laptop under its own name":    {"localhost:8080", true, true, true},
		"a laptop under its address":     {"127.0.0.1:8080", true, true, true},
		"the same in the new style":      {"[::1]:8080", true, true, true},
		"a laptop under a stranger's":    {"evil.example:8080", true, true, false},
		"a name that begins like ours":   {"localhost.evil.example", true, true, false},
		"an address of another network":  {"192.168.0.7:8080", true, true, false},
		"a site that others reach":       {"localhost:8080", true, false, false},
		"the same, with the true X":      {"localhost:8080", false, false, true},
		"under any name with the true X": {"evil.example", false, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.server.Site.Sandbox, w.server.Site.Local = tt.sandbox, tt.local
			before := w.rows(t)
			b := w.browser()
			b.host = tt.host
			if tt.open {
				b.leaveForX(t, "?moved=1")
				return
			}
			page, says := landed(t, b.get(t, "/auth/x/login?moved=1&next=/dashboard"))
			require.Equal(t, "/dashboard", page)
			require.Equal(t, "sandbox_on", says.Get("error"))
			require.Empty(t, b.cookies)
			require.Equal(t, before, w.rows(t))
		})
	}
}

// X sends people back to the configured name, so the cookie has to be there.
// Proves: V3.7.2
func TestALoginBeginsUnderTheConfiguredName(t *testing.T) {
	w := newWorld(t)
	b := w.browser()
	b.host = "evil.example"
	before := w.rows(t)
	rec := b.get(t, "/auth/x/login?next=//evil.example")
	require.Equal(t, 303, rec.Code)
	require.Equal(t, "http://example.com/auth/x/login?moved=1&next=%2Fexperiments", rec.Header().Get("Location"))
	require.Empty(t, b.cookies)
	require.Equal(t, before, w.rows(t))
}

const callback = "/auth/x/callback"

// landed reads where a login ended: the page, and what it is told.
func landed(t *testing.T, rec *httptest.ResponseRecorder) (page string, says url.Values) {
	require.Equal(t, http.StatusSeeOther, rec.Code, rec.Body.String())
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	location := rec.Header().Get("Location")
	require.Regexp(t, `^/([^/\\]|$)`, location, "a page of ours")
	to := must(url.Parse(location))(t)
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
