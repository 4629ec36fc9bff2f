package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

const right, wrong = "123456", "654321"

// asker returns a visitor with a network of that name, or a founder if it is empty.
func asker(name string) account.Asker {
	if name == "" {
		return account.Asker{Founder: true}
	}
	return account.Asker{Visitor: name, Networks: []string{name}}
}

// issue emails a login code to an account, or pretends to if known is nil.
func issue(t *testing.T, s *store.DB, subject string, known *account.Account, code string, at time.Time) string {
	t.Helper()
	order := account.NewCode{
		Purpose: account.ForLogin, Subject: subject, Asker: asker("visitor of " + subject), Account: known, Code: code,
		Facts: map[string]string{"Code": code},
	}
	if known != nil {
		order.Address = *known.Email
	}
	return must(s.Accounts.IssueCode(t.Context(), order, at))(t)
}

func guess(t *testing.T, s *store.DB, subject, code string, at time.Time) error {
	t.Helper()
	return errOf(s.Accounts.RedeemLogin(t.Context(),
		account.Guess{Purpose: account.ForLogin, Subject: subject, Asker: asker("guesser of " + subject), Code: code},
		account.NewSession{Token: account.NewToken(), Provider: account.ByEmail}, at))
}

func requireWrong(t *testing.T, err error) {
	t.Helper()
	requireCode(t, problem.CodeWrong, err)
}

