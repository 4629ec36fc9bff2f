package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var founders = account.ParseFounders([]string{"grace", "@Barbara"})

func xAccount(t *testing.T, s *store.DB, userID, handle string) account.Account {
	t.Helper()
	a, err := s.Accounts.XAccount(t.Context(), userID, handle, november)
	require.NoError(t, err)
	return a
}

// emailAccount is the account of a new member.
func emailAccount(t *testing.T, s *store.DB, name, address string) account.Account {
	t.Helper()
	require.NoError(t, s.Members.AddMember(t.Context(), newcomer(name), &account.Welcome{Email: address, Token: account.NewToken()}))
	a, err := s.Accounts.AccountByEmail(t.Context(), address)
	require.NoError(t, err)
	require.NotNil(t, a)
	return *a
}

// Proves: S-handles
func TestXAccounts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		userID, handle string
		code           problem.Code // empty: it is the account of number 1
		known          string       // the handle that number 1 has from then on
	}{
		"the same person": {"1", "Grace", "", "Grace"},
		"the same number, the handle written otherwise": {"1", "GRACE", "", "GRACE"},
		"the same number with another handle":           {"1", "grace2", "", "grace2"},
		"the same number with somebody else's handle":   {"1", "barbara", problem.Forbidden, "Grace"},
		"another number with a known handle":            {"9", "grace", problem.Forbidden, "Grace"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				grace := xAccount(t, s, "1", "Grace")
				xAccount(t, s, "2", "Barbara")
				a, err := s.Accounts.XAccount(t.Context(), tt.userID, tt.handle, november)
				if tt.code == "" {
					require.NoError(t, err)
					require.Equal(t, grace.ID, a.ID)
				} else {
					require.Equal(t, tt.code, problem.CodeOf(err), "%v", err)
				}
				require.Equal(t, 2, s.Count(t, "accounts"))
				kept, err := s.Accounts.AccountByID(t.Context(), grace.ID)
				require.NoError(t, err)
				require.Equal(t, tt.known, kept.XHandle)
				require.Equal(t, member.Key(tt.known), *kept.XHandleKey)
				require.Equal(t, "1", *kept.XUserID)
			})
		})
	}
}

// FOUNDERS may still name it, and at X anybody can have it by then.
// Proves: S-handles
func TestWhoTakesAHandleThatAFounderGaveUpIsNotLetIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		require.Equal(t, grace.ID, xAccount(t, s, "1", "grace2").ID)
		for _, spelling := range []string{"grace", "GRACE"} {
			_, err := s.Accounts.XAccount(t.Context(), "9", spelling, november.Add(time.Hour))
			require.Equal(t, problem.Forbidden, problem.CodeOf(err), "%v", err)
		}
		require.Equal(t, 1, s.Count(t, "accounts"))
		require.Equal(t, account.Visitor, founders.RoleOf(xAccount(t, s, "9", "grace9"), false), "under a handle of their own")
		file, err := s.Deletions.ExportAccount(t.Context(), grace.ID, november)
		require.NoError(t, err)
		require.Equal(t, []string{"grace", "grace2"}, file.Account.Handles, "whoever it is about is told")
		kept := xAccount(t, s, "1", "grace")
		require.Equal(t, grace.ID, kept.ID, "who gave it up may come back to it")
		require.Equal(t, account.Founder, founders.RoleOf(kept, false))
	})
}

// Proves: S-zero-values
func TestFirstLoginsAtOnceMakeOneAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ids := make([]string, 20)
		require.Equal(t, 20, atOnce(t, 20, func(i int) error {
			a, err := s.Accounts.XAccount(t.Context(), "1", "grace", november)
			ids[i] = a.ID
			return err
		}))
		require.Equal(t, 1, s.Count(t, "accounts"))
		for _, id := range ids {
			require.Equal(t, ids[0], id)
		}
	})
}

// Members choose their names; founders are named by X.
// Proves: S-handles
func TestMemberWithAFoundersNameIsNoFounder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		impostor := emailAccount(t, s, "Grace", "mallory@example.com")
		found, err := s.Accounts.AccountByName(t.Context(), "grace")
		require.NoError(t, err)
		require.Equal(t, impostor.ID, found.ID)
		require.Equal(t, account.Member, founders.RoleOf(*found, true))

		grace := xAccount(t, s, "1", "Grace")
		require.Equal(t, account.Founder, founders.RoleOf(grace, false))
		require.NotEqual(t, impostor.ID, grace.ID)
		found, err = s.Accounts.AccountByName(t.Context(), "GRACE")
		require.NoError(t, err)
		require.Equal(t, grace.ID, found.ID, "what X has proven goes first")
		require.Nil(t, found.MemberID)
	})
}

func TestAccountsAreFoundByWhatLogsIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "Ada", "ada@example.com")
		for _, name := range []string{"ada", "ADA"} {
			found, err := s.Accounts.AccountByName(t.Context(), name)
			require.NoError(t, err)
			require.Equal(t, ada.ID, found.ID)
		}
		found, err := s.Accounts.AccountByName(t.Context(), "nobody")
		require.NoError(t, err)
		require.Nil(t, found)
		found, err = s.Accounts.AccountByEmail(t.Context(), "nobody@example.com")
		require.NoError(t, err)
		require.Nil(t, found)
		_, err = s.Accounts.AccountByID(t.Context(), "nobody")
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}

// Proves: S-zero-values
func TestNoticesAreWantedUntilTheyAreNot(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		require.True(t, ada.Notices)
		for range 2 {
			require.NoError(t, s.Accounts.SetNotices(t.Context(), ada.ID, false))
		}
		ada, err := s.Accounts.AccountByID(t.Context(), ada.ID)
		require.NoError(t, err)
		require.False(t, ada.Notices)
	})
}

// Whoever used DEV_LOGIN first must still be let in by X.
// Proves: S-handles
func TestFirstTrueLoginTakesABelievedAccountOver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		believed, err := s.Accounts.XAccount(t.Context(), account.DevUserID+"grace", "grace", november)
		require.NoError(t, err)
		proven, err := s.Accounts.XAccount(t.Context(), "4243", "Grace", november)
		require.NoError(t, err)
		require.Equal(t, believed.ID, proven.ID)
		require.Equal(t, "4243", *proven.XUserID)
		_, err = s.Accounts.XAccount(t.Context(), "666", "grace", november)
		require.ErrorContains(t, err, "belonged to another X account")
	})
}
