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

func openSession(t *testing.T, s *store.DB, n account.NewSession, at time.Time) (session account.Session, token string) {
	t.Helper()
	n.Token, n.Device = account.NewToken(), "Firefox on Linux"
	if n.Provider == "" {
		n.Provider = account.ByX
	}
	session, err := s.Accounts.OpenSession(t.Context(), n, at)
	require.NoError(t, err)
	return session, n.Token
}

func login(t *testing.T, s *store.DB, token string, at time.Time) *account.Login {
	t.Helper()
	found, err := s.Accounts.Login(t.Context(), token, at)
	require.NoError(t, err)
	return found
}

// Proves: V7.2.2
func TestSessionActsForItsAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "Ada", "ada@example.com")
		opened, token := openSession(t, s, account.NewSession{AccountID: ada.ID, Provider: account.ByEmail}, november)
		found := login(t, s, token, november)
		require.Equal(t, ada, found.Account)
		require.Equal(t, "Ada", found.Name())
		require.True(t, found.MemberActive)
		require.Equal(t, opened.ID, found.Session.ID)
		require.Equal(t, account.ByEmail, found.Session.Provider)

		require.NoError(t, s.Exec(`UPDATE members SET status = 'frozen'`))
		require.False(t, login(t, s, token, november).MemberActive, "asked anew each time")
		require.Nil(t, login(t, s, account.NewToken(), november), "a token that is nobody's")
	})
}

// Proves: V7.2.3
func TestTokensThemselvesAreNotStored(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		_, token := openSession(t, s, account.NewSession{AccountID: grace.ID}, november)
		stored := s.Dump(t, "sessions")
		require.Contains(t, stored, account.Hash(token))
		require.NotContains(t, stored, token)
		require.Nil(t, login(t, s, account.Hash(token), november), "what stands in the table logs nobody in")
	})
}

// Proves: F32, V7.2.4
func TestNewSessionReplacesWhatTheBrowserHeld(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		grace, barbara := xAccount(t, s, "1", "grace"), xAccount(t, s, "2", "barbara")
		_, own := openSession(t, s, account.NewSession{AccountID: grace.ID}, november)
		_, planted := openSession(t, s, account.NewSession{AccountID: barbara.ID}, november)
		_, elsewhere := openSession(t, s, account.NewSession{AccountID: grace.ID}, november)

		_, next := openSession(t, s, account.NewSession{AccountID: grace.ID, Replaces: own}, november)
		require.Nil(t, login(t, s, own, november))
		require.NotNil(t, login(t, s, next, november))
		_, next = openSession(t, s, account.NewSession{AccountID: grace.ID, Replaces: planted}, november)
		require.Nil(t, login(t, s, planted, november), "whoever's it was")
		require.NotNil(t, login(t, s, next, november))
		require.NotNil(t, login(t, s, elsewhere, november), "another browser stays logged in")
	})
}

// Proves: V7.4.1
func TestSessionsInUseLastOn(t *testing.T) {
	t.Parallel()
	whole, minted := account.Scope(""), account.ScopeCredentials
	cases := map[string]struct {
		scope account.Scope
		used  time.Duration // after the login
		ends  time.Duration
	}{
		"not used again":                  {whole, 0, account.SessionLife},
		"used too soon to be written":     {whole, account.SlideEvery - time.Microsecond, account.SessionLife},
		"used after five minutes":         {whole, account.SlideEvery, account.SlideEvery + account.SessionLife},
		"used at the last moment":         {whole, account.SessionLife - time.Microsecond, 2*account.SessionLife - time.Microsecond},
		"a minted token stays as short":   {minted, account.SlideEvery, account.TokenLife},
		"a minted token, its last moment": {minted, account.TokenLife - time.Microsecond, account.TokenLife},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				grace := xAccount(t, s, name, name)
				_, token := openSession(t, s, account.NewSession{AccountID: grace.ID, Scope: tt.scope}, november)
				require.NotNil(t, login(t, s, token, november.Add(tt.used)))

				end := november.Add(tt.ends)
				require.Nil(t, login(t, s, token, end), "over on the dot")
				listed, err := s.Accounts.Sessions(t.Context(), grace.ID, end.Add(-time.Microsecond))
				require.NoError(t, err)
				require.Len(t, listed, 1)
				require.True(t, listed[0].ExpiresAt.Equal(end), "%s", listed[0].ExpiresAt)
				listed, err = s.Accounts.Sessions(t.Context(), grace.ID, end)
				require.NoError(t, err)
				require.Empty(t, listed)
			})
		}
	})
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		grace, barbara := xAccount(t, s, "1", "grace"), xAccount(t, s, "2", "barbara")
		first, firstToken := openSession(t, s, account.NewSession{AccountID: grace.ID}, november)
		second, _ := openSession(t, s, account.NewSession{AccountID: grace.ID}, november.Add(time.Minute))
		foreign, foreignToken := openSession(t, s, account.NewSession{AccountID: barbara.ID}, november)
		require.Equal(t, []string{second.ID, first.ID}, sessionIDs(t, s, grace.ID))
		require.NotNil(t, login(t, s, firstToken, november.Add(time.Hour)))
		require.Equal(t, []string{first.ID, second.ID}, sessionIDs(t, s, grace.ID), "the last used first")

		require.NoError(t, s.Accounts.EndSession(t.Context(), grace.ID, first.ID))
		require.Nil(t, login(t, s, firstToken, november))
		for _, id := range []string{first.ID, foreign.ID, "nobody's"} {
			err := s.Accounts.EndSession(t.Context(), grace.ID, id)
			require.Equal(t, problem.NotFound, problem.CodeOf(err))
		}
		require.NoError(t, s.Accounts.EndSessions(t.Context(), grace.ID))
		require.Empty(t, sessionIDs(t, s, grace.ID))
		require.NotNil(t, login(t, s, foreignToken, november), "another's stays")
	})
}

func sessionIDs(t *testing.T, s *store.DB, accountID string) (ids []string) {
	t.Helper()
	listed, err := s.Accounts.Sessions(t.Context(), accountID, november)
	require.NoError(t, err)
	for _, session := range listed {
		ids = append(ids, session.ID)
	}
	return ids
}