// Proves: F36, V15.4.2, V2.4.1-logins
func TestLoginCodes(t *testing.T) {
	t.Parallel()
	each(t, "a code opens one session", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		_, before := openSession(t, s, account.NewSession{AccountID: ada.ID}, november)
		issue(t, s, "ada", &ada, right, november)
		token := account.NewToken()
		opened := must(s.Accounts.RedeemLogin(t.Context(), account.Guess{Purpose: account.ForLogin, Subject: "ada", Asker: asker("v"), Code: right},
			account.NewSession{Token: token, Provider: account.ByEmail, Replaces: before}, november))(t)
		require.Equal(t, []any{ada.ID, ada.ID}, []any{opened.AccountID, login(t, s, token, november).Account.ID})
		require.Nil(t, login(t, s, before, november))
		requireWrong(t, guess(t, s, "ada", right, november))
		require.Equal(t, 1, s.Count(t, "sessions"))
	})
	each(t, "a newer code voids the older one", func(t *testing.T, s *store.DB) {
		ada, bea := emailAccount(t, s, "ada", "ada@example.com"), emailAccount(t, s, "bea", "bea@example.com")
		issue(t, s, "ada", &ada, "111111", november)
		issue(t, s, "bea", &bea, "333333", november)
		for range 5 {
			requireWrong(t, guess(t, s, "ada", wrong, november))
		}
		issue(t, s, "ada", &ada, "222222", november)
		for _, code := range []string{"111111", "333333"} {
			requireWrong(t, guess(t, s, "ada", code, november))
		}
		require.NoError(t, guess(t, s, "ada", "222222", november), "with tries of its own")
		require.NoError(t, guess(t, s, "bea", "333333", november), "another's stays good")
	})
	each(t, "a code is stored unreadable", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		emailID := issue(t, s, "ada", &ada, right, november)
		for _, table := range []string{"login_codes", "emails", "secrets"} {
			require.NotContains(t, s.Dump(t, table), right)
			require.NotContains(t, s.Dump(t, table), "ada@example.com")
		}
		l, content := must2(s.Emails.Email(t.Context(), emailID))(t)
		require.Equal(t, email.LoginCode, l.Kind)
		require.True(t, l.ExpiresAt.Equal(november.Add(account.CodeLife)))
		require.Equal(t, email.Content{To: "ada@example.com", Facts: map[string]string{"Code": right}}, content)
	})
	each(t, "a code outlives a key rotation", func(t *testing.T, s *store.DB) {
		k1 := newKey(t, "k1")
		s.UseKeys(ringOf(t, k1))
		ada := emailAccount(t, s, "ada", "ada@example.com")
		issue(t, s, "ada", &ada, right, november)
		s.UseKeys(ringOf(t, newKey(t, "k2")+","+k1))
		requireWrong(t, guess(t, s, "ada", wrong, november))
		require.NoError(t, guess(t, s, "ada", right, november))
	})
	// No row, limit or answer reveals who has an account.
	each(t, "an unknown name is treated like a known one", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		somebody := traces(t, s, "ada", &ada)
		require.Equal(t, somebody, traces(t, s, "nobody", nil))
		require.Equal(t, traces(t, s, "eve", nil), somebody)
	})
	each(t, "the right decoy code opens nothing", func(t *testing.T, s *store.DB) {
		emailID := issue(t, s, "nobody", nil, right, november)
		requireWrong(t, guess(t, s, "nobody", right, november))
		require.Zero(t, s.Count(t, "sessions"))
		require.Equal(t, 1, s.Number(t, "SELECT tries FROM login_codes"), "it counts like any")
		_, content := must2(s.Emails.Email(t.Context(), emailID))(t)
		require.Empty(t, content.To)
		must(s.Emails.EndEmail(t.Context(), emailID, email.Skipped, "", "", november))(t)
		require.Zero(t, s.Count(t, "secrets"))
	})
	// A code is only valid for its purpose.
	each(t, "a code of one purpose is worthless for the other", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		proveAddress(t, s, ada, "new@example.com")
		requireWrong(t, guess(t, s, ada.ID, right, november))
		issue(t, s, ada.ID, &ada, "222222", november)
		requireWrong(t, redeemAddress(t, s, ada, "222222"))
		require.NoError(t, redeemAddress(t, s, ada, right), "a code for one leaves the other's alone")
		require.NoError(t, guess(t, s, ada.ID, "222222", november))
	})
	each(t, "codes are limited", func(t *testing.T, s *store.DB) {
		ask := func(subject, visitor string) error {
			return errOf(s.Accounts.IssueCode(t.Context(), account.NewCode{Purpose: account.ForLogin, Subject: subject, Asker: asker(visitor), Code: right}, november))
		}
		for i := range account.CodesPerNetwork.Most {
			require.NoError(t, ask(fmt.Sprint("subject ", i), "busy"))
		}
		emails := s.Count(t, "emails")
		for range account.CodesForSubject.PerNetwork.Most + 1 {
			require.Equal(t, problem.TooMany, problem.CodeOf(ask("ada", "busy")))
		}
		require.Equal(t, emails, s.Count(t, "emails"))
		for range account.CodesForSubject.PerNetwork.Most {
			require.NoError(t, ask("ada", "calm"), "what was refused used nothing up")
		}
		require.Equal(t, problem.TooMany, problem.CodeOf(ask("ada", "calm")))
	})
	each(t, "guesses are limited across accounts", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		issue(t, s, "ada", &ada, right, november)
		try := func(subject, code string) error {
			return errOf(s.Accounts.RedeemLogin(t.Context(), account.Guess{Purpose: account.ForLogin, Subject: subject, Asker: asker("v"), Code: code},
				account.NewSession{Token: account.NewToken(), Provider: account.ByEmail}, november))
		}
		for i := range account.GuessesPerNetwork.Most {
			requireWrong(t, try(fmt.Sprint("subject ", i), right))
		}
		require.Equal(t, problem.TooMany, problem.CodeOf(try("eve", right)))
		require.NoError(t, try("ada", right), "the browser that requested a code may use it, whatever its network did")
	})
	// A stranger has the name or the address, but another browser.
	each(t, "strangers neither void a code nor use up its attempts", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		from := func(browser, network string) account.Asker {
			return account.Asker{Browser: browser, Networks: []string{network}}
		}
		ask := func(a account.Asker, code string) error {
			return errOf(s.Accounts.IssueCode(t.Context(), account.NewCode{
				Purpose: account.ForLogin, Subject: "ada", Asker: a, Account: &ada, Address: *ada.Email, Code: code,
			}, november))
		}
		try := func(a account.Asker, code string, session account.NewSession) error {
			session.Token, session.Provider = account.NewToken(), account.ByEmail
			return errOf(s.Accounts.RedeemLogin(t.Context(), account.Guess{Purpose: account.ForLogin, Subject: "ada", Asker: a, Code: code}, session, november))
		}
		require.NoError(t, ask(from("hers", "home"), right))
		for range account.CodeTries + 1 {
			requireWrong(t, try(from("a stranger's", "elsewhere"), right, account.NewSession{}))
		}
		for i := range 6 * account.CodesForSubject.PerNetwork.Most {
			_ = ask(from("a stranger's", fmt.Sprint("network ", i%6)), wrong)
		}
		requireCode(t, problem.TooMany, ask(from("a stranger's", "network 1"), wrong))
		require.NoError(t, try(from("hers", "home"), right, account.NewSession{Browser: "her next"}))

		require.NoError(t, ask(from("new", "a new network"), right), "a new browser in a new network has capacity of its own")
		requireCode(t, problem.TooMany, ask(from("new", "a new network"), right))
		for range account.CodesPerBrowser.Most {
			require.NoError(t, ask(from("her next", "network 1"), right), "and a known browser, wherever it is")
		}
		requireCode(t, problem.TooMany, ask(from("her next", "home"), right))
	})
}

