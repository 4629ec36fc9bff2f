package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/postingtimes"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func queue(t *testing.T, s *store.DB, memberID *string) (post.Post, error) {
	t.Helper()
	id := xid.New().String()
	return s.Posts.QueuePost(t.Context(), post.Post{ID: id, MemberID: memberID, Text: "queued " + id}, november)
}

func TestTwentyQueuedAtOnceGetTwentyTimes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
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
		taken, err := s.PostingTimes.TakenTimes(t.Context(), "", "", november)
		require.NoError(t, err)
		require.Len(t, taken, 20)
	})
}

func TestQueueTakesTheNextFreeTimeOfItsHolder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		lunch := time.Date(2026, time.November, 20, 12, 30, 0, 0, time.UTC)
		create(t, s, nil, lunch) // the founders', whose gap is not Ada's
		p, err := queue(t, s, ada)
		require.NoError(t, err)
		require.Equal(t, lunch, p.ScheduledAt)
		require.Equal(t, post.StatusScheduled, p.Status)
		require.Equal(t, 89, balance(t, s, ada))
		p, err = queue(t, s, ada)
		require.NoError(t, err)
		require.Equal(t, lunch.Add(4*time.Hour+30*time.Minute), p.ScheduledAt)
		p, err = queue(t, s, nil)
		require.NoError(t, err)
		require.Equal(t, lunch.Add(4*time.Hour+30*time.Minute), p.ScheduledAt)
	})
}

func TestQueuePassesOverAMonthThatIsUsed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for range post.MonthlyPosts {
			create(t, s, nil, november.AddDate(0, 0, -3))
		}
		p, err := queue(t, s, nil)
		require.NoError(t, err)
		require.Equal(t, time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC), p.ScheduledAt)
	})
}

func TestQueueTakesTheFirstInstantOfAMonth(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		midnights := postingtimes.Timetable{Timezone: "UTC", Weekly: []localtime.Time{{Weekday: 2, Minute: 0}}}
		_, err := s.PostingTimes.SaveTimetable(t.Context(), midnights, november)
		require.NoError(t, err)
		for range post.MonthlyPosts {
			create(t, s, nil, november.AddDate(0, 0, -3))
		}
		p, err := queue(t, s, nil)
		require.NoError(t, err)
		require.Equal(t, time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC), p.ScheduledAt)
	})
}

func TestQueueWithoutTimesIsEmptyAndWritesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, err := s.PostingTimes.SaveTimetable(t.Context(), postingtimes.Timetable{Timezone: "UTC"}, november)
		require.NoError(t, err)
		_, err = queue(t, s, nil)
		require.Equal(t, problem.QueueEmpty, problem.CodeOf(err))
		_, total, err := s.Posts.Posts(t.Context(), post.Filter{Limit: 1})
		require.NoError(t, err)
		require.Zero(t, total)
	})
}

func TestQueuedTextIsStillUnique(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		_, err := s.Posts.QueuePost(t.Context(), post.Post{ID: "again", Text: p.Text}, november)
		require.Equal(t, problem.TextDuplicate, problem.CodeOf(err))
	})
}

func TestTimetableIsTheUsualOneUntilItIsSaved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		table, err := s.PostingTimes.Timetable(t.Context(), "")
		require.NoError(t, err)
		require.Equal(t, postingtimes.Usual(""), table)
		_, err = queue(t, s, nil) // which writes the usual one down
		require.NoError(t, err)

		table.Weekly, table.Timezone = []localtime.Time{{Weekday: 7, Minute: 600}}, "Europe/Berlin"
		saved, err := s.PostingTimes.SaveTimetable(t.Context(), table, november)
		require.NoError(t, err)
		require.Equal(t, 1, saved.Version)
		_, err = s.PostingTimes.SaveTimetable(t.Context(), table, november)
		require.Equal(t, problem.Conflict, problem.CodeOf(err))
		kept, err := s.PostingTimes.Timetable(t.Context(), "")
		require.NoError(t, err)
		kept.UpdatedAt = kept.UpdatedAt.UTC()
		require.Equal(t, saved, kept)
	})
}
