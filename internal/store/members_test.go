package store_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func newcomer(name string) member.Member {
	return member.Member{
		ID: xid.New().String(), Username: name, UsernameKey: member.Key(name), Status: member.StatusActive,
		JoinedAt: november,
	}
}

// written are the tables that adding a member may change.
var written = []string{"members", "credit_entries", "accounts", "activation_links", "emails", "secrets"}

func rows(t *testing.T, s *store.DB) (counts []int) {
	t.Helper()
	for _, table := range written {
		counts = append(counts, s.Count(t, table))
	}
	return counts
}

func TestMembers(t *testing.T) {
	t.Parallel()
	each(t, "a member with an address gets an account and an email", func(t *testing.T, s *store.DB) {
		ada, token := newcomer("ada"), account.NewToken()
		welcome := &account.Welcome{Email: "ada@example.com", Token: token, Facts: map[string]string{"Link": "https://example.com/claim#" + token}}
		require.NoError(t, s.Members.AddMember(t.Context(), ada, welcome))
		require.Equal(t, []int{1, 1, 1, 1, 1, 1}, rows(t, s))
		a := must(s.Accounts.AccountByEmail(t.Context(), "ada@example.com"))(t)
		require.Equal(t, ada.ID, *a.MemberID)
		ids := waiting(t, s, false)
		require.Len(t, ids, 1)
		l, content := must2(s.Emails.Email(t.Context(), ids[0]))(t)
		require.Equal(t, []any{email.Welcome, a.ID}, []any{l.Kind, *l.AccountID})
		require.Equal(t, email.Content{To: "ada@example.com", Facts: welcome.Facts}, content)
		for _, table := range written {
			require.NotContains(t, s.Dump(t, table), token)
		}
		require.Equal(t, "ada@example.com", must(s.Members.Members(t.Context(), "2026-11"))(t)[0].Email)
	})
	each(t, "a member without an address gets none", func(t *testing.T, s *store.DB) {
		newMember(t, s, "ada")
		require.Equal(t, []int{1, 1, 0, 0, 0, 0}, rows(t, s))
		require.Empty(t, must(s.Members.Members(t.Context(), "2026-11"))(t)[0].Email)
	})
	each(t, "a founder who joins keeps the account", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		require.NoError(t, s.Exec(`UPDATE accounts SET email = 'grace@example.com'`))
		joined := newcomer("grace")
		require.NoError(t, s.Members.AddMember(t.Context(), joined, &account.Welcome{Email: "grace@example.com", Token: account.NewToken()}))
		a := must(s.Accounts.AccountByID(t.Context(), grace.ID))(t)
		require.Equal(t, joined.ID, *a.MemberID)
		require.Equal(t, account.Founder, founders.RoleOf(a, true))
		require.Equal(t, 1, s.Count(t, "accounts"))
	})
	each(t, "a member takes another name", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "zero_7f3k2")
		newMember(t, s, "Eve")
		require.Equal(t, problem.MemberExists, problem.CodeOf(s.Members.RenameMember(t.Context(), ada, "eVe")))
		must(s.Members.MemberNamed(t.Context(), "zero_7f3k2"))(t, "who was refused keeps the name")
		require.NoError(t, s.Members.RenameMember(t.Context(), ada, "Ada"))
		require.NoError(t, s.Members.RenameMember(t.Context(), ada, "ADA"), "one's own, in other letters")
		renamed := must(s.Members.MemberNamed(t.Context(), "ada"))(t)
		require.Equal(t, []string{ada, "ADA"}, []string{renamed.ID, renamed.Username})
		require.Equal(t, problem.MemberUnknown, codeOf(s.Members.MemberNamed(t.Context(), "zero_7f3k2")))
	})
	each(t, "credits are listed newest first", func(t *testing.T, s *store.DB) {
		ada, eve := *newMember(t, s, "ada"), *newMember(t, s, "eve")
		for _, kind := range []onboarding.Kind{onboarding.Tour, onboarding.Partnership} {
			must(s.Members.CompleteOnboarding(t.Context(), ada, kind, november))(t)
		}
		requireCredits(t, s, ada, 1, 3, 100, member.ReasonTour, member.ReasonGranted) // the current balance on every page
		requireCredits(t, s, eve, 0, 1, 90, member.ReasonGranted)
		requireCredits(t, s, "nobody", 0, 0, 0)
		require.Equal(t, 100, balance(t, s, &ada))
	})
}

func TestFailedAddMemberRollsBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		emailAccount(t, s, "ada", "ada@example.com")
		for name, tt := range map[string]struct{ username, address, says string }{
			"a member's address":                     {"bea", "ada@example.com", "email address already belongs to a member"},
			"a member's username":                    {"ADA", "bea@example.com", "@ADA is already a member"},
			"both of the same member":                {"ada", "ada@example.com", "@ada is already a member"},
			"a member's username without an address": {"ada", "", "@ada is already a member"},
		} {
			before := rows(t, s)
			var welcome *account.Welcome
			if tt.address != "" {
				welcome = &account.Welcome{Email: tt.address, Token: account.NewToken()}
			}
			err := s.Members.AddMember(t.Context(), newcomer(tt.username), welcome)
			require.Equal(t, problem.MemberExists, problem.CodeOf(err), "%s: %v", name, err)
			require.ErrorContains(t, err, tt.says, name)
			require.NotContains(t, err.Error(), "@example.com", name)
			require.Equal(t, before, rows(t, s), name)
		}
	})
}

