package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// welcomed is a new member's account, with the token of their letter.
func welcomed(t *testing.T, s *store.DB, name, address string) (a account.Account, token string) {
	t.Helper()
	token = account.NewToken()
	require.NoError(t, s.Members.AddMember(t.Context(), newcomer(name), &account.Welcome{Email: address, Token: token}))
	found, err := s.Accounts.AccountByEmail(t.Context(), address)
	require.NoError(t, err)
	return *found, token
}

func claim(t *testing.T, s *store.DB, token string, at time.Time) (account.Session, error) {
	t.Helper()
	return s.Accounts.RedeemClaim(t.Context(), token, account.NewSession{Token: account.NewToken(), Provider: account.ByEmail}, at)
}

func TestClaimLetsInOnce(t *testing.T) {
	t.Parallel()
	last := november.Add(account.ClaimLife - time.Microsecond)
	cases := map[string]struct {
		at  time.Time
		ins int
	}{
		"at once":                 {november, 1},
		"in the last microsecond": {last, 1},
		"too late on the dot":     {last.Add(time.Microsecond), 0},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				ada, token := welcomed(t, s, "ada "+name, name+"ada@example.com")
				bea, other := welcomed(t, s, "bea "+name, name+"bea@example.com")
				session, err := claim(t, s, token, tt.at)
				if tt.ins == 1 {
					require.NoError(t, err)
					require.Equal(t, ada.ID, session.AccountID)
					_, err = claim(t, s, token, tt.at)
				}
				requireWrong(t, err)
				require.Len(t, sessionIDs(t, s, ada.ID), tt.ins)
				session, err = claim(t, s, other, november)
				require.NoError(t, err, "another's link is another's")
				require.Equal(t, bea.ID, session.AccountID)
			})
		}
	})
}

func TestClaimThatNobodyWasSentLetsNobodyIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, token := welcomed(t, s, "ada", "ada@example.com")
		require.NotContains(t, s.Dump(t, "claims"), token)
		for _, guess := range []string{"", account.NewToken(), account.Hash(token)} {
			_, err := claim(t, s, guess, november)
			requireWrong(t, err)
		}
		require.Zero(t, s.Count(t, "sessions"))
	})
}

// Proves: V15.4.2
func TestClaimAtOnceLetsInOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, token := welcomed(t, s, "ada", "ada@example.com")
		require.Equal(t, 1, atOnce(t, 20, func(int) error {
			_, err := claim(t, s, token, november)
			return err
		}, problem.CodeWrong))
		require.Equal(t, 1, s.Count(t, "sessions"))
	})
}

// A link is not used up by a login that did not come about.
// Proves: V2.3.3
func TestClaimWhoseSessionFailsStaysGood(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, token := welcomed(t, s, "ada", "ada@example.com")
		_, err := s.Accounts.RedeemClaim(t.Context(), token, account.NewSession{Token: account.NewToken(), Provider: "nothing"}, november)
		require.Error(t, err)
		_, err = claim(t, s, token, november)
		require.NoError(t, err)
	})
}
