package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// Proves: V7.4.1
func TestTidyKeepsWhatIsStillGood(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		a, err := s.Accounts.XAccount(t.Context(), "1", "grace", november)
		require.NoError(t, err)
		token := account.NewToken()
		_, err = s.Accounts.OpenSession(t.Context(), account.NewSession{AccountID: a.ID, Token: token, Provider: account.ByX}, november)
		require.NoError(t, err)
		limit := account.Limit{Name: "l", Most: 1, Per: 48 * time.Hour, Doing: "things"}
		require.NoError(t, s.Limits.Consume(t.Context(), limit, "somebody", november))

		soon := november.Add(36 * time.Hour)
		require.NoError(t, s.Tidy(t.Context(), soon))
		require.Equal(t, problem.TooMany, problem.CodeOf(s.Limits.Consume(t.Context(), limit, "somebody", soon)), "the limit still stands")
		sessions, err := s.Accounts.Sessions(t.Context(), a.ID, soon)
		require.NoError(t, err)
		require.Len(t, sessions, 1)

		late := november.Add(account.SessionLife + time.Hour)
		require.NoError(t, s.Tidy(t.Context(), late))
		sessions, err = s.Accounts.Sessions(t.Context(), a.ID, november)
		require.NoError(t, err)
		require.Empty(t, sessions, "it is deleted, not only over")
	})
}

// Tidying must not wait for rows that others are changing: two who wait for one another's
// would wait in a circle. SQLite has one writer at a time, so there it cannot happen.
func TestTidyWaitsForNobody(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres")
	grace := xAccount(t, s, "1", "grace")
	_, err := s.Accounts.OpenSession(t.Context(), account.NewSession{AccountID: grace.ID, Token: account.NewToken(), Provider: account.ByX}, november)
	require.NoError(t, err)
	_, err = s.Accounts.IssueCode(t.Context(), account.NewCode{Purpose: account.ForLogin, Subject: "s", Visitor: "v", Code: right}, november)
	require.NoError(t, err)

	late := november.Add(account.SessionLife)
	soon, cancel := context.WithTimeout(t.Context(), testwait.Limit)
	defer cancel()
	letGoOfSessions, letGoOfCodes := s.Hold(t, "UPDATE sessions SET created_at = created_at"), s.Hold(t, "UPDATE login_codes SET created_at = created_at")
	require.NoError(t, s.Tidy(soon, late))
	require.Equal(t, 2, s.Count(t, "sessions")+s.Count(t, "login_codes"), "what somebody holds is left")
	letGoOfSessions()
	letGoOfCodes()
	require.NoError(t, s.Tidy(soon, late))
	require.Zero(t, s.Count(t, "sessions")+s.Count(t, "login_codes"))
}
