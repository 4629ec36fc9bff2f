package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// concerned gives the store a founder and two members who can be written to.
func concerned(t *testing.T, s *store.DB) (ada *string) {
	t.Helper()
	join := func(name string) *string {
		require.NoError(t, s.Members.AddMember(t.Context(), member.Member{
			ID: name, Username: name, UsernameKey: name, Status: member.StatusActive, PaymentCents: 900, JoinedAt: november,
		}, &account.Welcome{Email: name + "@example.com", Token: account.NewToken()}))
		return &name
	}
	ada = join("ada")
	join("eve")
	founder, err := s.Accounts.XAccount(t.Context(), "1", "grace", november)
	require.NoError(t, err)
	_, err = s.Accounts.IssueCode(t.Context(), account.NewCode{
		Purpose: account.ForAddress, Subject: "grace", Visitor: "v", Account: &founder, Address: "grace@example.com", Code: "123456",
	}, november)
	require.NoError(t, err)
	require.NoError(t, s.Accounts.RedeemAddress(t.Context(), account.Guess{
		Purpose: account.ForAddress, Subject: "grace", Visitor: "v", Code: "123456",
	}, november))
	return ada
}

// told lists to whom e-mails about trouble wait.
func told(t *testing.T, s *store.DB) (addresses []string) {
	t.Helper()
	waiting, err := s.Emails.WaitingLetters(t.Context(), true)
	require.NoError(t, err)
	for _, l := range waiting {
		if l.Kind == email.PostTrouble {
			_, content, err := s.Emails.Letter(t.Context(), l.ID)
			require.NoError(t, err)
			require.NotEmpty(t, content.Facts["Reason"])
			addresses = append(addresses, content.To)
		}
	}
	return addresses
}

func TestTroubleIsToldToThoseWhomItConcerns(t *testing.T) {
	t.Parallel()
	refused := post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_refused", Reason: "X refused this."}
	for name, tt := range map[string]struct {
		sponsored bool
		unknown   bool
		quiet     bool // ada has unsubscribed
		told      []string
	}{
		"a member's post failed: the member":                 {sponsored: true, told: []string{"ada@example.com"}},
		"a member's post is unknown: the founders decide":    {sponsored: true, unknown: true, told: []string{"ada@example.com", "grace@example.com"}},
		"a founders' post failed: the founders":              {told: []string{"grace@example.com"}},
		"who has unsubscribed is left alone":                 {sponsored: true, quiet: true},
		"the founders are told though the member is not any": {sponsored: true, quiet: true, unknown: true, told: []string{"grace@example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				sponsor := concerned(t, s)
				if tt.quiet {
					a, err := s.Accounts.AccountByEmail(t.Context(), "ada@example.com")
					require.NoError(t, err)
					require.NoError(t, s.Accounts.SetNotices(t.Context(), a.ID, false))
				}
				if !tt.sponsored {
					sponsor = nil
				}
				p := create(t, s, sponsor, november)
				_, err := s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november)
				require.NoError(t, err)
				for range 2 { // a repeated step tells nobody twice
					if tt.unknown {
						_, err = s.Posts.DoubtPost(t.Context(), p.ID, 1, "x_unreadable", "nobody knows")
					} else {
						_, err = s.Posts.ConcludePost(t.Context(), p.ID, refused, november)
					}
					require.NoError(t, err)
				}
				require.ElementsMatch(t, tt.told, told(t, s))
			})
		})
	}
}

func TestNextTryThatFailsIsToldAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, concerned(t, s), november)
		for try := 1; try <= 2; try++ {
			_, err := s.Posts.ArmPost(t.Context(), p.ID, try, storetest.Connection(t, s), november)
			require.NoError(t, err)
			_, err = s.Posts.ConcludePost(t.Context(), p.ID, post.Verdict{Attempt: try, Outcome: post.OutcomeRefused, Reason: "no"}, november)
			require.NoError(t, err)
			require.Len(t, told(t, s), try)
			_, err = s.Posts.ReopenPost(t.Context(), p.ID, november.Add(time.Duration(try)*time.Minute))
			require.NoError(t, err)
		}
	})
}
