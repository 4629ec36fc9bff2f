package api_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
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
			t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
			t.Parallel()
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
	t.Parallel()
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
