package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/store"
)

func queue(t *testing.T, s *store.DB, memberID *string) (post.Post, error) {
	t.Helper()
	id := xid.New().String()
	return s.Posts.QueuePost(t.Context(), post.Post{ID: id, MemberID: memberID, Text: "queued " + id}, november)
}

func TestPostingTimes(t *testing.T) {
	t.Parallel()
	each(t, "twenty posts queued at once get twenty times", func(t *testing.T, s *store.DB) {
		var all sync.WaitGroup
		var mu sync.Mutex
		times := map[time.Time]bool{}
		for range 20 {
			all.Go(func() {
				p, err := queue(t, s, nil)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					times[p.ScheduledAt] = true
				}
			})
		}
		all.Wait()
		require.Len(t, times, 20)
		require.Equal(t, 20, usage(t, s, "2026-11").Reserved+usage(t, s, "2026-12").Reserved)
		require.Len(t, must(s.PostingTimes.TakenTimes(t.Context(), "", "", november))(t), 20)
	})
	each(t, "the next free time of the holder", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		lunch := time.Date(2026, time.November, 20, 12, 30, 0, 0, time.UTC)
		create(t, s, nil, lunch) // the founders', whose gap is not Ada's
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
		must(s.PostingTimes.SaveTimetable(t.Context(), midnights, november))(t)
		for range post.MonthlyPosts {
			create(t, s, nil, november.AddDate(0, 0, -3))
		}
		require.Equal(t, time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC), must(queue(t, s, nil))(t).ScheduledAt)
	})
	each(t, "without posting times nothing is queued", func(t *testing.T, s *store.DB) {
		must(s.PostingTimes.SaveTimetable(t.Context(), schedule.PostingTimes{Timezone: "UTC"}, november))(t)
		require.Equal(t, problem.QueueEmpty, codeOf(queue(t, s, nil)))
		_, total := must2(s.Posts.Posts(t.Context(), post.Filter{Limit: 1}))(t)
		require.Zero(t, total)
	})
	each(t, "a queued text is unique", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		require.Equal(t, problem.TextDuplicate, codeOf(s.Posts.QueuePost(t.Context(), post.Post{ID: "again", Text: p.Text}, november)))
	})
	each(t, "posting times are the default ones until they are saved", func(t *testing.T, s *store.DB) {
		table := must(s.PostingTimes.Timetable(t.Context(), ""))(t)
		require.Equal(t, schedule.DefaultPostingTimes(""), table)
		_, err := queue(t, s, nil) // which writes the usual one down
		require.NoError(t, err)
		table.Weekly, table.Timezone = []schedule.LocalTime{{Weekday: 7, Minute: 600}}, "Europe/Berlin"
		saved := must(s.PostingTimes.SaveTimetable(t.Context(), table, november))(t)
		require.Equal(t, 1, saved.Version)
		require.Equal(t, problem.Conflict, codeOf(s.PostingTimes.SaveTimetable(t.Context(), table, november)))
		kept := must(s.PostingTimes.Timetable(t.Context(), ""))(t)
		kept.UpdatedAt = kept.UpdatedAt.UTC()
		require.Equal(t, saved, kept)
	})
}
