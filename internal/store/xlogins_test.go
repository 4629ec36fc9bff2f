package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func beginXLogin(t *testing.T, s *store.DB, browser string) account.XLogin {
	t.Helper()
	l := account.XLogin{
		ID: xid.New().String(), BrowserHash: account.Hash(browser), Next: "/experiments", State: account.Asking,
		CreatedAt: november, ExpiresAt: november.Add(account.XLoginLife),
	}
	require.NoError(t, s.Accounts.BeginXLogin(t.Context(), l, "visitor of "+browser))
	return l
}

// sendAway begins a login and sends its browser to X with a request token.
func sendAway(t *testing.T, s *store.DB, browser, token string) account.XLogin {
	t.Helper()
	l := beginXLogin(t, s, browser)
	l = must(s.Accounts.SendXLoginAway(t.Context(), l.ID, account.RequestToken{Token: token, Secret: "token secret"}, "run-1"))(t)
	require.Equal(t, account.Away, l.State)
	return l
}

func comeBack(t *testing.T, s *store.DB, browser, token, verifier string, at time.Time) (account.XLogin, error) {
	t.Helper()
	return s.Accounts.BringXLoginBack(t.Context(), account.Returned{Token: token, BrowserHash: account.Hash(browser), Verifier: verifier}, at)
}

func requireNoLogin(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, problem.NotFound, problem.CodeOf(err), "%v", err)
}

// Proves: V10.1.2, V15.4.2, V2.4.1-logins
func TestXLogins(t *testing.T) {
	t.Parallel()
	each(t, "from beginning to end", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		l := beginXLogin(t, s, "cookie")
		require.Equal(t, problem.Conflict, codeOf(s.Accounts.RequestToken(t.Context(), l.ID)), "there is none yet")

		for _, token := range []string{"request-token", "another"} { // repeated, the first stays
			l = must(s.Accounts.SendXLoginAway(t.Context(), l.ID, account.RequestToken{Token: token, Secret: "token secret"}, "run-1"))(t)
		}
		require.Equal(t, []any{account.Away, "run-1"}, []any{l.State, l.RunID})
		kept := must(s.Accounts.RequestToken(t.Context(), l.ID))(t)
		require.Equal(t, account.RequestToken{Token: "request-token", Secret: "token secret"}, kept)

		l = must(comeBack(t, s, "cookie", "request-token", "proof", november.Add(time.Minute)))(t)
		require.Equal(t, []any{account.Back, "/experiments"}, []any{l.State, l.Next})
		kept = must(s.Accounts.RequestToken(t.Context(), l.ID))(t)
		require.Equal(t, account.RequestToken{Token: "request-token", Secret: "token secret", Verifier: "proof"}, kept)
		require.Equal(t, 1, s.Count(t, "secrets"))
		requireHidden(t, s, "request-token", "token secret", "proof", "cookie")

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
		requireNoLogin(t, errOf(comeBack(t, s, "hers", "her-token", "proof", november)))
		require.Equal(t, account.Denied, must(s.Accounts.EndXLogin(t.Context(), l.ID, account.ExpiredToken, "", nil))(t).Outcome)
	})
	each(t, "an ended login is not sent to X", func(t *testing.T, s *store.DB) {
		l := beginXLogin(t, s, "hers")
		must(s.Accounts.EndXLogin(t.Context(), l.ID, account.XDown, "http_503", nil))(t)
		l = must(s.Accounts.SendXLoginAway(t.Context(), l.ID, account.RequestToken{Token: "late", Secret: "s"}, "run-1"))(t)
		require.Equal(t, []any{account.XDown, "http_503"}, []any{l.Outcome, l.Detail})
		require.Zero(t, s.Count(t, "secrets"))
		requireNoLogin(t, errOf(s.Accounts.EndXLogin(t.Context(), "nobody's", account.XDown, "", nil)))
	})
	each(t, "per visitor", func(t *testing.T, s *store.DB) {
		for range account.LoginsPerVisitor.Most {
			beginXLogin(t, s, "hers")
		}
		err := s.Accounts.BeginXLogin(t.Context(), account.XLogin{ID: "one-more", State: account.Asking, CreatedAt: november, ExpiresAt: november}, "visitor of hers")
		p, ok := errors.AsType[*problem.Error](err)
		require.True(t, ok)
		require.Equal(t, problem.TooMany, p.Code)
		require.True(t, p.RetryAfter.Equal(november.Add(account.LoginsPerVisitor.Per)))
		requireNoLogin(t, errOf(s.Accounts.XLogin(t.Context(), "one-more")))
	})
	// Each login is a call that X counts, from however many networks they come.
	each(t, "for all visitors together", func(t *testing.T, s *store.DB) {
		beginXLogin(t, s, "hers")
		require.NoError(t, s.Exec("UPDATE rate_windows SET used = ? WHERE bucket = 'x-login:all'", account.LoginsOverall.Most-1))
		beginXLogin(t, s, "his")
		err := s.Accounts.BeginXLogin(t.Context(), account.XLogin{ID: "one-more", State: account.Asking, CreatedAt: november, ExpiresAt: november}, "a network of its own")
		require.Equal(t, problem.TooMany, problem.CodeOf(err))
		require.Equal(t, 2, s.Count(t, "x_logins"))
		require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket LIKE '%a network of its own'"), "what was refused was not counted")
	})
}

func requireHidden(t *testing.T, s *store.DB, words ...string) {
	t.Helper()
	for _, table := range []string{"x_logins", "secrets"} {
		stored := s.Dump(t, table)
		for _, word := range words {
			require.NotContains(t, stored, word)
		}
	}
}

// Proves: V10.1.2
func TestOnlyTheBrowserThatLeftReturnsAndOnlyInTime(t *testing.T) {
	t.Parallel()
	last := november.Add(account.XLoginLife - time.Microsecond)
	cases := map[string]struct {
		browser, token string
		at             time.Time
		returns        bool
	}{
		"the one that left":            {"hers", "her-token", november, true},
		"in the last microsecond":      {"hers", "her-token", last, true},
		"too late on the dot":          {"hers", "her-token", last.Add(time.Microsecond), false},
		"another browser":              {"somebody's", "her-token", november, false},
		"no cookie":                    {"", "her-token", november, false},
		"an unknown token":             {"hers", "no-token", november, false},
		"the token of another's login": {"hers", "his-token", november, false},
		"her token in his browser":     {"his", "her-token", november, false},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				her, his := sendAway(t, s, "hers", name+"her-token"), sendAway(t, s, "his", name+"his-token")
				back, err := comeBack(t, s, tt.browser, name+tt.token, "proof", tt.at)
				if tt.returns {
					require.NoError(t, err)
					require.Equal(t, her.ID, back.ID)
					_, err = comeBack(t, s, tt.browser, name+tt.token, "proof", tt.at)
					requireNoLogin(t, err)
				} else {
					requireNoLogin(t, err)
					requireAway(t, s, her.ID)
				}
				requireAway(t, s, his.ID)
			})
		}
	})
}

func requireAway(t *testing.T, s *store.DB, id string) {
	t.Helper()
	require.Equal(t, account.Away, must(s.Accounts.XLogin(t.Context(), id))(t).State)
}
