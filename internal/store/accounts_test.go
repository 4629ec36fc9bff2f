package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
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
		refused        bool   // otherwise it returns the account of ID 1
		known          string // the handle of ID 1 afterwards
	}{
		"the same person":                         {"1", "Grace", false, "Grace"},
		"the same ID, the handle in another case": {"1", "GRACE", false, "GRACE"},
		"the same ID with another handle":         {"1", "grace2", false, "grace2"},
		"the same ID with another ID's handle":    {"1", "barbara", true, "Grace"},
		"another ID with a known handle":          {"9", "grace", true, "Grace"},
	} {
		each(t, name, func(t *testing.T, s *store.DB) {
			grace := xAccount(t, s, "1", "Grace")
			xAccount(t, s, "2", "Barbara")
			a, err := s.Accounts.XAccount(t.Context(), tt.userID, tt.handle, november)
			require.Equal(t, []bool{tt.refused, tt.refused}, []bool{problem.CodeOf(err) == problem.Forbidden, a.ID != grace.ID}, "%v", err)
			require.Equal(t, 2, s.Count(t, "accounts"))
			kept := must(s.Accounts.AccountByID(t.Context(), grace.ID))(t)
			require.Equal(t, []any{tt.known, member.Key(tt.known), "1"}, []any{kept.XHandle, *kept.XHandleKey, *kept.XUserID})
		})
	}
}

// Proves: S-handles, S-zero-values
func TestAccounts(t *testing.T) {
	t.Parallel()
	// FOUNDERS may still name the handle after another X user has taken it.
	each(t, "a handle that a founder gave up lets its next owner in as a visitor only", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		require.Equal(t, grace.ID, xAccount(t, s, "1", "grace2").ID)
		for _, spelling := range []string{"grace", "GRACE"} {
			require.Equal(t, problem.Forbidden, codeOf(s.Accounts.XAccount(t.Context(), "9", spelling, november.Add(time.Hour))))
		}
		require.Equal(t, 1, s.Count(t, "accounts"))
		require.Equal(t, account.Visitor, founders.RoleOf(xAccount(t, s, "9", "grace9"), false), "under a handle of their own")
		file := must(s.Deletions.ExportAccount(t.Context(), grace.ID, november))(t)
		require.Equal(t, []string{"grace", "grace2"}, file.Account.Handles, "the export lists all handles")
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
		require.Len(t, slices.Compact(ids), 1)
		require.Equal(t, 1, s.Count(t, "accounts"))
	})
	// Members choose their usernames; X verifies founders' handles.
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
	// An account created by DEV_LOGIN must still accept a login with X.
	each(t, "the first login by X takes over a DEV_LOGIN account", func(t *testing.T, s *store.DB) {
		believed := must(s.Accounts.XAccount(t.Context(), account.DevUserID+"grace", "grace", november))(t)
		proven := must(s.Accounts.XAccount(t.Context(), "4243", "Grace", november))(t)
		require.Equal(t, []any{believed.ID, "4243"}, []any{proven.ID, *proven.XUserID})
		require.ErrorContains(t, errOf(s.Accounts.XAccount(t.Context(), "666", "grace", november)), "first used here by another X account")
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
		require.False(t, login(t, s, token, november).MemberActive, "read for each request")
		require.Nil(t, login(t, s, account.NewToken(), november), "an unknown token")
	})
	each(t, "tokens themselves are not stored", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		_, token := openSession(t, s, account.NewSession{AccountID: grace.ID}, november)
		stored := s.Dump(t, "sessions")
		require.Contains(t, stored, account.Hash(token))
		require.NotContains(t, stored, token)
		require.Nil(t, login(t, s, account.Hash(token), november), "the stored digest is no token")
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

func TestSessionExpiry(t *testing.T) {
	t.Parallel()
	whole, minted := account.Scope(""), account.ScopeCredentials
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range map[string]struct {
			scope      account.Scope
			used, ends time.Duration // after the login
		}{
			"not used again":                         {whole, 0, account.SessionLife},
			"used again within the minimum interval": {whole, account.SlideEvery - time.Microsecond, account.SessionLife},
			"used after five minutes":                {whole, account.SlideEvery, account.SlideEvery + account.SessionLife},
			"used at the last moment":                {whole, account.SessionLife - time.Microsecond, 2*account.SessionLife - time.Microsecond},
			"used every day until its limit":         {whole, account.SessionLimit - account.SessionLife/2, account.SessionLimit},
			"a token keeps its expiry":               {minted, account.SlideEvery, account.TokenLife},
			"a token in its last microsecond":        {minted, account.TokenLife - time.Microsecond, account.TokenLife},
		} {
			grace, end := xAccount(t, s, name, name), november.Add(tt.ends)
			_, token := openSession(t, s, account.NewSession{AccountID: grace.ID, Scope: tt.scope}, november)
			for used := account.SessionLife - time.Hour; used < tt.used && tt.scope == whole; used += account.SessionLife - time.Hour {
				require.NotNil(t, login(t, s, token, november.Add(used)), name)
			}
			require.NotNil(t, login(t, s, token, november.Add(tt.used)), name)
			require.Nil(t, login(t, s, token, end), "%s: over on the dot", name)
			listed := must(s.Accounts.Sessions(t.Context(), grace.ID, end.Add(-time.Microsecond)))(t)
			require.Len(t, listed, 1, name)
			require.Equal(t, end, listed[0].ExpiresAt.UTC(), name)
			require.Empty(t, must(s.Accounts.Sessions(t.Context(), grace.ID, end))(t), name)
		}
	})
}

