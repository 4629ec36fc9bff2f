package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// Whoever asks for codes learns from no row, limit or answer who has an account.
func TestNobodyIsTreatedLikeSomebody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		somebody := traces(t, s, "ada", &ada)
		require.Equal(t, somebody, traces(t, s, "nobody", nil))
		require.Equal(t, traces(t, s, "eve", nil), somebody)
	})
}

// traces are what five codes and a few guesses leave behind, and are answered with.
func traces(t *testing.T, s *store.DB, subject string, known *account.Account) (left []string) {
	t.Helper()
	tables := []string{"login_codes", "letters", "secrets", "rate_windows", "sessions"}
	before := map[string]int{}
	for _, table := range tables {
		before[table] = s.Count(t, table)
	}
	note := func(err error) {
		p, ok := errors.AsType[*problem.Error](err)
		require.True(t, ok, "%v", err)
		left = append(left, strings.Join([]string{string(p.Code), p.Message, p.RetryAfter.UTC().String()}, " "))
	}
	for range account.CodesPerSubject.Most {
		issue(t, s, subject, known, right, november)
	}
	_, err := s.Accounts.IssueCode(t.Context(), account.NewCode{Purpose: account.ForLogin, Subject: subject, Visitor: "v", Account: known}, november)
	note(err)
	for range account.CodeTries + 1 {
		note(guess(t, s, subject, wrong, november))
	}
	note(guess(t, s, subject, right, november))
	for _, table := range tables {
		left = append(left, fmt.Sprint(table, s.Count(t, table)-before[table]))
	}
	return append(left, fmt.Sprint("tries", s.Number(t, "SELECT sum(tries) FROM login_codes WHERE subject = ?", subject)))
}

func TestRightDecoyCodeOpensNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		letterID := issue(t, s, "nobody", nil, right, november)
		requireWrong(t, guess(t, s, "nobody", right, november))
		require.Zero(t, s.Count(t, "sessions"))
		require.Equal(t, 1, s.Number(t, "SELECT tries FROM login_codes"), "it counts like any")
		_, content, err := s.Emails.Letter(t.Context(), letterID)
		require.NoError(t, err)
		require.Empty(t, content.To)
		_, err = s.Emails.EndLetter(t.Context(), letterID, email.Void, "", "", november)
		require.NoError(t, err)
		require.Zero(t, s.Count(t, "secrets"))
	})
}

// Proves: V2.4.1-logins
func TestCodesAreLimited(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ask := func(subject, visitor string) error {
			_, err := s.Accounts.IssueCode(t.Context(), account.NewCode{Purpose: account.ForLogin, Subject: subject, Visitor: visitor, Code: right}, november)
			return err
		}
		for i := range account.CodesPerVisitor.Most {
			require.NoError(t, ask(fmt.Sprint("subject ", i), "busy"))
		}
		letters := s.Count(t, "letters")
		for range account.CodesPerSubject.Most + 1 {
			require.Equal(t, problem.TooMany, problem.CodeOf(ask("ada", "busy")))
		}
		require.Equal(t, letters, s.Count(t, "letters"))
		for range account.CodesPerSubject.Most {
			require.NoError(t, ask("ada", "calm"), "what was refused used nothing up")
		}
		require.Equal(t, problem.TooMany, problem.CodeOf(ask("ada", "calm")))
	})
}

// Proves: V2.4.1-logins
func TestGuessesAreLimitedAcrossPeople(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		issue(t, s, "ada", &ada, right, november)
		try := func(subject, code string) error {
			_, err := s.Accounts.RedeemLogin(t.Context(), account.Guess{Purpose: account.ForLogin, Subject: subject, Visitor: "v", Code: code},
				account.NewSession{Token: account.NewToken(), Provider: account.ByEmail}, november)
			return err
		}
		for i := range account.GuessesPerVisitor.Most {
			requireWrong(t, try(fmt.Sprint("subject ", i), right))
		}
		require.Equal(t, problem.TooMany, problem.CodeOf(try("ada", right)))
		require.Zero(t, s.Number(t, "SELECT tries FROM login_codes"), "a stranger cannot use up her tries then")
		require.NoError(t, guess(t, s, "ada", right, november), "from another network")
	})
}