func TestCodes(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		before []string // wrong codes
		code   string
		after  time.Duration
		opens  bool
	}{
		"correct at once":                 {code: right, opens: true},
		"correct after four wrong ones":   {before: []string{wrong, "", "12345", wrong}, code: right, opens: true},
		"correct after five wrong ones":   {before: []string{wrong, wrong, wrong, wrong, wrong}, code: right},
		"correct in the last microsecond": {code: right, after: account.CodeLife - time.Microsecond, opens: true},
		"correct, exactly at its expiry":  {code: right, after: account.CodeLife},
		"wrong":                           {code: wrong},
		"not a code":                      {code: ""},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				ada := emailAccount(t, s, name, name+"@example.com")
				issue(t, s, name, &ada, right, november)
				for _, code := range tt.before {
					requireWrong(t, guess(t, s, name, code, november))
				}
				err := guess(t, s, name, tt.code, november.Add(tt.after))
				require.Equal(t, []bool{tt.opens, tt.opens}, []bool{err == nil, len(sessionIDs(t, s, ada.ID)) == 1})
				if !tt.opens {
					requireWrong(t, err)
				}
			})
		}
	})
}

// TestConcurrentCodeAttempts makes 50 attempts at once, which must open no more than five in sequence.
// Proves: F36 seeded
func TestConcurrentCodeAttempts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		draw := testseed.New(t)
		for round := range 5 {
			subject := fmt.Sprintf("person %d", round)
			ada := emailAccount(t, s, subject, fmt.Sprintf("ada%d@example.com", round))
			issue(t, s, subject, &ada, right, november)
			guesses, sessions := make([]string, 50), s.Count(t, "sessions")
			for i := range guesses {
				guesses[i] = fmt.Sprintf("%06d", i)
			}
			guesses[draw.IntN(25)], guesses[25+draw.IntN(25)] = right, right
			opened := atOnce(t, len(guesses), func(i int) error { return guess(t, s, subject, guesses[i], november) }, problem.CodeWrong)
			require.LessOrEqual(t, opened, 1)
			require.Equal(t, sessions+opened, s.Count(t, "sessions"))
			tries := s.Number(t, "SELECT tries FROM login_codes WHERE subject = ?", subject)
			require.LessOrEqual(t, tries, account.CodeTries)
			require.True(t, opened == 1 || tries == account.CodeTries)
		}
	})
}

func proveAddress(t *testing.T, s *store.DB, a account.Account, address string) (emailID string) {
	t.Helper()
	return must(s.Accounts.IssueCode(t.Context(), account.NewCode{
		Purpose: account.ForAddress, Subject: a.ID, Asker: asker("v"), Account: &a, Address: address, Code: right,
	}, november))(t)
}

func redeemAddress(t *testing.T, s *store.DB, a account.Account, code string) error {
	t.Helper()
	return s.Accounts.RedeemAddress(t.Context(), account.Guess{Purpose: account.ForAddress, Subject: a.ID, Asker: asker("v"), Code: code},
		account.Undo{Token: account.NewToken()}, "", november)
}

func TestAddressCodes(t *testing.T) {
	t.Parallel()
	each(t, "an address is set by the code that was sent to it", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		emailID := proveAddress(t, s, grace, "grace@example.com")
		l, content := must2(s.Emails.Email(t.Context(), emailID))(t)
		require.Equal(t, email.AddressCode, l.Kind)
		require.Equal(t, "grace@example.com", content.To)
		requireWrong(t, redeemAddress(t, s, grace, wrong))
		require.Nil(t, must(s.Accounts.AccountByEmail(t.Context(), "grace@example.com"))(t))
		require.NoError(t, redeemAddress(t, s, grace, right))
		found := must(s.Accounts.AccountByEmail(t.Context(), "grace@example.com"))(t)
		require.Equal(t, []any{grace.ID, grace.XUserID}, []any{found.ID, found.XUserID})
		requireWrong(t, redeemAddress(t, s, grace, right))
		require.Zero(t, s.Count(t, "sessions"))
	})
	each(t, "another account's address is not taken", func(t *testing.T, s *store.DB) {
		emailAccount(t, s, "ada", "ada@example.com")
		grace := xAccount(t, s, "1", "grace")
		proveAddress(t, s, grace, "grace@example.com")
		require.NoError(t, redeemAddress(t, s, grace, right))
		proveAddress(t, s, grace, "ada@example.com")
		before := s.Dump(t, "accounts") + s.Dump(t, "login_codes")
		err := redeemAddress(t, s, grace, right)
		requireCode(t, problem.Conflict, err)
		require.NotContains(t, err.Error(), "@")
		require.Equal(t, before, s.Dump(t, "accounts")+s.Dump(t, "login_codes"))
	})
}

