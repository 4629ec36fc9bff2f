package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// Proves: F28, V2.3.2, F25
func TestQuota(t *testing.T) {
	t.Parallel()
	each(t, "everyone gets the share and no more", func(t *testing.T, s *store.DB) {
		const members = 50
		asked := make([]*string, 100) // nil: founders
		for i := range members {
			asked = append(asked, slices.Repeat([]*string{newMember(t, s, fmt.Sprintf("member%d", i))}, 16)...)
		}
		require.Len(t, asked, 900)
		require.Equal(t, post.MonthlyPosts, askAll(t, s, asked))
		require.Equal(t, post.MonthUsage{Reserved: 500, FoundersShareHeld: 50, Members: members}, usage(t, s, "2026-11"))
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
	each(t, "more members do not revoke held slots", func(t *testing.T, s *store.DB) {
		first := newMember(t, s, "first")
		for range 90 { // all credits
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
		require.Equal(t, post.FoundersShare(2)+1, askAll(t, s, make([]*string, post.FoundersShare(2)+1)), "of two members, there were one slot less")
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

func askAll(t *testing.T, s *store.DB, asked []*string) (granted int) {
	t.Helper()
	return atOnce(t, len(asked), func(i int) error {
		return errOf(s.Posts.CreatePost(t.Context(), draft(asked[i], november), november))
	}, problem.ShareExhausted, problem.QuotaExhausted)
}

// Proves: F25, V2.3.2
func TestLatePosts(t *testing.T) {
	t.Parallel()
	each(t, "a post takes a slot of the month in which it is sent", func(t *testing.T, s *store.DB) {
		lastSecond := time.Date(2026, time.October, 31, 23, 59, 58, 0, time.UTC)
		p := must(s.Posts.CreatePost(t.Context(), draft(nil, lastSecond), lastSecond.Add(-time.Hour)))(t)
		require.Equal(t, 1, usage(t, s, "2026-10").Reserved)
		p = must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), lastSecond.Add(3*time.Second)))(t)
		require.Equal(t, []any{post.StatusArmed, 0, 1}, []any{p.Status, usage(t, s, "2026-10").Reserved, usage(t, s, "2026-11").Reserved})
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
	// "Now" may be some seconds ago, so across midnight the slot is of the new month.
	each(t, "a post for a moment ago takes a slot of this month", func(t *testing.T, s *store.DB) {
		midnight := time.Date(2026, time.November, 1, 0, 0, 10, 0, time.UTC)
		must(s.Posts.CreatePost(t.Context(), draft(nil, midnight.Add(-20*time.Second)), midnight))(t)
		require.Equal(t, []int{0, 1}, []int{usage(t, s, "2026-10").Reserved, usage(t, s, "2026-11").Reserved})
	})
}

func queue(t *testing.T, s *store.DB, memberID *string) (post.Post, error) {
	t.Helper()
	id := xid.New().String()
	return s.Posts.QueuePost(t.Context(), post.Post{ID: id, MemberID: memberID, Text: "queued " + id}, november)
}

func TestPostingTimes(t *testing.T) {
	t.Parallel()
	each(t, "twenty posts queued at once get twenty times", func(t *testing.T, s *store.DB) {
		times := make([]time.Time, 20)
		require.Equal(t, 20, atOnce(t, 20, func(i int) error {
			p, err := queue(t, s, nil)
			times[i] = p.ScheduledAt
			return err
		}))
		slices.SortFunc(times, time.Time.Compare)
		require.Len(t, slices.Compact(times), 20)
		require.Equal(t, 20, usage(t, s, "2026-11").Reserved+usage(t, s, "2026-12").Reserved)
		require.Len(t, must(s.PostingTimes.TakenTimes(t.Context(), "", "", november))(t), 20)
	})
	each(t, "the next free time of the holder", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		lunch := time.Date(2026, time.November, 20, 12, 30, 0, 0, time.UTC)
		create(t, s, nil, lunch) // founders' posts do not affect Ada's gap
		p := must(queue(t, s, ada))(t)
		require.Equal(t, []any{lunch, post.StatusScheduled}, []any{p.ScheduledAt, p.Status})
		require.Equal(t, 89, balance(t, s, ada))
		require.Equal(t, lunch.Add(4*time.Hour+30*time.Minute), must(queue(t, s, ada))(t).ScheduledAt)
		require.Equal(t, lunch.Add(4*time.Hour+30*time.Minute), must(queue(t, s, nil))(t).ScheduledAt)
	})
	each(t, "a full month is skipped", func(t *testing.T, s *store.DB) {
		for range post.MonthlyPosts {
			create(t, s, nil, november.AddDate(0, 0, -3))
		}
		require.Equal(t, time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC), must(queue(t, s, nil))(t).ScheduledAt)
	})
	each(t, "the first instant of a month", func(t *testing.T, s *store.DB) {
		midnights := schedule.PostingTimes{Timezone: "UTC", Weekly: []schedule.LocalTime{{Weekday: 2, Minute: 0}}}
		must(s.PostingTimes.SavePostingTimes(t.Context(), midnights, november))(t)
		for range post.MonthlyPosts {
			create(t, s, nil, november.AddDate(0, 0, -3))
		}
		require.Equal(t, time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC), must(queue(t, s, nil))(t).ScheduledAt)
	})
	each(t, "without posting times nothing is queued", func(t *testing.T, s *store.DB) {
		must(s.PostingTimes.SavePostingTimes(t.Context(), schedule.PostingTimes{Timezone: "UTC"}, november))(t)
		require.Equal(t, problem.QueueEmpty, codeOf(queue(t, s, nil)))
		_, total := must2(s.Posts.Posts(t.Context(), post.Filter{Limit: 1}))(t)
		require.Zero(t, total)
	})
	each(t, "a queued text is unique", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		require.Equal(t, problem.TextDuplicate, codeOf(s.Posts.QueuePost(t.Context(), post.Post{ID: "again", Text: p.Text}, november)))
	})
	each(t, "posting times are the default ones until they are saved", func(t *testing.T, s *store.DB) {
		table := must(s.PostingTimes.PostingTimes(t.Context(), ""))(t)
		require.Equal(t, schedule.DefaultPostingTimes(""), table)
		_, err := queue(t, s, nil) // stores the default posting times
		require.NoError(t, err)
		table.Weekly, table.Timezone = []schedule.LocalTime{{Weekday: 7, Minute: 600}}, "Europe/Berlin"
		saved := must(s.PostingTimes.SavePostingTimes(t.Context(), table, november))(t)
		require.Equal(t, 1, saved.Version)
		require.Equal(t, problem.Conflict, codeOf(s.PostingTimes.SavePostingTimes(t.Context(), table, november)))
		kept := must(s.PostingTimes.PostingTimes(t.Context(), ""))(t)
		kept.UpdatedAt = kept.UpdatedAt.UTC()
		require.Equal(t, saved, kept)
	})
}
