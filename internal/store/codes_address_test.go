package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// proveAddress mails a code for a new address of an account.
func proveAddress(t *testing.T, s *store.DB, a account.Account, address string) (letterID string) {
	t.Helper()
	letterID, err := s.Accounts.IssueCode(t.Context(), account.NewCode{
		Purpose: account.ForAddress, Subject: a.ID, Visitor: "v", Account: &a, Address: address, Code: right,
	}, november)
	require.NoError(t, err)
	return letterID
}

func redeemAddress(t *testing.T, s *store.DB, a account.Account, code string) error {
	t.Helper()
	return s.Accounts.RedeemAddress(t.Context(), account.Guess{Purpose: account.ForAddress, Subject: a.ID, Visitor: "v", Code: code}, november)
}

func TestAddressIsSetByTheCodeThatWasMailedToIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		letterID := proveAddress(t, s, grace, "grace@example.com")
		l, content, err := s.Emails.Letter(t.Context(), letterID)
		require.NoError(t, err)
		require.Equal(t, email.AddressCode, l.Kind)
		require.Equal(t, "grace@example.com", content.To)

		requireWrong(t, redeemAddress(t, s, grace, wrong))
		nobody, err := s.Accounts.AccountByEmail(t.Context(), "grace@example.com")
		require.NoError(t, err)
		require.Nil(t, nobody)
		require.NoError(t, redeemAddress(t, s, grace, right))
		found, err := s.Accounts.AccountByEmail(t.Context(), "grace@example.com")
		require.NoError(t, err)
		require.Equal(t, grace.ID, found.ID)
		require.Equal(t, grace.XUserID, found.XUserID)
		requireWrong(t, redeemAddress(t, s, grace, right))
		require.Zero(t, s.Count(t, "sessions"))
	})
}

func TestAddressOfSomebodyElseIsNotTaken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		emailAccount(t, s, "ada", "ada@example.com")
		grace := xAccount(t, s, "1", "grace")
		proveAddress(t, s, grace, "grace@example.com")
		require.NoError(t, redeemAddress(t, s, grace, right))

		proveAddress(t, s, grace, "ada@example.com")
		accounts, codes := s.Dump(t, "accounts"), s.Dump(t, "login_codes")
		err := redeemAddress(t, s, grace, right)
		require.Equal(t, problem.Conflict, problem.CodeOf(err), "%v", err)
		require.NotContains(t, err.Error(), "@")
		require.Equal(t, accounts, s.Dump(t, "accounts"))
		require.Equal(t, codes, s.Dump(t, "login_codes"))
	})
}

// A code proves what it was mailed for and nothing else.
func TestCodesOfOnePurposeAreWorthNothingForTheOther(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		proveAddress(t, s, ada, "new@example.com")
		requireWrong(t, guess(t, s, ada.ID, right, november))
		issue(t, s, ada.ID, &ada, "222222", november)
		requireWrong(t, redeemAddress(t, s, ada, "222222"))
		require.NoError(t, redeemAddress(t, s, ada, right), "a code for one leaves the other's alone")
		require.NoError(t, guess(t, s, ada.ID, "222222", november))
	})
}
