package account_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

var (
	number  = "77"
	address = "ada@example.com"
)

func TestCheckDeletion(t *testing.T) {
	t.Parallel()
	founders := account.ParseFounders([]string{"@grace"})
	for name, tt := range map[string]struct {
		who  account.Account
		code problem.Code
	}{
		"a member":                              {who: account.Account{Email: &address, MemberID: &number}},
		"an account without a membership":       {who: account.Account{Email: &address}},
		"a founder":                             {account.Account{XUserID: &number, XHandle: "Grace"}, problem.Forbidden},
		"a founder who is a member, too":        {account.Account{XUserID: &number, XHandle: "Grace", MemberID: &number}, problem.Forbidden},
		"a member with an X login":              {who: account.Account{XUserID: &number, XHandle: "ada"}},
		"a founder's handle without X":          {who: account.Account{XHandle: "grace", Email: &address}},
		"a former founder, who is off the list": {who: account.Account{XUserID: &number, XHandle: "barbara"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := account.CheckDeletion(tt.who, founders)
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, tt.code, problem.CodeOf(err))
			require.EqualError(t, err, "Remove the handle from FOUNDERS before you delete a founder's account.")
		})
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	ada := account.Login{Username: "Ada_L", Account: account.Account{Email: &address}}
	byX := account.Login{Username: "Ada_L", Account: account.Account{XHandle: "adaOnX"}}
	nameless := account.Login{Account: account.Account{Email: &address}}
	for name, tt := range map[string]struct {
		typed string
		who   account.Login
		ok    bool
	}{
		"as it is written":            {"Ada_L", ada, true},
		"with an @, in another case":  {" @ada_l ", ada, true},
		"the handle on X goes first":  {"adaonx", byX, true},
		"the member's name beside it": {"Ada_L", byX, false},
		"an address, without a name":  {"ADA@example.com", nameless, true},
		"an address, with a name":     {"ada@example.com", ada, false},
		"another name":                {"grace", ada, false},
		"a part of it":                {"ada", ada, false},
		"nothing":                     {"", ada, false},
		"two of them":                 {"@@ada_l", ada, false},
		"nothing, without a name":     {"", account.Login{}, false},
		"an @ alone, without a name":  {"@", account.Login{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := account.ConfirmDeletion(tt.typed, tt.who)
			if tt.ok {
				require.NoError(t, err)
				return
			}
			require.Equal(t, problem.ConfirmWrong, problem.CodeOf(err))
		})
	}
}

func TestDeletedUsernamesCannotBeTaken(t *testing.T) {
	t.Parallel()
	name := account.DeletedUsername("d1")
	require.Equal(t, name, account.DeletedUsername("d1"), "a repeat gives the same")
	require.NotEqual(t, name, account.DeletedUsername("d2"))
	require.Equal(t, name, member.Key(name))
	_, err := member.ParseUsername(name)
	require.Equal(t, problem.Invalid, problem.CodeOf(err))
}

// TestTheAccountPageShowsTheseLists checks that the account page has the same lists.
func TestTheAccountPageShowsTheseLists(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "ui", "src", "features", "account", "deletion-lists.ts"))
	require.NoError(t, err)
	for _, item := range append(account.DeletedItems(), account.KeptItems()...) {
		require.Contains(t, string(page), item.What)
		require.Contains(t, string(page), item.Why)
	}
}
