package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func publishAt(t *testing.T, s *store.DB, at time.Time) post.Post {
	t.Helper()
	p := arm(t, s, nil)
	return conclude(t, s, p, post.Verdict{Outcome: post.OutcomePublished, TweetID: p.ID, At: at})
}

func TestReadingsAreReservedOnceAndNewestFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		week := publishAt(t, s, november.AddDate(0, 0, -8))
		day := publishAt(t, s, november.Add(-25*time.Hour))
		hour := publishAt(t, s, november.Add(-2*time.Hour))
		publishAt(t, s, november.Add(-time.Minute)) // too young

		want := []post.Reading{
			{PostID: hour.ID, TweetID: hour.ID, Checkpoint: post.CheckpointHour},
			{PostID: day.ID, TweetID: day.ID, Checkpoint: post.CheckpointDay},
			{PostID: week.ID, TweetID: week.ID, Checkpoint: post.CheckpointWeek},
		}
		for range 2 { // a worker that died after reserving gets the same again, uncounted
			due, err := s.Posts.ReserveReadings(t.Context(), 100, november)
			require.NoError(t, err)
			require.Equal(t, want, due)
		}
		require.Equal(t, 3, reads(t, s).Used)

		for _, reading := range want {
			require.NoError(t, s.Posts.SaveMetrics(t.Context(), reading, &post.Metrics{Likes: 1, Reposts: 2, Replies: 3, Quotes: 4}, november))
		}
		due, err := s.Posts.ReserveReadings(t.Context(), 100, november)
		require.NoError(t, err)
		require.Empty(t, due)
		p, err := s.Posts.Post(t.Context(), hour.ID)
		require.NoError(t, err)
		require.Equal(t, 1+2*2+2*3+4, p.Engagement())
	})
}

// Proves: V2.3.2
func TestReadingsStopAtTheBudget(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ages := []time.Duration{2 * time.Hour, 25 * time.Hour, 8 * 24 * time.Hour} // of every checkpoint some
		for i := range post.MonthlyReads + 5 {
			publishAt(t, s, november.Add(-ages[i%len(ages)]-time.Duration(i)*time.Second))
		}
		for range 3 {
			due, err := s.Posts.ReserveReadings(t.Context(), 60, november)
			require.NoError(t, err)
			for _, reading := range due {
				require.NoError(t, s.Posts.SaveMetrics(t.Context(), reading, nil, november))
			}
		}
		require.Equal(t, post.ReadUsage{Used: 100, Budget: 100}, reads(t, s))

		require.NoError(t, s.Posts.CountSafetyRead(t.Context(), november))
		require.Equal(t, post.ReadUsage{Used: 100, Budget: 100, Safety: 1}, reads(t, s), "safety is never refused")
	})
}

func reads(t *testing.T, s *store.DB) post.ReadUsage {
	t.Helper()
	usage, err := s.Posts.ReadUsage(t.Context(), "2026-11")
	require.NoError(t, err, fmt.Sprint(usage))
	return usage
}
