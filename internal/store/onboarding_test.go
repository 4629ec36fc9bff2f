package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// joined enters a member and names them.
func joined(t *testing.T, s *store.DB, name string) string {
	t.Helper()
	m := newcomer(name)
	require.NoError(t, s.Members.AddMember(t.Context(), m, nil))
	return m.ID
}

func TestProgressIsKeptForEachMemberAndKind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, eve := joined(t, s, "ada"), joined(t, s, "eve")
		begun, err := s.Members.Onboarding(t.Context(), ada, onboarding.Partnership)
		require.NoError(t, err)
		require.Equal(t, onboarding.Begin(ada, onboarding.Partnership), begun)

		said := onboarding.Answers{
			"vision": "A bot that\u0000 is \"honest\".", "project_excitement": []any{"fair_pricing"},
			"experience_level": map[string]any{"ai_llm": 5.0},
		}
		for step := range 4 {
			p := onboarding.Progress{MemberID: ada, Kind: onboarding.Partnership, Answers: said, Step: step + 1}
			require.NoError(t, s.Members.SaveOnboarding(t.Context(), p, november))
		}
		kept, err := s.Members.Onboarding(t.Context(), ada, onboarding.Partnership)
		require.NoError(t, err)
		require.Equal(t, said, kept.Answers)
		require.Equal(t, 4, kept.Step)
		require.Nil(t, kept.CompletedAt)

		for _, other := range []onboarding.Progress{onboarding.Begin(ada, onboarding.Tour), onboarding.Begin(eve, onboarding.Partnership)} {
			progress, err := s.Members.Onboarding(t.Context(), other.MemberID, other.Kind)
			require.NoError(t, err)
			require.Equal(t, other, progress)
		}
	})
}

func TestCompletingAwardsCreditsOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := joined(t, s, "ada")
		complete := func(kind onboarding.Kind, at time.Time) int {
			awarded, err := s.Members.CompleteOnboarding(t.Context(), ada, kind, at)
			require.NoError(t, err)
			return awarded
		}
		p := onboarding.Progress{MemberID: ada, Kind: onboarding.Partnership, Answers: onboarding.Answers{"vision": "Mine."}, Step: 7}
		require.NoError(t, s.Members.SaveOnboarding(t.Context(), p, november))
		require.Equal(t, 5, complete(onboarding.Partnership, november))
		require.Equal(t, 5, complete(onboarding.Tour, november), "of which nothing was saved before")
		before, err := s.Members.Onboarding(t.Context(), ada, onboarding.Partnership)
		require.NoError(t, err)
		require.Equal(t, 12, before.Step)
		require.Equal(t, p.Answers, before.Answers)
		require.True(t, before.CompletedAt.Equal(november))

		require.Zero(t, complete(onboarding.Partnership, november.Add(time.Hour)))
		after, err := s.Members.Onboarding(t.Context(), ada, onboarding.Partnership)
		require.NoError(t, err)
		require.Equal(t, before, after, "a repeat changes nothing")
		require.NoError(t, s.Members.SaveOnboarding(t.Context(), p, november.Add(time.Hour)))
		after, err = s.Members.Onboarding(t.Context(), ada, onboarding.Partnership)
		require.NoError(t, err)
		require.Equal(t, 7, after.Step)
		require.True(t, after.CompletedAt.Equal(november), "answers may change, what is completed stays so")
		require.Zero(t, complete(onboarding.Partnership, november))

		entries, total, balance, err := s.Members.CreditEntries(t.Context(), ada, 10, 0)
		require.NoError(t, err)
		require.Equal(t, 3, total)
		require.Equal(t, 100, balance)
		require.Equal(t, []member.Reason{member.ReasonTour, member.ReasonPartnership, member.ReasonFoundingFee}, reasons(entries))
	})
}

func reasons(entries []member.CreditEntry) (words []member.Reason) {
	for _, e := range entries {
		words = append(words, e.Reason)
	}
	return words
}

func TestCompletingAtOnceAwardsCreditsOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := joined(t, s, "ada")
		awarded := make([]int, 60)
		kinds := []onboarding.Kind{onboarding.Tour, onboarding.Partnership}
		done := atOnce(t, len(awarded), func(i int) (err error) {
			awarded[i], err = s.Members.CompleteOnboarding(t.Context(), ada, kinds[i%2], november)
			return err
		})
		require.Equal(t, len(awarded), done)
		sum := 0
		for _, n := range awarded {
			sum += n
		}
		require.Equal(t, 10, sum)
		_, total, balance, err := s.Members.CreditEntries(t.Context(), ada, 1, 0)
		require.NoError(t, err)
		require.Equal(t, 3, total)
		require.Equal(t, 100, balance)
	})
}

func TestNobodyCompletesForNobody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		awarded, err := s.Members.CompleteOnboarding(t.Context(), "nobody", onboarding.Tour, november)
		require.Error(t, err)
		require.Zero(t, awarded)
		require.Zero(t, s.Count(t, "onboardings"))
		require.Zero(t, s.Count(t, "credit_entries"))
	})
}

func TestCreditsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, eve := joined(t, s, "ada"), joined(t, s, "eve")
		for _, kind := range []onboarding.Kind{onboarding.Tour, onboarding.Partnership} {
			_, err := s.Members.CompleteOnboarding(t.Context(), ada, kind, november)
			require.NoError(t, err)
		}
		entries, total, balance, err := s.Members.CreditEntries(t.Context(), ada, 2, 1)
		require.NoError(t, err)
		require.Equal(t, 3, total)
		require.Equal(t, 100, balance, "as of now, whatever page is shown")
		require.Equal(t, []member.Reason{member.ReasonTour, member.ReasonFoundingFee}, reasons(entries))
		require.Equal(t, 95, entries[0].Balance)

		_, total, balance, err = s.Members.CreditEntries(t.Context(), eve, 2, 0)
		require.NoError(t, err)
		require.Equal(t, []int{1, 90}, []int{total, balance}, "eve's book is her own")
		entries, total, balance, err = s.Members.CreditEntries(t.Context(), "nobody", 2, 0)
		require.NoError(t, err)
		require.Equal(t, []int{0, 0, 0}, []int{len(entries), total, balance})
	})
}

func TestAMemberTakesAnotherName(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := joined(t, s, "zero_7f3k2")
		joined(t, s, "Eve")
		require.Equal(t, problem.MemberExists, problem.CodeOf(s.Members.RenameMember(t.Context(), ada, "eVe")))
		_, err := s.Members.MemberNamed(t.Context(), "zero_7f3k2")
		require.NoError(t, err, "who was refused keeps the name")

		require.NoError(t, s.Members.RenameMember(t.Context(), ada, "Ada"))
		require.NoError(t, s.Members.RenameMember(t.Context(), ada, "ADA"), "one's own, in other letters")
		renamed, err := s.Members.MemberNamed(t.Context(), "ada")
		require.NoError(t, err)
		require.Equal(t, []string{ada, "ADA"}, []string{renamed.ID, renamed.Username})
		_, err = s.Members.MemberNamed(t.Context(), "zero_7f3k2")
		require.Equal(t, problem.MemberUnknown, problem.CodeOf(err))
	})
}

func TestANameIsOneMembersOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ids := make([]string, 20)
		for i := range ids {
			ids[i] = joined(t, s, "zero_"+string(rune('a'+i)))
		}
		done := atOnce(t, len(ids), func(i int) error { return s.Members.RenameMember(t.Context(), ids[i], "ada") }, problem.MemberExists)
		require.Equal(t, 1, done)
	})
}
