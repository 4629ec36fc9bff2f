package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
)

// Bodies that are taken are JSON that says each thing once. Those that are not are not repeated.
func FuzzStrictJSON(f *testing.F) {
	for _, body := range []string{
		`{}`, `null`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `{"a":1,"\u0061":2}`, `{"A":1,"a":2}`, `[{"a":1},{"a":2}]`, `{"a":"` + "\xff" + `"}`, `{"a":"\ud800"}`, `{"a":"\ud83d\udc4d"}`,
		`{"secret-value-of-mine":1`, `{"a":secret-value-of-mine}`, `{"number":1e999}`, `{"number":99999999999999999999}`, `{"number":"secret-value-of-mine"}`, `{"text":7}`, ` {} `, `{}{}`, `01`, `-0`, "\ufeff{}",
		strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 11_000),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var into struct {
			Number int    `json:"number"`
			Text   string `json:"text"`
		}
		if err := httpapi.StrictJSON.Unmarshal(body, &into); err != nil {
			require.NotContains(t, err.Error(), "secret-value-of-mine")
			require.LessOrEqual(t, len(err.Error()), 200)
			return
		}
		require.True(t, json.Valid(body))
		require.True(t, utf8.Valid(body))
		require.True(t, utf8.ValidString(into.Text))
		var once, twice any
		if err := json.Unmarshal(body, &once); err != nil { // a field that nobody reads holds a number beyond all
			require.EqualError(t, httpapi.StrictJSON.Unmarshal(body, &twice), "a value in it does not fit: a number is too large")
			return
		}
		text, err := json.Marshal(once)
		require.NoError(t, err)
		require.NoError(t, httpapi.StrictJSON.Unmarshal(text, &twice))
		require.Equal(t, once, twice)
	})
}

// Whoever comes back from a login lands on a page of ours, however the way back is written, and
// what the page is told is our words.
func FuzzWayBack(f *testing.F) {
	for _, next := range []string{
		"/", "/experiments?a=b#c", "//evil.example", `/\evil.example`, "/\t/evil.example", "/a\r\nSet-Cookie: x=y", "/%0d%0aSet-Cookie:%20x=y", "/%5cevil.example", "/%2f%2fevil.example", "/.//evil.example",
		"/..//evil.example", "https://evil.example", "javascript:alert(1)", "/@evil.example", "/:80", "///", "/;/x", "/a?error=hello&details=you+were+hacked", "/a?%zz", "/é", "/\xff", "", "?a=b", "/a b", "/a;b?c;d",
	} {
		f.Add(next)
	}
	f.Fuzz(func(t *testing.T, next string) {
		path := sameOriginPath(next)
		require.Equal(t, path, sameOriginPath(path), "it is taken as it is")
		rec := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(rec)
		c.Request = httptest.NewRequest(http.MethodGet, "/auth/x/callback", nil)
		(&Server{}).land(c, path, account.ExpiredToken, "")
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

// What X's page sent along is said once and is short, or the login ends.
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
			require.Equal(t, ended{account.InvalidResponse, "no_token"}, err)
			return
		}
		require.True(t, back.Token != "" && len(back.Token) <= 200 && len(back.Verifier) <= 200)
		require.Equal(t, query.Get("denied") != "", back.Verifier == "")
		require.Equal(t, account.Hash("browser"), back.BrowserHash)
	})
}

// A browser is told in few words, whatever it says of itself.
func FuzzDevice(f *testing.F) {
	for _, agent := range []string{
		"", "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Mobile/15E148 Safari/604.1",
		"(((((", ")))", ";;;;/1/2/3", "Mozilla/", "/", "a/b (c; d) e/f", strings.Repeat("Mozilla/5.0 (", 500), "\xff\xfe\x00", "Googlebot/2.1 (+http://www.google.com/bot.html)", "Android", "Windows NT ", "Linux; Android 9;",
	} {
		f.Add(agent)
	}
	f.Fuzz(func(t *testing.T, agent string) {
		device := deviceOf(agent)
		require.NotEmpty(t, device)
		require.True(t, utf8.ValidString(device))
		require.LessOrEqual(t, utf8.RuneCountInString(device), 60)
	})
}

// A client has what it names, in a list or not, and nothing else.
func FuzzIfNoneMatch(f *testing.F) {
	for _, header := range []string{"", "*", `"a"`, `W/"a"`, `"b", W/"a"`, `"b","c"`, `a`, `W/W/"a"`, ",,,", `"a`, ` * `} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if httpapi.Matches(header, `"a"`) {
			require.True(t, strings.Contains(header, `"a"`) || strings.Contains(header, "*"))
		}
		require.True(t, httpapi.Matches(header+`, "a"`, `"a"`))
	})
}
