package store_test

import (
	"testing"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func newcomer(name string) member.Member {
	return member.Member{
		ID: xid.New().String(), Username: name, UsernameKey: member.Key(name), Status: member.StatusActive,
		PaymentCents: member.FoundingFeeCents, JoinedAt: november,
	}
}

// written are the tables that a new member may touch.
var written = []string{"members", "credit_entries", "accounts", "claims", "letters", "secrets"}

func rows(t *testing.T, s *store.DB) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, table := range written {
		counts[table] = s.Count(t, table)
	}
	return counts
}

func TestMemberWithAnAddressGetsAnAccountAndALetter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, token := newcomer("ada"), account.NewToken()
		welcome := &account.Welcome{Email: "ada@example.com", Token: token, Facts: map[string]string{"Link": "https://example.com/claim#" + token}}
		require.NoError(t, s.Members.AddMember(t.Context(), ada, welcome))
		require.Equal(t, map[string]int{
			"members": 1, "credit_entries": 1, "accounts": 1, "claims": 1, "letters": 1, "secrets": 1,
		}, rows(t, s))

		a, err := s.Accounts.AccountByEmail(t.Context(), "ada@example.com")
		require.NoError(t, err)
		require.Equal(t, ada.ID, *a.MemberID)
		waiting, err := s.Emails.WaitingLetters(t.Context(), false)
		require.NoError(t, err)
		require.Len(t, waiting, 1)
		l, content, err := s.Emails.Letter(t.Context(), waiting[0].ID)
		require.NoError(t, err)
		require.Equal(t, email.Welcome, l.Kind)
		require.Equal(t, a.ID, *l.AccountID)
		require.Equal(t, email.Content{To: "ada@example.com", Facts: welcome.Facts}, content)
		for _, table := range written {
			require.NotContains(t, s.Dump(t, table), token)
		}

		listed, err := s.Members.Members(t.Context(), "2026-11")
		require.NoError(t, err)
		require.Equal(t, "ada@example.com", listed[0].Email)
	})
}

func TestMemberWithoutAnAddressGetsNone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Members.AddMember(t.Context(), newcomer("ada"), nil))
		require.Equal(t, map[string]int{
			"members": 1, "credit_entries": 1, "accounts": 0, "claims": 0, "letters": 0, "secrets": 0,
		}, rows(t, s))
		listed, err := s.Members.Members(t.Context(), "2026-11")
		require.NoError(t, err)
		require.Empty(t, listed[0].Email)
	})
}

// Proves: V2.3.3
func TestMemberWhoCannotBeEnteredLeavesNothing(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ username, address, says string }{
		"the address is a member's":  {"bea", "ada@example.com", "this address is a member"},
		"the name is a member's":     {"ADA", "bea@example.com", "@ADA is a member"},
		"both are the same member's": {"ada", "ada@example.com", "@ada is a member"},
		"the name, and no address":   {"ada", "", "@ada is a member"},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		emailAccount(t, s, "ada", "ada@example.com")
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				before := rows(t, s)
				var welcome *account.Welcome
				if tt.address != "" {
					welcome = &account.Welcome{Email: tt.address, Token: account.NewToken()}
				}
				err := s.Members.AddMember(t.Context(), newcomer(tt.username), welcome)
				require.Equal(t, problem.MemberExists, problem.CodeOf(err), "%v", err)
				require.ErrorContains(t, err, tt.says)
				require.NotContains(t, err.Error(), "@example.com")
				require.Equal(t, before, rows(t, s))
			})
		}
	})
}

// Without keys nothing can be sealed, so nobody is entered who would never hear of it.
func TestMemberWhoseLetterCannotBeSealedIsNotEntered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		before := rows(t, s)
		s.UseKeys(nil)
		require.Error(t, s.Members.AddMember(t.Context(), newcomer("ada"), &account.Welcome{Email: "ada@example.com", Token: account.NewToken()}))
		require.Equal(t, before, rows(t, s))
	})
}

func TestFounderWhoJoinsKeepsTheirAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		require.NoError(t, s.Exec(`UPDATE accounts SET email = 'grace@example.com'`))
		joined := newcomer("grace")
		require.NoError(t, s.Members.AddMember(t.Context(), joined, &account.Welcome{Email: "grace@example.com", Token: account.NewToken()}))
		a, err := s.Accounts.AccountByID(t.Context(), grace.ID)
		require.NoError(t, err)
		require.Equal(t, joined.ID, *a.MemberID)
		require.Equal(t, account.Founder, founders.RoleOf(a, true))
		require.Equal(t, 1, s.Count(t, "accounts"))
	})
}
