package store_test

import (
	"fmt"
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

// issue mails a login code to an account, or a decoy to nobody.
func issue(t *testing.T, s *store.DB, subject string, known *account.Account, code string, at time.Time) string {
	t.Helper()
	order := account.NewCode{
		Purpose: account.ForLogin, Subject: subject, Visitor: "visitor of " + subject, Account: known, Code: code,
		Facts: map[string]string{"Code": code},
	}
	if known != nil {
		order.Address = *known.Email
	}
	letterID, err := s.Accounts.IssueCode(t.Context(), order, at)
	require.NoError(t, err)
	return letterID
}

func guess(t *testing.T, s *store.DB, subject, code string, at time.Time) error {
	t.Helper()
	_, err := s.Accounts.RedeemLogin(t.Context(),
		account.Guess{Purpose: account.ForLogin, Subject: subject, Visitor: "guesser of " + subject, Code: code},
		account.NewSession{Token: account.NewToken(), Provider: account.ByEmail}, at)
	return err
}

func requireWrong(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, problem.CodeWrong, problem.CodeOf(err), "%v", err)
}

func TestCodeOpensOneSession(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		_, before := openSession(t, s, account.NewSession{AccountID: ada.ID}, november)
		issue(t, s, "ada", &ada, right, november)
		token := account.NewToken()
		opened, err := s.Accounts.RedeemLogin(t.Context(),
			account.Guess{Purpose: account.ForLogin, Subject: "ada", Visitor: "v", Code: right},
			account.NewSession{Token: token, Provider: account.ByEmail, Replaces: before}, november)
		require.NoError(t, err)
		require.Equal(t, ada.ID, opened.AccountID)
		require.Equal(t, ada.ID, login(t, s, token, november).Account.ID)
		require.Nil(t, login(t, s, before, november))

		requireWrong(t, guess(t, s, "ada", right, november))
		require.Equal(t, 1, s.Count(t, "sessions"))
	})
}

func TestCodes(t *testing.T) {
	t.Parallel()
	type guesses = []string
	cases := map[string]struct {
		before guesses // wrong ones
		code   string
		after  time.Duration
		opens  bool
	}{
		"the right one, at once":                 {code: right, opens: true},
		"the right one, after four wrong ones":   {before: guesses{wrong, "", "12345", wrong}, code: right, opens: true},
		"the right one, after five wrong ones":   {before: guesses{wrong, wrong, wrong, wrong, wrong}, code: right},
		"the right one, in the last microsecond": {code: right, after: account.CodeLife - time.Microsecond, opens: true},
		"the right one, too late on the dot":     {code: right, after: account.CodeLife},
		"a wrong one":                            {code: wrong},
		"what could not be read as a code":       {code: ""},
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
				if tt.opens {
					require.NoError(t, err)
					require.Len(t, sessionIDs(t, s, ada.ID), 1)
					return
				}
				requireWrong(t, err)
				require.Empty(t, sessionIDs(t, s, ada.ID))
			})
		}
	})
}

// Whoever guesses fifty at once has no more luck than with five, one after the other.
// Proves: F36 seeded
func TestGuessesAtOnceAreCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		draw := testseed.New(t)
		for round := range 5 {
			subject := fmt.Sprintf("person %d", round)
			ada := emailAccount(t, s, fmt.Sprintf("ada%d", round), fmt.Sprintf("ada%d@example.com", round))
			issue(t, s, subject, &ada, right, november)
			guesses, place := make([]string, 50), draw.IntN(50)
			for i := range guesses {
				guesses[i] = fmt.Sprintf("%06d", i)
			}
			guesses[place] = right
			sessions := s.Count(t, "sessions")
			opened := guessAll(t, s, subject, guesses)
			require.LessOrEqual(t, opened, 1)
			require.Equal(t, sessions+opened, s.Count(t, "sessions"))

			tries := s.Number(t, "SELECT tries FROM login_codes WHERE subject = ?", subject)
			require.LessOrEqual(t, tries, account.CodeTries)
			if opened == 0 {
				require.Equal(t, account.CodeTries, tries)
			}
		}
	})
}

func guessAll(t *testing.T, s *store.DB, subject string, guesses []string) (opened int) {
	t.Helper()
	return atOnce(t, len(guesses), func(i int) error { return guess(t, s, subject, guesses[i], november) }, problem.CodeWrong)
}

// Proves: F36, V15.4.2
func TestRightCodeAtOnceOpensOneSession(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		issue(t, s, "ada", &ada, right, november)
		require.Equal(t, 1, guessAll(t, s, "ada", []string{right, right, right, right, right, right, right, right}))
		require.Equal(t, 1, s.Count(t, "sessions"))
	})
}

func TestNewerCodeVoidsTheOlder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, bea := emailAccount(t, s, "ada", "ada@example.com"), emailAccount(t, s, "bea", "bea@example.com")
		issue(t, s, "ada", &ada, "111111", november)
		issue(t, s, "bea", &bea, "333333", november)
		for range 5 {
			requireWrong(t, guess(t, s, "ada", wrong, november))
		}
		issue(t, s, "ada", &ada, "222222", november)
		requireWrong(t, guess(t, s, "ada", "111111", november))
		requireWrong(t, guess(t, s, "ada", "333333", november))
		require.NoError(t, guess(t, s, "ada", "222222", november), "with tries of its own")
		require.NoError(t, guess(t, s, "bea", "333333", november), "another's stays good")
	})
}

func TestCodeIsReadableNowhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		letterID := issue(t, s, "ada", &ada, right, november)
		for _, table := range []string{"login_codes", "letters", "secrets"} {
			require.NotContains(t, s.Dump(t, table), right)
			require.NotContains(t, s.Dump(t, table), "ada@example.com")
		}
		l, content, err := s.Emails.Letter(t.Context(), letterID)
		require.NoError(t, err)
		require.Equal(t, email.LoginCode, l.Kind)
		require.True(t, l.ExpiresAt.Equal(november.Add(account.CodeLife)))
		require.Equal(t, email.Content{To: "ada@example.com", Facts: map[string]string{"Code": right}}, content)
	})
}

func TestCodeOutlivesAChangeOfKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		k1 := newKey(t, "k1")
		s.UseKeys(ringOf(t, k1))
		ada := emailAccount(t, s, "ada", "ada@example.com")
		issue(t, s, "ada", &ada, right, november)
		s.UseKeys(ringOf(t, newKey(t, "k2")+","+k1))
		requireWrong(t, guess(t, s, "ada", wrong, november))
		require.NoError(t, guess(t, s, "ada", right, november))
	})
}

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
