package auth

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
)

// A login redirects to one of our pages for every value of next, and next cannot set our messages.
func FuzzWayBack(f *testing.F) {
	for _, next := range []string{
		"/", "/experiments?a=b#c", "//evil.example", `/\evil.example`, "/\t/evil.example", "/a\r\nSet-Cookie: x=y", "/%0d%0aSet-Cookie:%20x=y", "/%5cevil.example", "/%2f%2fevil.example", "/.//evil.example",
		"/..//evil.example", "https://evil.example", "javascript:alert(1)", "/@evil.example", "/:80", "///", "/;/x", "/a?error=hello&details=you+were+hacked", "/a?%zz", "/é", "/\xff", "", "?a=b", "/a b", "/a;b?c;d",
	} {
		f.Add(next)
	}
	f.Fuzz(func(t *testing.T, next string) {
		path := sameOriginPath(next)
		require.Equal(t, path, sameOriginPath(path))
		rec := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(rec)
		c.Request = httptest.NewRequest(http.MethodGet, "/auth/x/callback", nil)
		(&API{}).redirect(c, path, account.ExpiredToken, "")
		to := rec.Header().Get("Location")
		require.Regexp(t, `\A/([^/\\]|\z)`, to)
		require.False(t, strings.ContainsFunc(to, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }), "%q", to)
		base, err := url.Parse("https://zero.example/auth/x/callback")
		require.NoError(t, err)
		landed, err := base.Parse(to)
		require.NoError(t, err)
		require.Equal(t, "https://zero.example", landed.Scheme+"://"+landed.Host)
		require.Equal(t, []string{string(account.ExpiredToken)}, landed.Query()["error"])
		require.Empty(t, landed.Query()["details"])
	})
}

// Repeated or long parameters of X's redirect end the login.
func FuzzReturn(f *testing.F) {
	for _, query := range []string{
		"oauth_token=t&oauth_verifier=v", "denied=t", "denied=t&oauth_token=u&oauth_verifier=v", "oauth_token=t", "oauth_token=t&oauth_token=u&oauth_verifier=v", "oauth_token=&oauth_verifier=",
		"oauth_token=" + strings.Repeat("t", 201) + "&oauth_verifier=v", "%zz", "a;b", "oauth_token=%00&oauth_verifier=%ff", "denied=&denied=",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		query, _ := url.ParseQuery(raw)
		back, err := readReturn(query, "browser")
		if err != nil {
			require.Equal(t, loginError{account.InvalidResponse, "no_token"}, err)
			return
		}
		require.True(t, back.Token != "" && len(back.Token) <= 200 && len(back.Verifier) <= 200)
		require.Equal(t, query.Get("denied") != "", back.Verifier == "")
		require.Equal(t, account.Hash("browser"), back.BrowserHash)
	})
}