func TestOnboarding(t *testing.T) {
	t.Parallel()
	each(t, "progress is kept for each member and kind", func(t *testing.T, s *store.DB) {
		ada, eve := *newMember(t, s, "ada"), *newMember(t, s, "eve")
		require.Equal(t, onboarding.Begin(ada, onboarding.Partnership), must(s.Members.Onboarding(t.Context(), ada, onboarding.Partnership))(t))

		said := onboarding.Answers{
			"vision": "A bot that\u0000 is \"honest\".", "project_excitement": []any{"fair_pricing"},
			"experience_level": map[string]any{"ai_llm": 5.0},
		}
		for step := range 4 {
			p := onboarding.Progress{MemberID: ada, Kind: onboarding.Partnership, Answers: said, Step: step + 1}
			require.NoError(t, s.Members.SaveOnboarding(t.Context(), p, november))
		}
		kept := must(s.Members.Onboarding(t.Context(), ada, onboarding.Partnership))(t)
		require.Equal(t, []any{said, 4}, []any{kept.Answers, kept.Step})
		require.Nil(t, kept.CompletedAt)

		for _, other := range []onboarding.Progress{onboarding.Begin(ada, onboarding.Tour), onboarding.Begin(eve, onboarding.Partnership)} {
			require.Equal(t, other, must(s.Members.Onboarding(t.Context(), other.MemberID, other.Kind))(t))
		}
	})
	each(t, "completing awards credits once", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "ada")
		complete := func(kind onboarding.Kind, at time.Time) int {
			return must(s.Members.CompleteOnboarding(t.Context(), ada, kind, at))(t)
		}
		progress := func() onboarding.Progress {
			return must(s.Members.Onboarding(t.Context(), ada, onboarding.Partnership))(t)
		}
		p := onboarding.Progress{MemberID: ada, Kind: onboarding.Partnership, Answers: onboarding.Answers{"vision": "Mine."}, Step: 7}
		require.NoError(t, s.Members.SaveOnboarding(t.Context(), p, november))
		require.Equal(t, 5, complete(onboarding.Partnership, november))
		require.Equal(t, 5, complete(onboarding.Tour, november), "of which nothing was saved before")
		before := progress()
		require.Equal(t, []any{12, p.Answers, november}, []any{before.Step, before.Answers, before.CompletedAt.UTC()})
		require.Zero(t, complete(onboarding.Partnership, november.Add(time.Hour)))
		require.Equal(t, before, progress(), "a repeat changes nothing")
		require.NoError(t, s.Members.SaveOnboarding(t.Context(), p, november.Add(time.Hour)))
		after := progress()
		require.Equal(t, []any{7, november}, []any{after.Step, after.CompletedAt.UTC()}, "answers may change, what is completed stays so")
		require.Zero(t, complete(onboarding.Partnership, november))
		requireCredits(t, s, ada, 0, 3, 100, member.ReasonTour, member.ReasonPartnership, member.ReasonGranted)
	})
	each(t, "completing at once awards credits once", func(t *testing.T, s *store.DB) {
		ada, sum := *newMember(t, s, "ada"), atomic.Int64{}
		kinds := []onboarding.Kind{onboarding.Tour, onboarding.Partnership}
		require.Equal(t, 60, atOnce(t, 60, func(i int) error {
			awarded, err := s.Members.CompleteOnboarding(t.Context(), ada, kinds[i%2], november)
			sum.Add(int64(awarded))
			return err
		}))
		require.EqualValues(t, 10, sum.Load())
		require.Equal(t, 100, balance(t, s, &ada))
	})
	each(t, "an unknown member completes nothing", func(t *testing.T, s *store.DB) {
		awarded, err := s.Members.CompleteOnboarding(t.Context(), "nobody", onboarding.Tour, november)
		require.Error(t, err)
		require.Equal(t, []int{0, 0, 0}, []int{awarded, s.Count(t, "onboardings"), s.Count(t, "credit_entries")})
	})
}

// requireCredits checks a page of a member's credits from offset.
func requireCredits(t *testing.T, s *store.DB, memberID string, offset, total, balance int, reasons ...member.Reason) {
	t.Helper()
	entries, gotTotal, gotBalance, err := s.Members.CreditEntries(t.Context(), memberID, 3, offset)
	require.NoError(t, err)
	var got []member.Reason
	for _, e := range entries {
		got = append(got, e.Reason)
	}
	require.Equal(t, []any{total, balance, reasons}, []any{gotTotal, gotBalance, got})
}