// Proves: S-new-device
func TestDevices(t *testing.T) {
	t.Parallel()
	enter := func(t *testing.T, s *store.DB, a account.Account, known, next string, at time.Time) {
		t.Helper()
		openSession(t, s, account.NewSession{AccountID: a.ID, Known: known, Browser: next}, at)
	}
	reports := func(t *testing.T, s *store.DB) (to []string) {
		t.Helper()
		for _, m := range must(s.Emails.WaitingEmails(t.Context(), true))(t) {
			if m.Kind == email.NewDevice {
				_, content := must2(s.Emails.Email(t.Context(), m.ID))(t)
				require.Equal(t, "Firefox on Linux", content.Facts["Device"])
				to = append(to, content.To)
			}
		}
		return to
	}
	each(t, "a login in a new browser is reported", func(t *testing.T, s *store.DB) {
		ada, eve, grace := emailAccount(t, s, "ada", "ada@example.com"), emailAccount(t, s, "eve", "eve@example.com"), xAccount(t, s, "1", "grace")
		enter(t, s, ada, "", "a1", november)
		require.Empty(t, reports(t, s), "the first login of all")
		enter(t, s, ada, "a1", "a2", november)
		require.Empty(t, reports(t, s), "the same browser")
		enter(t, s, ada, "a1", "a3", november)
		require.Equal(t, []string{"ada@example.com"}, reports(t, s), "a token works once, so a copy of it is another browser")
		enter(t, s, eve, "a2", "e1", november)
		require.Len(t, reports(t, s), 1, "another account's browser is new for this one, but it is the first login")
		enter(t, s, eve, "a3", "e2", november)
		require.Equal(t, []string{"ada@example.com", "eve@example.com"}, reports(t, s))
		enter(t, s, grace, "", "g1", november)
		enter(t, s, grace, "", "g2", november)
		require.Len(t, reports(t, s), 2, "an account without an address")
		require.Equal(t, 6, s.Count(t, "devices"))
		require.NotContains(t, s.Dump(t, "devices"), "a2")
	})
	// Earlier releases stored no devices.
	each(t, "an account with a session was logged in before", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		openSession(t, s, account.NewSession{AccountID: ada.ID}, november)
		enter(t, s, ada, "", "a1", november)
		require.Len(t, reports(t, s), 1)
	})
	each(t, "the newest sessions and devices are kept", func(t *testing.T, s *store.DB) {
		ada, eve := emailAccount(t, s, "ada", "ada@example.com"), emailAccount(t, s, "eve", "eve@example.com")
		enter(t, s, eve, "", "e", november)
		for i := range account.MostSessions + 1 {
			enter(t, s, ada, "", fmt.Sprint("a", i), november.Add(time.Duration(i)*time.Second))
		}
		require.Equal(t, 1+account.MostSessions, s.Count(t, "sessions"))
		require.Equal(t, 1+account.MostDevices, s.Count(t, "devices"))
		enter(t, s, ada, fmt.Sprint("a", account.MostSessions), "next", november.Add(time.Hour))
		require.Equal(t, 1+account.MostDevices, s.Count(t, "devices"), "the newest is known")
	})
	each(t, "tokens are limited", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		mint := func() error {
			return errOf(s.Accounts.OpenSession(t.Context(), account.NewSession{
				AccountID: ada.ID, Token: account.NewToken(), Provider: account.ByEmail, Scope: account.ScopeCredentials,
			}, november))
		}
		require.Equal(t, account.TokensPerAccount.Most, atOnce(t, 200, func(int) error { return mint() }, problem.TooMany))
		require.Equal(t, account.TokensPerAccount.Most, s.Count(t, "sessions"))
	})
}