// changeAddress sets an account's address, and returns the token that undoes it.
func changeAddress(t *testing.T, s *store.DB, a account.Account, address, keep string, at time.Time) (undo string) {
	t.Helper()
	undo = account.NewToken()
	must(s.Accounts.IssueCode(t.Context(), account.NewCode{Purpose: account.ForAddress, Subject: a.ID, Account: &a, Address: address, Code: right}, at))(t)
	require.NoError(t, s.Accounts.RedeemAddress(t.Context(), account.Guess{Purpose: account.ForAddress, Subject: a.ID, Code: right},
		account.Undo{Token: undo, Facts: map[string]string{"UndoURL": undo}}, keep, at))
	return undo
}

// Proves: S-address
func TestAddressChanges(t *testing.T) {
	t.Parallel()
	addressOf := func(t *testing.T, s *store.DB, a account.Account) string {
		t.Helper()
		return *must(s.Accounts.AccountByID(t.Context(), a.ID))(t).Email
	}
	each(t, "a change ends the other sessions and is reported to the previous address", func(t *testing.T, s *store.DB) {
		ada, eve := emailAccount(t, s, "ada", "ada@example.com"), emailAccount(t, s, "eve", "eve@example.com")
		current, _ := openSession(t, s, account.NewSession{AccountID: ada.ID}, november)
		openSession(t, s, account.NewSession{AccountID: ada.ID}, november)
		openSession(t, s, account.NewSession{AccountID: ada.ID, Scope: account.ScopeCredentials}, november)
		openSession(t, s, account.NewSession{AccountID: eve.ID}, november)
		undo := changeAddress(t, s, ada, "new@example.com", current.ID, november)
		require.Equal(t, []string{current.ID}, sessionIDs(t, s, ada.ID))
		require.Len(t, sessionIDs(t, s, eve.ID), 1)
		require.Equal(t, "new@example.com", addressOf(t, s, ada))
		emails := must(s.Emails.WaitingEmails(t.Context(), true))(t)
		m, content := must2(s.Emails.Email(t.Context(), emails[len(emails)-1].ID))(t)
		require.Equal(t, email.AddressChanged, m.Kind)
		require.Equal(t, email.Content{To: "ada@example.com", Facts: map[string]string{"UndoURL": undo}}, content)
		require.NotContains(t, s.Dump(t, "address_changes"), undo)
	})
	each(t, "the link restores the address once, and only in time", func(t *testing.T, s *store.DB) {
		last := november.Add(account.UndoLife - time.Microsecond)
		for at, works := range map[time.Time]bool{november: true, last: true, last.Add(time.Microsecond): false} {
			name := at.Format("02-15-04-05.000000")
			ada := emailAccount(t, s, name, name+"@example.com")
			undo := changeAddress(t, s, ada, "new"+name+"@example.com", "", november)
			openSession(t, s, account.NewSession{AccountID: ada.ID, Browser: "thief of " + name}, november)
			err := s.Accounts.UndoAddress(t.Context(), undo, at)
			if !works {
				requireWrong(t, err)
				require.Equal(t, "new"+name+"@example.com", addressOf(t, s, ada))
				continue
			}
			require.NoError(t, err)
			require.Equal(t, name+"@example.com", addressOf(t, s, ada))
			require.Empty(t, sessionIDs(t, s, ada.ID))
			require.Zero(t, s.Number(t, "SELECT count(*) FROM devices WHERE account_id = ?", ada.ID))
			requireWrong(t, s.Accounts.UndoAddress(t.Context(), undo, at))
		}
		requireWrong(t, s.Accounts.UndoAddress(t.Context(), account.NewToken(), november))
	})
	// The second change makes the thief the owner of a previous address.
	each(t, "the first owner has the last word", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		undo := changeAddress(t, s, ada, "thief@example.com", "", november)
		thiefs := changeAddress(t, s, must(s.Accounts.AccountByID(t.Context(), ada.ID))(t), "other@example.com", "", november.Add(time.Minute))
		require.NoError(t, s.Accounts.UndoAddress(t.Context(), undo, november.Add(time.Hour)))
		requireWrong(t, s.Accounts.UndoAddress(t.Context(), thiefs, november.Add(time.Hour)))
		require.Equal(t, "ada@example.com", addressOf(t, s, ada))
	})
	each(t, "an address that another account uses now is not taken from it", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		undo := changeAddress(t, s, ada, "new@example.com", "", november)
		emailAccount(t, s, "eve", "ada@example.com")
		requireCode(t, problem.Conflict, s.Accounts.UndoAddress(t.Context(), undo, november))
		require.Equal(t, "new@example.com", addressOf(t, s, ada))
	})
}

