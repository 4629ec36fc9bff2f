package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

func (b *browser) rename(t *testing.T, name string) *httptest.ResponseRecorder {
	t.Helper()
	return b.send(t, http.MethodPut, "/api/account/username", body(t, map[string]string{"username": name}))
}

func TestAMemberChoosesAName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.newMember(t, "zero_7f3k2")
	for given, kept := range map[string]string{"ada": "ada", " @Ada_L ": "Ada_L", "ADA": "ADA"} {
		chosen := read[api.ChosenUsername](t, ada.rename(t, given), http.StatusOK)
		require.Equal(t, api.ChosenUsername{Success: true, Username: kept}, chosen)
		require.Equal(t, kept, ada.who(t).User.Username, "from the next request on")
		listed := read[api.Members](t, w.browser().get(t, "/api/members"), http.StatusOK)
		require.Equal(t, kept, listed.Members[0].Username)
	}
	rec := w.do(t, call{method: http.MethodPost, path: "/api/members", body: `{"username":"zero_7f3k2","paymentAmount":9}`})
	require.Equal(t, http.StatusCreated, rec.Code, "the name is free again")
}

func TestNamesThatAMemberMayNotTake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	w.newMember(t, "eve")
	_, err := w.open(t).ExecContext(t.Context(), `UPDATE connections SET username = 'TheBot'`)
	require.NoError(t, err)
	before := w.rows(t)
	for name, tt := range map[string]struct {
		given  string
		status int
		code   problem.Code
	}{
		"another member's":             {"eve", 409, problem.MemberExists},
		"another member's in capitals": {"@EVE", 409, problem.MemberExists},
		"a founder's":                  {"grace", 409, problem.MemberExists},
		"a founder's in capitals":      {"@GRACE", 409, problem.MemberExists},
		"a founder's who never came":   {"Barbara", 409, problem.MemberExists},
		"the bot's as configured":      {"Bot", 409, problem.MemberExists},
		"the bot's as connected":       {"thebot", 409, problem.MemberExists},
		"nothing":                      {"", 422, problem.Invalid},
		"an @":                         {"@", 422, problem.Invalid},
		"a blank inside":               {"a da", 422, problem.Invalid},
		"letters that look alike":      {"еve", 422, problem.Invalid},
		"16 letters":                   {strings.Repeat("a", 16), 422, problem.Invalid},
		"50,000 letters":               {strings.Repeat("a", 50_000), 422, problem.Invalid},
		"a control":                    {"ada\x01", 422, problem.Invalid},
	} {
		rec := ada.rename(t, tt.given)
		require.Equal(t, tt.status, rec.Code, "%s: %s", name, rec.Body)
		require.Equal(t, tt.code, problemOf(t, rec).Code, name)
		require.Less(t, rec.Body.Len(), 400, "%s is not repeated", name)
	}
	for _, wrong := range []string{`{}`, `{"username":7}`, `{"username":"zoe","memberId":"m1"}`, `[]`} {
		rec := ada.send(t, http.MethodPut, "/api/account/username", wrong)
		require.Equal(t, problem.Invalid, problemOf(t, rec).Code, wrong)
	}
	require.Equal(t, before, w.rows(t))
}

// Somebody whom X itself calls so may have the name.
func TestAFounderWhoIsAMemberMayBearTheirOwnHandle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, memberID := w.join(t, "zero_7f3k2")
	grace, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	_, err = w.open(t).ExecContext(t.Context(), `UPDATE accounts SET member_id = NULL`)
	require.NoError(t, err)
	_, err = w.open(t).ExecContext(t.Context(), `UPDATE accounts SET member_id = ? WHERE id = ?`, memberID, grace.ID)
	require.NoError(t, err)
	founder := w.browserWith(w.login(t, grace.ID, account.Scope("")))
	require.Equal(t, problem.MemberExists, problemOf(t, founder.rename(t, "barbara")).Code)
	require.Equal(t, http.StatusOK, founder.rename(t, "Grace").Code)
}
