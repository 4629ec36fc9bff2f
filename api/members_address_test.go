package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// Proves: V8.2.3
func TestAddressesOfMembersAreShownToFoundersAndThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.join(t, "eve")
	ice, iceID := w.join(t, "ice")
	w.freeze(t, iceID)
	grace, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	former, err := w.db.Accounts.XAccount(t.Context(), "2", "Former", now)
	require.NoError(t, err)

	for name, tt := range map[string]struct {
		headers []header
		sees    []string
	}{
		"a visitor":           {nil, []string{"", "", ""}},
		"a member":            {[]header{{"Cookie", "session=" + w.login(t, ada, "")}}, []string{"ada@example.com", "", ""}},
		"a frozen member":     {[]header{{"Cookie", "session=" + w.login(t, ice, "")}}, []string{"", "", "ice@example.com"}},
		"a founder":           {[]header{{"Cookie", "session=" + w.login(t, grace.ID, "")}}, []string{"ada@example.com", "eve@example.com", "ice@example.com"}},
		"somebody on no list": {[]header{{"Cookie", "session=" + w.login(t, former.ID, "")}}, []string{"", "", ""}},
		"a founder's token":   {[]header{{"Authorization", "Bearer " + w.login(t, grace.ID, account.ScopeCredentials)}}, []string{"", "", ""}},
		"the founders' key":   {[]header{{"X-Admin-Key", key}}, []string{"", "", ""}},
	} {
		list := read[api.Members](t, w.say(t, call{method: http.MethodGet, path: "/api/members"}, tt.headers), http.StatusOK).Members
		require.Len(t, list, 3)
		for i, want := range tt.sees {
			require.Equal(t, want, list[i].Email, "%s looks at %s", name, list[i].Username)
		}
	}
}

// Proves: S-membership
func TestMembersWithBadAddressesAreNotEntered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(t, "ada")
	before := w.rows(t)
	for name, tt := range map[string]struct {
		email string
		code  problem.Code
	}{
		"no address":              {"nobody", problem.Invalid},
		"a display name":          {"Eve <canary@example.com>", problem.Invalid},
		"two of them":             {"canary@example.com,eve@example.com", problem.Invalid},
		"a header of its own":     {"canary@example.com\r\nBcc: eve@example.com", problem.Invalid},
		"a name of this network":  {"canary@localhost", problem.Invalid},
		"an IP address":           {"canary@[127.0.0.1]", problem.Invalid},
		"a look-alike":            {"cаnary@example.com", problem.Invalid},
		"blanks":                  {"   ", problem.Invalid},
		"255 characters":          {strings.Repeat("a", 243) + "@example.com", problem.Invalid},
		"a member's":              {"ada@example.com", problem.MemberExists},
		"a member's, in capitals": {" ADA@Example.COM", problem.MemberExists},
	} {
		rec := w.do(t, call{method: http.MethodPost, path: "/api/members", body: body(t, map[string]string{"username": "eve", "email": tt.email})})
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, "%s, without a fee", name)
		rec = w.do(t, call{
			method: http.MethodPost, path: "/api/members",
			body: strings.Replace(body(t, map[string]string{"username": "eve", "email": tt.email}), "{", `{"paymentAmount":9,`, 1),
		})
		require.Equal(t, tt.code, problemOf(t, rec).Code, name)
		require.NotRegexp(t, "(?i)canary|ada@", rec.Body.String(), name)
		require.Equal(t, before, w.rows(t), name)
	}
}

func TestAWelcomeLetterLetsItsReaderInOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		token func(t *testing.T, w *world, good string) string
		code  problem.Code // empty: in
	}{
		"the link": {func(_ *testing.T, _ *world, good string) string { return good }, ""},
		"on the seventh day": {func(_ *testing.T, w *world, good string) string {
			w.now = now.Add(account.ClaimLife - 1e9)
			return good
		}, ""},
		"after seven days":     {func(_ *testing.T, w *world, good string) string { w.now = now.Add(account.ClaimLife); return good }, problem.CodeWrong},
		"any other":            {func(_ *testing.T, _ *world, _ string) string { return account.NewToken() }, problem.CodeWrong},
		"as it is stored":      {func(_ *testing.T, _ *world, good string) string { return account.Hash(good) }, problem.Invalid},
		"cut short":            {func(_ *testing.T, _ *world, good string) string { return good[:42] }, problem.Invalid},
		"nothing":              {func(_ *testing.T, _ *world, _ string) string { return "" }, problem.Invalid},
		"43 signs":             {func(_ *testing.T, _ *world, _ string) string { return strings.Repeat("'", 43) }, problem.CodeWrong},
		"in other letters":     {func(_ *testing.T, _ *world, good string) string { return strings.ToUpper(good) }, problem.CodeWrong},
		"an unsubscribe proof": {func(_ *testing.T, w *world, _ string) string { return w.db.Keys().Mark("x", "unsubscribe")[:43] }, problem.CodeWrong},
		"used already": {func(t *testing.T, w *world, good string) string {
			require.Equal(t, http.StatusOK, w.browser().post(t, "/api/auth/claim", body(t, map[string]string{"token": good})).Code)
			return good
		}, problem.CodeWrong},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.canaries.addAddress("cleo@example.com")
			entered := w.do(t, call{method: http.MethodPost, path: "/api/members", body: `{"username":"cleo","paymentAmount":9,"email":"cleo@example.com"}`})
			require.Equal(t, http.StatusCreated, entered.Code, entered.Body.String())
			good := w.claimToken(t, "cleo@example.com")
			require.NotContains(t, w.rows(t), good, "it is kept as a digest, and sealed in the letter")
			token := tt.token(t, w, good)
			before := w.count(t, "SELECT count(*) FROM sessions")

			b := w.browser()
			rec := b.post(t, "/api/auth/claim", body(t, map[string]string{"token": token}))
			if tt.code == "" {
				require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
				require.Equal(t, "member", b.who(t).Role)
				return
			}
			require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
			require.Equal(t, tt.code, problemOf(t, rec).Code)
			require.Empty(t, b.cookies)
			require.Equal(t, before, w.count(t, "SELECT count(*) FROM sessions"))
		})
	}
}