// welcomed returns a new member's account and the token of its welcome email.
func welcomed(t *testing.T, s *store.DB, name, address string) (a account.Account, token string) {
	t.Helper()
	token = account.NewToken()
	require.NoError(t, s.Members.AddMember(t.Context(), newcomer(name), &account.Welcome{Email: address, Token: token}))
	return *must(s.Accounts.AccountByEmail(t.Context(), address))(t), token
}

func claim(t *testing.T, s *store.DB, token string, at time.Time) (account.Session, error) {
	t.Helper()
	return s.Accounts.RedeemActivationLink(t.Context(), token, account.NewSession{Token: account.NewToken(), Provider: account.ByEmail}, at)
}

// Proves: V15.4.2, V2.3.3
func TestActivationLinks(t *testing.T) {
	t.Parallel()
	each(t, "a link works once, and only in time", func(t *testing.T, s *store.DB) {
		last := november.Add(account.ActivationLinkLife - time.Microsecond)
		for at, works := range map[time.Time]bool{november: true, last: true, last.Add(time.Microsecond): false} {
			ada, token := welcomed(t, s, "ada "+at.String(), at.String()+"ada@example.com")
			bea, other := welcomed(t, s, "bea "+at.String(), at.String()+"bea@example.com")
			session, err := claim(t, s, token, at)
			if works {
				require.NoError(t, err, at)
				require.Equal(t, ada.ID, session.AccountID)
				err = errOf(claim(t, s, token, at))
			}
			requireWrong(t, err)
			require.Equal(t, works, len(sessionIDs(t, s, ada.ID)) == 1, at)
			require.Equal(t, bea.ID, must(claim(t, s, other, november))(t).AccountID, "another's link is another's")
		}
	})
	each(t, "an unknown link opens nothing", func(t *testing.T, s *store.DB) {
		_, token := welcomed(t, s, "ada", "ada@example.com")
		require.NotContains(t, s.Dump(t, "activation_links"), token)
		for _, guess := range []string{"", account.NewToken(), account.Hash(token)} {
			requireWrong(t, errOf(claim(t, s, guess, november)))
		}
		require.Zero(t, s.Count(t, "sessions"))
	})
	each(t, "a link used many times at once works once", func(t *testing.T, s *store.DB) {
		_, token := welcomed(t, s, "ada", "ada@example.com")
		require.Equal(t, 1, atOnce(t, 20, func(int) error { return errOf(claim(t, s, token, november)) }, problem.CodeWrong))
		require.Equal(t, 1, s.Count(t, "sessions"))
	})
	// A refused login does not use up the link.
	each(t, "a link whose session fails stays valid", func(t *testing.T, s *store.DB) {
		_, token := welcomed(t, s, "ada", "ada@example.com")
		require.Error(t, errOf(s.Accounts.RedeemActivationLink(t.Context(), token, account.NewSession{Token: account.NewToken(), Provider: "nothing"}, november)))
		must(claim(t, s, token, november))(t)
	})
}

// traces returns the rows, limits and answers that five codes and some attempts leave.
func traces(t *testing.T, s *store.DB, subject string, known *account.Account) (left []string) {
	t.Helper()
	tables, before := []string{"login_codes", "emails", "secrets", "rate_windows", "sessions"}, map[string]int{}
	for _, table := range tables {
		before[table] = s.Count(t, table)
	}
	for range account.CodesForSubject.PerNetwork.Most {
		issue(t, s, subject, known, right, november)
	}
	order := account.NewCode{Purpose: account.ForLogin, Subject: subject, Asker: asker("visitor of " + subject), Account: known}
	errs := []error{errOf(s.Accounts.IssueCode(t.Context(), order, november))}
	for range account.CodeTries + 1 {
		errs = append(errs, guess(t, s, subject, wrong, november))
	}
	for _, err := range append(errs, guess(t, s, subject, right, november)) {
		p, ok := errors.AsType[*problem.Error](err)
		require.True(t, ok, "%v", err)
		left = append(left, strings.Join([]string{string(p.Code), p.Message, p.RetryAfter.UTC().String()}, " "))
	}
	for _, table := range tables {
		left = append(left, fmt.Sprint(table, s.Count(t, table)-before[table]))
	}
	return append(left, fmt.Sprint("tries", s.Number(t, "SELECT sum(tries) FROM login_codes WHERE subject = ?", subject)))
}