func sessionIDs(t *testing.T, s *store.DB, accountID string) []string {
	t.Helper()
	return idsOf(must(s.Accounts.Sessions(t.Context(), accountID, november))(t))
}

func beginXLogin(t *testing.T, s *store.DB, browser string) account.XLogin {
	t.Helper()
	l := account.XLogin{
		ID: xid.New().String(), BrowserHash: account.Hash(browser), Next: "/experiments", State: account.RequestingToken,
		CreatedAt: november, ExpiresAt: november.Add(account.XLoginLife),
	}
	require.NoError(t, s.Accounts.BeginXLogin(t.Context(), l, asker("visitor of "+browser)))
	return l
}

func sendAway(t *testing.T, s *store.DB, browser, token string) account.XLogin {
	t.Helper()
	l := beginXLogin(t, s, browser)
	l = must(s.Accounts.RedirectXLogin(t.Context(), l.ID, account.RequestToken{Token: token, Secret: "token secret"}, "run-1"))(t)
	require.Equal(t, account.Redirected, l.State)
	return l
}

func comeBack(t *testing.T, s *store.DB, browser, token, verifier string, at time.Time) (account.XLogin, error) {
	t.Helper()
	return s.Accounts.BringXLoginBack(t.Context(), account.Returned{Token: token, BrowserHash: account.Hash(browser), Verifier: verifier}, at)
}

// Proves: V10.1.2, V15.4.2, V2.4.1-logins, S-login-secret
func TestXLogins(t *testing.T) {
	t.Parallel()
	each(t, "from beginning to end", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		l := beginXLogin(t, s, "cookie")
		require.Equal(t, problem.Conflict, codeOf(s.Accounts.RequestToken(t.Context(), l.ID)), "there is none yet")

		for _, token := range []string{"request-token", "another"} { // a repeat keeps the first
			l = must(s.Accounts.RedirectXLogin(t.Context(), l.ID, account.RequestToken{Token: token, Secret: "token secret"}, "run-1"))(t)
		}
		require.Equal(t, []any{account.Redirected, "run-1"}, []any{l.State, l.RunID})
		kept := must(s.Accounts.RequestToken(t.Context(), l.ID))(t)
		require.Equal(t, account.RequestToken{Token: "request-token", Secret: "token secret"}, kept)

		l = must(comeBack(t, s, "cookie", "request-token", "proof", november.Add(time.Minute)))(t)
		require.Equal(t, []any{account.Verifying, "/experiments"}, []any{l.State, l.Next})
		kept = must(s.Accounts.RequestToken(t.Context(), l.ID))(t)
		require.Equal(t, account.RequestToken{Token: "request-token", Secret: "token secret", Verifier: "proof"}, kept)
		require.Equal(t, 1, s.Count(t, "secrets"))
		for _, table := range []string{"x_logins", "secrets"} {
			for _, word := range []string{"request-token", "token secret", "proof", "cookie"} {
				require.NotContains(t, s.Dump(t, table), word)
			}
		}

		l = must(s.Accounts.EndXLogin(t.Context(), l.ID, account.LoggedIn, "", &grace.ID))(t)
		require.Equal(t, account.Ended, l.State)
		require.Zero(t, s.Count(t, "secrets"), "nothing is kept that was only for the way")
		require.Equal(t, problem.Conflict, codeOf(s.Accounts.RequestToken(t.Context(), l.ID)))
		again := must(s.Accounts.EndXLogin(t.Context(), l.ID, account.ServerError, "late", nil))(t)
		require.Equal(t, account.LoggedIn, again.Outcome, "it ends once")
		require.Equal(t, grace.ID, *again.AccountID)
	})
	each(t, "returns at once are accepted once", func(t *testing.T, s *store.DB) {
		sendAway(t, s, "hers", "her-token")
		require.Equal(t, 1, atOnce(t, 10, func(int) error { return errOf(comeBack(t, s, "hers", "her-token", "proof", november)) }, problem.NotFound))
		require.Equal(t, 1, s.Count(t, "secrets"))
	})
	each(t, "a denial ends the login", func(t *testing.T, s *store.DB) {
		sendAway(t, s, "hers", "her-token")
		l := must(comeBack(t, s, "hers", "her-token", "", november))(t)
		require.Equal(t, []any{account.Ended, account.Denied}, []any{l.State, l.Outcome})
		require.Nil(t, l.AccountID)
		require.Zero(t, s.Count(t, "secrets"))
		requireCode(t, problem.NotFound, errOf(comeBack(t, s, "hers", "her-token", "proof", november)))
		require.Equal(t, account.Denied, must(s.Accounts.EndXLogin(t.Context(), l.ID, account.ExpiredToken, "", nil))(t).Outcome)
	})
	each(t, "an ended login is not sent to X", func(t *testing.T, s *store.DB) {
		l := beginXLogin(t, s, "hers")
		must(s.Accounts.EndXLogin(t.Context(), l.ID, account.XDown, "http_503", nil))(t)
		l = must(s.Accounts.RedirectXLogin(t.Context(), l.ID, account.RequestToken{Token: "late", Secret: "s"}, "run-1"))(t)
		require.Equal(t, []any{account.XDown, "http_503"}, []any{l.Outcome, l.Detail})
		require.Zero(t, s.Count(t, "secrets"))
		requireCode(t, problem.NotFound, errOf(s.Accounts.EndXLogin(t.Context(), "nobody's", account.XDown, "", nil)))
	})
	each(t, "per visitor", func(t *testing.T, s *store.DB) {
		for range account.XLogins.PerNetwork.Most {
			beginXLogin(t, s, "hers")
		}
		err := s.Accounts.BeginXLogin(t.Context(), account.XLogin{ID: "one-more", State: account.RequestingToken, CreatedAt: november, ExpiresAt: november}, asker("visitor of hers"))
		requireTooMany(t, err, november.Add(account.XLogins.PerNetwork.Per), "")
		requireCode(t, problem.NotFound, errOf(s.Accounts.XLogin(t.Context(), "one-more")))
	})
	// X counts every login, so all networks share a limit.
	each(t, "for all visitors together", func(t *testing.T, s *store.DB) {
		openSession(t, s, account.NewSession{AccountID: xAccount(t, s, "1", "grace").ID, Browser: "grace's"}, november)
		openSession(t, s, account.NewSession{AccountID: emailAccount(t, s, "ada", "ada@example.com").ID, Browser: "ada's"}, november)
		begin := func(browser, network string) error {
			return s.Accounts.BeginXLogin(t.Context(), account.XLogin{
				ID: xid.New().String(), State: account.RequestingToken, CreatedAt: november, ExpiresAt: november,
			}, account.Asker{Browser: browser, Networks: []string{network}})
		}
		require.NoError(t, begin("", "a stranger's"))
		require.NoError(t, s.Exec("UPDATE rate_windows SET used = allowed WHERE bucket = 'x-login:all'"))
		requireCode(t, problem.TooMany, begin("", "a stranger's"))
		require.NoError(t, begin("", "the first of its network"))
		require.NoError(t, s.Exec("UPDATE rate_windows SET used = allowed WHERE bucket LIKE 'x-login-%:%'"))
		for _, browser := range []string{"", "unknown", "ada's"} {
			requireCode(t, problem.TooMany, begin(browser, "a network of its own"))
		}
		require.Equal(t, 2, s.Count(t, "x_logins"))
		require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket LIKE '%a network of its own'"), "what was refused was not counted")
		for range account.XLoginsPerBrowser.Most {
			require.NoError(t, begin("grace's", "a stranger's"), "strangers cannot lock a founder out")
		}
		requireCode(t, problem.TooMany, begin("grace's", "a stranger's"))
	})
}

