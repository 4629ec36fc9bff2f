package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// 900 posts asked for at once, by 50 members and the founders: everybody ends with
// exactly the share, the founders with the commons, and the month with 500.
// Proves: F28, V2.3.2
func TestEverybodyGetsTheirShareAndNoMore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		const members, perMember, byFounders = 50, 16, 100
		asking := make([]*string, members)
		for i := range asking {
			asking[i] = newMember(t, s, fmt.Sprintf("member%d", i))
		}
		var asked []*string
		for _, who := range asking {
			for range perMember {
				asked = append(asked, who)
			}
		}
		for range byFounders {
			asked = append(asked, nil)
		}
		require.Len(t, asked, 900)

		granted, refused := askAll(t, s, asked)
		require.Equal(t, post.MonthlyPosts, granted)
		require.Equal(t, 400, refused[problem.ShareExhausted]+refused[problem.QuotaExhausted])

		require.Equal(t, post.MonthUsage{Reserved: 500, CommonsHeld: 50, Members: members}, usage(t, s, "2026-11"))
		accounts, err := s.Members.Members(t.Context(), "2026-11")
		require.NoError(t, err)
		for _, account := range accounts {
			require.Equal(t, post.Share(members), account.SlotsHeld)
			require.Equal(t, member.FoundingCredits-9, account.Credits)
		}
	})
}

func askAll(t *testing.T, s *store.DB, asked []*string) (granted int, refused map[problem.Code]int) {
	t.Helper()
	refused = map[problem.Code]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, who := range asked {
		all.Go(func() {
			_, err := s.Posts.CreatePost(t.Context(), draft(who, november), november)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				granted++
				return
			}
			refused[problem.CodeOf(err)]++
			if problem.CodeOf(err) == problem.Internal {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return granted, refused
}

// Proves: F25, F28
func TestFullMonthNamesTheReset(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for range post.MonthlyPosts {
			create(t, s, nil, november)
		}
		newcomer := newMember(t, s, "late")
		_, err := s.Posts.CreatePost(t.Context(), draft(newcomer, november), november)
		require.Equal(t, problem.QuotaExhausted, problem.CodeOf(err))
		require.ErrorContains(t, err, "1 December 2026")
		require.Equal(t, 90, balance(t, s, newcomer))

		_, err = s.Posts.CreatePost(t.Context(), draft(newcomer, november.AddDate(0, 1, 0)), november)
		require.NoError(t, err, "the next month has places")
	})
}

// Proves: F28
func TestMoreMembersTakeNothingAway(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		first := newMember(t, s, "first")
		for range 90 { // all the credits there are
			create(t, s, first, november)
		}
		for i := range 9 {
			newMember(t, s, fmt.Sprintf("next%d", i))
		}
		_, err := s.Posts.CreatePost(t.Context(), draft(first, november), november)
		require.Equal(t, problem.ShareExhausted, problem.CodeOf(err), "the share is 45 now")
		require.Equal(t, 90, usage(t, s, "2026-11").Reserved)
	})
}

func TestSeatsThatAreNotActiveHaveNoShare(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		newMember(t, s, "ada")
		for _, status := range []member.Status{member.StatusFrozen, member.StatusRemoved} {
			require.NoError(t, s.SetMemberStatus(t.Context(), *newMember(t, s, string(status)), status))
		}
		require.Equal(t, 1, usage(t, s, "2026-11").Members)
		granted, refused := askAll(t, s, make([]*string, post.Commons(2)+1))
		require.Equal(t, post.Commons(2)+1, granted, "of two members, there were one place less: %v", refused)
	})
}

// Proves: F28
func TestNoCreditNoPost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		for range member.FoundingCredits {
			create(t, s, ada, november)
		}
		_, err := s.Posts.CreatePost(t.Context(), draft(ada, november), november)
		require.Equal(t, problem.CreditsExhausted, problem.CodeOf(err))
		require.Equal(t, member.FoundingCredits, usage(t, s, "2026-11").Reserved, "the slot came back with the refusal")
		require.Zero(t, balance(t, s, ada))
	})
}

func TestUsernamesAreUniqueInAnyCase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		newMember(t, s, "Ada")
		err := s.Members.AddMember(t.Context(), member.Member{
			ID: "x", Username: "ADA", UsernameKey: member.Key("ADA"), Status: member.StatusActive, JoinedAt: november,
		}, nil)
		require.Equal(t, problem.MemberExists, problem.CodeOf(err))
		found, err := s.Members.MemberNamed(t.Context(), "aDa")
		require.NoError(t, err)
		require.Equal(t, "Ada", found.Username)
	})
}

// A post of the 31st, delayed past midnight, takes a place of the new month.
// Proves: F25
func TestLatePostTakesASlotOfTheMonthInWhichItGoesOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		lastSecond := time.Date(2026, time.October, 31, 23, 59, 58, 0, time.UTC)
		p, err := s.Posts.CreatePost(t.Context(), draft(nil, lastSecond), lastSecond.Add(-time.Hour))
		require.NoError(t, err)
		require.Equal(t, 1, usage(t, s, "2026-10").Reserved)

		p, err = s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), lastSecond.Add(3*time.Second))
		require.NoError(t, err)
		require.Equal(t, post.StatusArmed, p.Status)
		require.Zero(t, usage(t, s, "2026-10").Reserved)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
}

// Proves: F25, V2.3.2
func TestLatePostFailsWhenTheNewMonthIsFull(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		october := november.AddDate(0, -1, 0)
		p, err := s.Posts.CreatePost(t.Context(), draft(nil, october), october)
		require.NoError(t, err)
		for range post.MonthlyPosts {
			create(t, s, nil, november)
		}
		p, err = s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november)
		require.NoError(t, err)
		require.Equal(t, post.StatusFailed, p.Status)
		require.Equal(t, string(problem.QuotaExhausted), p.Code)
		require.Zero(t, usage(t, s, "2026-10").Reserved, "the old place came back")
	})
}

// "Now" may be a few seconds ago: across midnight it is the month that counts, not the wish.
// Proves: F25
func TestPostForAMomentAgoTakesASlotOfThisMonth(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		midnight := time.Date(2026, time.November, 1, 0, 0, 10, 0, time.UTC)
		_, err := s.Posts.CreatePost(t.Context(), draft(nil, midnight.Add(-20*time.Second)), midnight)
		require.NoError(t, err)
		require.Zero(t, usage(t, s, "2026-10").Reserved)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
}
