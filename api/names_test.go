package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/problem"
)

func body(t *testing.T, fields map[string]string) string {
	t.Helper()
	text, err := json.Marshal(fields)
	require.NoError(t, err)
	return string(text)
}

// Proves: S-dev-login
func TestNamesAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string]string{
		"as it is":          "ada",
		"with an @":         "@ada",
		"in capitals":       "ADA",
		"both":              "@Ada",
		"blanks around it":  "  ada ",
		"blanks before @":   "  @ada",
		"a line break":      "ada\n",
		"a wide blank, too": "\u00a0ada\u3000",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.join(t, "ada")
			b := w.browser()
			asked := read[api.ManualLoginReply](t, b.post(t, "/api/auth/manual-login", body(t, map[string]string{"username": typed})), http.StatusOK)
			require.Equal(t, api.ManualLoginReply{Error: "Check your e-mail for a 6-digit code.", Code: "code_sent"}, asked)
			require.False(t, b.who(t).IsAuthenticated, "a name alone lets nobody in")

			code := w.mailedCode(t, "ada@example.com")
			in := read[api.ManualLoginReply](t, b.post(t, "/api/auth/manual-login", body(t, map[string]string{"username": typed, "code": code})), http.StatusOK)
			require.Equal(t, api.ManualLoginReply{Success: true}, in)
			require.Equal(t, "ada", b.who(t).User.Username)
		})
	}
}

func TestNamesThatAreNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(t, "ada")
	w.join(t, "kay")
	before := w.rows(t)
	for name, typed := range map[string]string{
		"nothing":                "",
		"blanks":                 "   ",
		"an @":                   "@",
		"two @":                  "@@ada",
		"a blank inside":         "a da",
		"a blank after the @":    "@ ada",
		"a Cyrillic a":           "аda",
		"a Kelvin sign":          "\u212aay",
		"wide letters":           "ａｄａ",
		"a dotless i":            "adı",
		"an accent":              "áda",
		"an accent on its own":   "a\u0301da",
		"an invisible blank":     "a\u200bda",
		"a turn to the left":     "\u202eada",
		"a control":              "ada\x01",
		"an address":             "ada@example.com",
		"a path":                 "../ada",
		"a statement":            "ada' OR '1'='1",
		"any sign":               "a%",
		"16 letters":             strings.Repeat("a", 16),
		"61 letters":             strings.Repeat("a", 61),
		"60,000 letters":         strings.Repeat("a", 60_000),
		"bytes that are no text": "\xff",
	} {
		for _, code := range []string{"", "123456"} {
			fields := map[string]string{"username": typed}
			if code != "" {
				fields["code"] = code
			}
			rec := w.browser().post(t, "/api/auth/manual-login", body(t, fields))
			require.Equal(t, http.StatusUnprocessableEntity, rec.Code, "%s: %s", name, rec.Body)
			require.Equal(t, problem.Invalid, problemOf(t, rec).Code, name)
			require.Less(t, rec.Body.Len(), 400, "%s is not repeated", name)
		}
	}
	require.Equal(t, before, w.rows(t))
	require.Empty(t, w.runs.told())
}

// On a laptop a name may do, but only for people who sit at it.
// Proves: S-dev-login
func TestANameAloneLogsInOnALaptopOnly(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		allowed, local bool
		host, username string
		in             bool
		says           string
	}{
		"a member":                        {true, true, "localhost:8080", "ada", true, ""},
		"a founder who never was here":    {true, true, "127.0.0.1:8080", "@Barbara", true, ""},
		"nobody":                          {true, true, "localhost:8080", "nobody", false, ""},
		"under a stranger's name":         {true, true, "evil.example:8080", "ada", false, "code_sent"},
		"where others reach us":           {true, false, "localhost:8080", "ada", false, "code_sent"},
		"where it is not allowed":         {false, true, "localhost:8080", "ada", false, "code_sent"},
		"a founder, where it is not":      {false, true, "localhost:8080", "barbara", false, "code_sent"},
		"a founder, under another's name": {true, true, "evil.example", "barbara", false, "code_sent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.join(t, "ada")
			w.server.DevLogin, w.server.Site.Local = tt.allowed, tt.local
			b := w.browser()
			b.host = tt.host
			got := read[api.ManualLoginReply](t, b.post(t, "/api/auth/manual-login", body(t, map[string]string{"username": tt.username})), http.StatusOK)
			require.Equal(t, tt.in, got.Success)
			require.Equal(t, tt.says, got.Code)
			require.Equal(t, tt.in, b.who(t).IsAuthenticated)
		})
	}
}

func TestAFounderBelievedOnALaptopIsAFounder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.DevLogin = true
	b := w.browser()
	b.host = "localhost"
	require.Equal(t, http.StatusOK, b.post(t, "/api/auth/manual-login", `{"username":"barbara"}`).Code)
	status := b.who(t)
	require.Equal(t, "founder", status.Role)
	require.Equal(t, "dev", status.Provider)
}
