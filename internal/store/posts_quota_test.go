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

// Proves: F28, V2.3.2, F25
func TestQuota(t *testing.T) {
	t.Parallel()
	// 900 posts asked for at once, by 50 members and the founders: everybody ends with
	// exactly the share, the founders with the commons, and the month with 500.
	each(t, "everyone gets the share and no more", func(t *testing.T, s *store.DB) {
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
		for _, account := range must(s.Members.Members(t.Context(), "2026-11"))(t) {
			require.Equal(t, []any{post.Share(members), member.FoundingCredits - 9}, []any{account.SlotsHeld, account.Credits})
		}
	})
	each(t, "a full month names the reset", func(t *testing.T, s *store.DB) {
		for range post.MonthlyPosts {
			create(t, s, nil, november)
		}
		newcomer := newMember(t, s, "late")
		_, err := s.Posts.CreatePost(t.Context(), draft(newcomer, november), november)
		require.Equal(t, problem.QuotaExhausted, problem.CodeOf(err))
		require.ErrorContains(t, err, "1 December 2026")
		require.Equal(t, 90, balance(t, s, newcomer))
		must(s.Posts.CreatePost(t.Context(), draft(newcomer, november.AddDate(0, 1, 0)), november))(t, "the next month has places")
	})
	each(t, "more members take nothing away", func(t *testing.T, s *store.DB) {
		first := newMember(t, s, "first")
		for range 90 { // all the credits there are
			create(t, s, first, november)
		}
		for i := range 9 {
			newMember(t, s, fmt.Sprintf("next%d", i))
		}
		require.Equal(t, problem.ShareExhausted, codeOf(s.Posts.CreatePost(t.Context(), draft(first, november), november)), "the share is 45 now")
		require.Equal(t, 90, usage(t, s, "2026-11").Reserved)
	})
	each(t, "inactive memberships have no share", func(t *testing.T, s *store.DB) {
		newMember(t, s, "ada")
		for _, status := range []member.Status{member.StatusFrozen, member.StatusRemoved} {
			require.NoError(t, s.SetMemberStatus(t.Context(), *newMember(t, s, string(status)), status))
		}
		require.Equal(t, 1, usage(t, s, "2026-11").Members)
		granted, refused := askAll(t, s, make([]*string, post.Commons(2)+1))
		require.Equal(t, post.Commons(2)+1, granted, "of two members, there were one place less: %v", refused)
	})
	each(t, "no post without a credit", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		for range member.FoundingCredits {
			create(t, s, ada, november)
		}
		require.Equal(t, problem.CreditsExhausted, codeOf(s.Posts.CreatePost(t.Context(), draft(ada, november), november)))
		require.Equal(t, member.FoundingCredits, usage(t, s, "2026-11").Reserved, "the slot came back with the refusal")
		require.Zero(t, balance(t, s, ada))
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

// Proves: F25, V2.3.2
func TestLatePosts(t *testing.T) {
	t.Parallel()
	// A post of the 31st, delayed past midnight, takes a place of the new month.
	each(t, "a slot of the month in which it goes out", func(t *testing.T, s *store.DB) {
		lastSecond := time.Date(2026, time.October, 31, 23, 59, 58, 0, time.UTC)
		p := must(s.Posts.CreatePost(t.Context(), draft(nil, lastSecond), lastSecond.Add(-time.Hour)))(t)
		require.Equal(t, 1, usage(t, s, "2026-10").Reserved)
		p = must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), lastSecond.Add(3*time.Second)))(t)
		require.Equal(t, post.StatusArmed, p.Status)
		require.Zero(t, usage(t, s, "2026-10").Reserved)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
	each(t, "the new month is full", func(t *testing.T, s *store.DB) {
		october := november.AddDate(0, -1, 0)
		p := must(s.Posts.CreatePost(t.Context(), draft(nil, october), october))(t)
		for range post.MonthlyPosts {
			create(t, s, nil, november)
		}
		p = must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november))(t)
		require.Equal(t, []any{post.StatusFailed, string(problem.QuotaExhausted)}, []any{p.Status, p.Code})
		require.Zero(t, usage(t, s, "2026-10").Reserved, "the old place came back")
	})
	// "Now" may be a few seconds ago: across midnight it is the month that counts, not the wish.
	each(t, "a post for a moment ago takes a slot of this month", func(t *testing.T, s *store.DB) {
		midnight := time.Date(2026, time.November, 1, 0, 0, 10, 0, time.UTC)
		must(s.Posts.CreatePost(t.Context(), draft(nil, midnight.Add(-20*time.Second)), midnight))(t)
		require.Zero(t, usage(t, s, "2026-10").Reserved)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
}