// TestFoundersChangeMembers covers what a founder can do for a member who cannot log in, or should not.
func TestFoundersChangeMembers(t *testing.T) {
	t.Parallel()
	welcomeTo := func(address string) account.Welcome {
		return account.Welcome{Email: address, Token: account.NewToken()}
	}
	each(t, "an address for a member without one", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "ada")
		w := welcomeTo("ada@example.com")
		require.NoError(t, s.Members.SetMemberEmail(t.Context(), ada, w, november))
		session := must(claim(t, s, w.Token, november))(t)
		require.Equal(t, ada, *must(s.Accounts.AccountByID(t.Context(), session.AccountID))(t).MemberID, "the link logs in")
		taken := *newMember(t, s, "eve")
		requireCode(t, problem.MemberExists, s.Members.SetMemberEmail(t.Context(), taken, welcomeTo("ada@example.com"), november))
		requireCode(t, problem.NotFound, s.Members.SetMemberEmail(t.Context(), "nobody", welcomeTo("x@example.com"), november))
	})
	each(t, "another address", func(t *testing.T, s *store.DB) {
		ada, first := welcomed(t, s, "ada", "ada@exmaple.com")
		must(claim(t, s, first, november))(t)
		second := welcomeTo("ada@example.com")
		require.NoError(t, s.Members.SetMemberEmail(t.Context(), *ada.MemberID, second, november))
		require.Zero(t, s.Count(t, "sessions"), "whoever logged in with the old one is logged out")
		require.Contains(t, mailTitles(t, s), "membership_changed to ada@exmaple.com: Your email address was replaced")
		must(claim(t, s, second.Token, november))(t)
		_, other := welcomed(t, s, "eve", "eve@example.com")
		requireCode(t, problem.MemberExists, s.Members.SetMemberEmail(t.Context(), *ada.MemberID, welcomeTo("eve@example.com"), november))
		must(claim(t, s, other, november))(t)
	})
	each(t, "not the address of a login with X", func(t *testing.T, s *store.DB) {
		grace, ada := founder(t, s), *newMember(t, s, "ada")
		require.NoError(t, s.Exec("UPDATE accounts SET member_id = ? WHERE id = ?", ada, grace.ID))
		requireCode(t, problem.Conflict, s.Members.SetMemberEmail(t.Context(), ada, welcomeTo("eve@example.com"), november))
		require.Equal(t, "grace@example.com", *must(s.Accounts.AccountByID(t.Context(), grace.ID))(t).Email)
	})
	each(t, "frozen and unfrozen", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		requireCode(t, problem.Conflict, s.Members.UnfreezeMember(t.Context(), *c.MemberID, november))
		require.NoError(t, s.Members.FreezeMember(t.Context(), *c.MemberID, "Spam.", november))
		requireCode(t, problem.Conflict, s.Members.FreezeMember(t.Context(), *c.MemberID, "", november))
		requireMembership(t, s, c, member.StatusFrozen, 90)
		require.Equal(t, "A founder froze this membership. Spam.", memberOf(t, s, c).WhyFrozen())
		reconcile(t, s, c, disputed)
		reconcile(t, s, c, disputeWon)
		require.Equal(t, member.StatusFrozen, memberOf(t, s, c).Status, "a won dispute does not end a founder's freeze")
		again := bought(t, s, "ada@example.com")
		require.Equal(t, checkout.CodeAlreadyMember, again.Code, "nor does a payment, which is refunded")
		require.NoError(t, s.Members.UnfreezeMember(t.Context(), *c.MemberID, november))
		requireMembership(t, s, c, member.StatusActive, 90)
		titles := mailTitles(t, s)
		for _, title := range []string{"Your membership is frozen", "We're refunding your payment", "Your membership is active again"} {
			require.Contains(t, titles, toMember+title)
		}
	})
	each(t, "unfrozen after a refund: frozen for that", func(t *testing.T, s *store.DB) {
		c := bought(t, s, "ada@example.com")
		require.NoError(t, s.Members.FreezeMember(t.Context(), *c.MemberID, "", november))
		refund(t, s, c, 765)
		require.NoError(t, s.Members.UnfreezeMember(t.Context(), *c.MemberID, november))
		require.Equal(t, []any{member.StatusFrozen, member.ByRefund}, []any{memberOf(t, s, c).Status, memberOf(t, s, c).FrozenBy})
		requireMembership(t, s, bought(t, s, "ada@example.com"), member.StatusActive, 90)
	})
	each(t, "removed", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "ada")
		require.Equal(t, ada, must(s.Members.MemberKeyed(t.Context(), "@ADA"))(t).ID)
		require.NoError(t, s.Members.RemoveMember(t.Context(), ada))
		requireCode(t, problem.Conflict, s.Members.RemoveMember(t.Context(), ada), s.Members.FreezeMember(t.Context(), ada, "", november),
			s.Members.SetMemberEmail(t.Context(), ada, welcomeTo("ada@example.com"), november))
		requireCode(t, problem.NotFound, errOf(s.Members.MemberKeyed(t.Context(), "ada")))
		newMember(t, s, "ada") // the name is free again
	})
}
