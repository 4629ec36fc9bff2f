package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func brake(t *testing.T, s *store.DB, c bot.BrakeChange) (was, is bot.Brakes) {
	t.Helper()
	was, is, err := s.Bot.SetBrakes(t.Context(), c, "grace", november)
	require.NoError(t, err)
	return was, is
}

func pause(t *testing.T, s *store.DB, paused bool) {
	brake(t, s, bot.BrakeChange{Paused: &paused, Reason: "a storm"})
}

func TestNothingIsArmedWhileTheBotIsPaused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		connection := storetest.Connection(t, s)
		p := create(t, s, nil, november)
		pause(t, s, true)
		for range 2 {
			held, err := s.Posts.ArmPost(t.Context(), p.ID, 1, connection, november)
			require.NoError(t, err)
			require.Equal(t, post.StatusScheduled, held.Status)
			require.Zero(t, held.Attempt, "no try is counted")
			require.Equal(t, post.CodePaused, held.Code)
			require.Contains(t, held.Reason, "a storm.")
			require.WithinDuration(t, november.Add(time.Hour), held.DueAt(), 0)
		}
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved, "it keeps its slot")
		overdue, err := s.Posts.Overdue(t.Context(), november)
		require.NoError(t, err)
		require.Equal(t, 1, overdue)

		pause(t, s, false)
		p, err = s.Posts.Post(t.Context(), p.ID)
		require.NoError(t, err)
		require.Empty(t, p.Code+p.Reason)
		require.WithinDuration(t, november, p.DueAt(), 0, "it is due again")
		p, err = s.Posts.ArmPost(t.Context(), p.ID, 1, connection, november)
		require.NoError(t, err)
		require.Equal(t, post.StatusArmed, p.Status)
	})
}

// Whoever has paused the bot and was told so sees nothing more go out.
func TestAPauseThatWasAnsweredHolds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		connection := storetest.Connection(t, s)
		var posts []post.Post
		for range 12 {
			posts = append(posts, create(t, s, nil, november))
		}
		var armed sync.WaitGroup
		for _, p := range posts {
			armed.Go(func() { _, _ = s.Posts.ArmPost(t.Context(), p.ID, 1, connection, november) })
		}
		pause(t, s, true)
		before, err := s.Posts.CountByStatus(t.Context(), nil)
		require.NoError(t, err)
		armed.Wait()
		after, err := s.Posts.CountByStatus(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, before[post.StatusArmed], after[post.StatusArmed])
	})
}

func TestBrakesAreKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		yes := true
		for range 2 { // the same again changes nothing
			_, is := brake(t, s, bot.BrakeChange{Paused: &yes, Approval: &yes, Reason: "a storm"})
			kept, err := s.Bot.Brakes(t.Context())
			require.NoError(t, err)
			require.True(t, november.Equal(*is.PausedAt) && november.Equal(*kept.PausedAt))
			is.PausedAt, kept.PausedAt = nil, nil
			require.Equal(t, is, kept)
			require.Equal(t, bot.Brakes{Approval: true, PausedBy: "grace", PauseReason: "a storm"}, kept)
		}
		was, _ := brake(t, s, bot.BrakeChange{})
		require.True(t, was.Approval)
	})
}

func TestOverdueLeavesOutWhatWaitsForX(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		create(t, s, nil, november.Add(time.Hour))
		limited, cut := create(t, s, nil, november), create(t, s, nil, november)
		_, err := s.Posts.DelayPost(t.Context(), limited.ID, "x_rate_limited", "X asks us to wait.", november.Add(time.Hour))
		require.NoError(t, err)
		_, err = s.Posts.DelayPost(t.Context(), cut.ID, post.CodeNotConnected, post.NotConnectedReason, november.Add(time.Hour))
		require.NoError(t, err)
		overdue, err := s.Posts.Overdue(t.Context(), november)
		require.NoError(t, err)
		require.Equal(t, 1, overdue)
	})
}
