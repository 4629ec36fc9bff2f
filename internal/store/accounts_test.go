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
	return must(s.Accounts.XAccount(t.Context(), userID, handle, november))(t)
}

// emailAccount is the account of a new member.
func emailAccount(t *testing.T, s *store.DB, name, address string) account.Account {
	t.Helper()
	require.NoError(t, s.Members.AddMember(t.Context(), newcomer(name), &account.Welcome{Email: address, Token: account.NewToken()}))
	a := must(s.Accounts.AccountByEmail(t.Context(), address))(t)
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
		each(t, name, func(t *testing.T, s *store.DB) {
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
			kept := must(s.Accounts.AccountByID(t.Context(), grace.ID))(t)
			require.Equal(t, []any{tt.known, member.Key(tt.known), "1"}, []any{kept.XHandle, *kept.XHandleKey, *kept.XUserID})
		})
	}
}

// Proves: S-handles, S-zero-values
func TestAccounts(t *testing.T) {
	t.Parallel()
	// FOUNDERS may still name it, and at X anybody can have it by then.
	each(t, "a handle that a founder gave up lets its next owner in as a visitor only", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		require.Equal(t, grace.ID, xAccount(t, s, "1", "grace2").ID)
		for _, spelling := range []string{"grace", "GRACE"} {
			require.Equal(t, problem.Forbidden, codeOf(s.Accounts.XAccount(t.Context(), "9", spelling, november.Add(time.Hour))))
		}
		require.Equal(t, 1, s.Count(t, "accounts"))
		require.Equal(t, account.Visitor, founders.RoleOf(xAccount(t, s, "9", "grace9"), false), "under a handle of their own")
		file := must(s.Deletions.ExportAccount(t.Context(), grace.ID, november))(t)
		require.Equal(t, []string{"grace", "grace2"}, file.Account.Handles, "whoever it is about is told")
		kept := xAccount(t, s, "1", "grace")
		require.Equal(t, grace.ID, kept.ID, "who gave it up may come back to it")
		require.Equal(t, account.Founder, founders.RoleOf(kept, false))
	})
	each(t, "first logins at once make one account", func(t *testing.T, s *store.DB) {
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
	// Members choose their names; founders are named by X.
	each(t, "a member with a founder's name is no founder", func(t *testing.T, s *store.DB) {
		impostor := emailAccount(t, s, "Grace", "mallory@example.com")
		found := must(s.Accounts.AccountByName(t.Context(), "grace"))(t)
		require.Equal(t, impostor.ID, found.ID)
		require.Equal(t, account.Member, founders.RoleOf(*found, true))
		grace := xAccount(t, s, "1", "Grace")
		require.Equal(t, account.Founder, founders.RoleOf(grace, false))
		require.NotEqual(t, impostor.ID, grace.ID)
		found = must(s.Accounts.AccountByName(t.Context(), "GRACE"))(t)
		require.Equal(t, grace.ID, found.ID, "what X has proven goes first")
		require.Nil(t, found.MemberID)
	})
	each(t, "accounts are found by name and address", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "Ada", "ada@example.com")
		for _, name := range []string{"ada", "ADA"} {
			require.Equal(t, ada.ID, must(s.Accounts.AccountByName(t.Context(), name))(t).ID)
		}
		require.Nil(t, must(s.Accounts.AccountByName(t.Context(), "nobody"))(t))
		require.Nil(t, must(s.Accounts.AccountByEmail(t.Context(), "nobody@example.com"))(t))
		require.Equal(t, problem.NotFound, codeOf(s.Accounts.AccountByID(t.Context(), "nobody")))
	})
	each(t, "notices are wanted until they are not", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		require.True(t, ada.Notices)
		for range 2 {
			require.NoError(t, s.Accounts.SetNotices(t.Context(), ada.ID, false))
		}
		require.False(t, must(s.Accounts.AccountByID(t.Context(), ada.ID))(t).Notices)
	})
	// Whoever used DEV_LOGIN first must still be let in by X.
	each(t, "the first login by X takes over a DEV_LOGIN account", func(t *testing.T, s *store.DB) {
		believed := must(s.Accounts.XAccount(t.Context(), account.DevUserID+"grace", "grace", november))(t)
		proven := must(s.Accounts.XAccount(t.Context(), "4243", "Grace", november))(t)
		require.Equal(t, []any{believed.ID, "4243"}, []any{proven.ID, *proven.XUserID})
		require.ErrorContains(t, errOf(s.Accounts.XAccount(t.Context(), "666", "grace", november)), "belonged to another X account")
	})
}

func openSession(t *testing.T, s *store.DB, n account.NewSession, at time.Time) (session account.Session, token string) {
	t.Helper()
	n.Token, n.Device = account.NewToken(), "Firefox on Linux"
	if n.Provider == "" {
		n.Provider = account.ByX
	}
	return must(s.Accounts.OpenSession(t.Context(), n, at))(t), n.Token
}

func login(t *testing.T, s *store.DB, token string, at time.Time) *account.Login {
	t.Helper()
	return must(s.Accounts.Login(t.Context(), token, at))(t)
}

// Proves: V7.2.2, V7.2.3, F32, V7.2.4
func TestSessions(t *testing.T) {
	t.Parallel()
	each(t, "a session acts for its account", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "Ada", "ada@example.com")
		opened, token := openSession(t, s, account.NewSession{AccountID: ada.ID, Provider: account.ByEmail}, november)
		found := login(t, s, token, november)
		require.Equal(t, ada, found.Account)
		require.Equal(t, "Ada", found.Name())
		require.Equal(t, []any{true, opened.ID, account.ByEmail}, []any{found.MemberActive, found.Session.ID, found.Session.Provider})
		require.NoError(t, s.Exec(`UPDATE members SET status = 'frozen'`))
		require.False(t, login(t, s, token, november).MemberActive, "asked anew each time")
		require.Nil(t, login(t, s, account.NewToken(), november), "a token that is nobody's")
	})
	each(t, "tokens themselves are not stored", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		_, token := openSession(t, s, account.NewSession{AccountID: grace.ID}, november)
		stored := s.Dump(t, "sessions")
		require.Contains(t, stored, account.Hash(token))
		require.NotContains(t, stored, token)
		require.Nil(t, login(t, s, account.Hash(token), november), "what stands in the table logs nobody in")
	})
	each(t, "a new session replaces the browser's old one", func(t *testing.T, s *store.DB) {
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
	each(t, "sessions are listed and ended", func(t *testing.T, s *store.DB) {
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
				listed := must(s.Accounts.Sessions(t.Context(), grace.ID, end.Add(-time.Microsecond)))(t)
				require.Len(t, listed, 1)
				require.True(t, listed[0].ExpiresAt.Equal(end), "%s", listed[0].ExpiresAt)
				listed = must(s.Accounts.Sessions(t.Context(), grace.ID, end))(t)
				require.Empty(t, listed)
			})
		}
	})
}

func sessionIDs(t *testing.T, s *store.DB, accountID string) (ids []string) {
	t.Helper()
	for _, session := range must(s.Accounts.Sessions(t.Context(), accountID, november))(t) {
		ids = append(ids, session.ID)
	}
	return ids
}