func TestXLoginReturn(t *testing.T) {
	t.Parallel()
	last := november.Add(account.XLoginLife - time.Microsecond)
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		requireAway := func(l account.XLogin, name string) {
			t.Helper()
			require.Equal(t, account.Redirected, must(s.Accounts.XLogin(t.Context(), l.ID))(t).State, name)
		}
		for name, tt := range map[string]struct {
			browser, token string
			at             time.Time
			returns        bool
		}{
			"the same browser":                       {"hers", "her-token", november, true},
			"in the last microsecond":                {"hers", "her-token", last, true},
			"exactly at its expiry":                  {"hers", "her-token", last.Add(time.Microsecond), false},
			"another browser":                        {"somebody's", "her-token", november, false},
			"no cookie":                              {"", "her-token", november, false},
			"an unknown token":                       {"hers", "no-token", november, false},
			"the token of another login":             {"hers", "his-token", november, false},
			"one login's token in another's browser": {"his", "her-token", november, false},
		} {
			her, his := sendAway(t, s, "hers", name+"her-token"), sendAway(t, s, "his", name+"his-token")
			back, err := comeBack(t, s, tt.browser, name+tt.token, "proof", tt.at)
			if tt.returns {
				require.NoError(t, err, name)
				require.Equal(t, her.ID, back.ID, name)
				err = errOf(comeBack(t, s, tt.browser, name+tt.token, "proof", tt.at))
			} else {
				requireAway(her, name)
			}
			requireCode(t, problem.NotFound, err)
			requireAway(his, name)
		}
	})
}
