package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func giveUp(t *testing.T, s *store.DB, p post.Post) {
	t.Helper()
	_, err := s.Posts.CancelPost(t.Context(), p.ID, november)
	require.NoError(t, err)
}

func TestRestoredPostHoldsSlotAndCreditAnew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := create(t, s, ada, november.Add(time.Hour))
		_, err := s.Posts.BeginPost(t.Context(), p.ID, "run-1")
		require.NoError(t, err)
		for range 2 { // as often as people change their mind
			giveUp(t, s, p)
			require.Equal(t, 90, balance(t, s, ada))
			restored, err := s.Posts.RestorePost(t.Context(), p.ID, false, november.Add(time.Minute))
			require.NoError(t, err)
			require.Equal(t, post.StatusScheduled, restored.Status)
			require.Empty(t, restored.RunID, "its run is over")
			require.Nil(t, restored.CancelledAt)
			require.Equal(t, 89, balance(t, s, ada))
			require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
			waiting, err := s.Posts.Waiting(t.Context(), false)
			require.NoError(t, err)
			require.Len(t, waiting, 1, "the starter finds it")
		}
		_, err = s.Posts.RestorePost(t.Context(), p.ID, false, november)
		require.Equal(t, problem.PostClosed, problem.CodeOf(err))
	})
}

func TestRestoringIsRefusedWhileItsTextIsTaken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		giveUp(t, s, p)
		again := draft(nil, november)
		again.Text = p.Text
		_, err := s.Posts.CreatePost(t.Context(), again, november)
		require.NoError(t, err)
		_, err = s.Posts.RestorePost(t.Context(), p.ID, false, november)
		require.Equal(t, problem.TextDuplicate, problem.CodeOf(err))
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
}

func TestCancelledDraftComesBackAsADraft(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := ask(t, s, newMember(t, s, "ada"), november)
		giveUp(t, s, p)
		p, err := s.Posts.RestorePost(t.Context(), p.ID, true, november.Add(time.Hour))
		require.NoError(t, err)
		require.Equal(t, post.StatusDraft, p.Status)
		require.Equal(t, post.ReviewAsked, p.Review)
		require.Zero(t, usage(t, s, "2026-11").Reserved)
	})
}

// What waited for something when a person gave it up was given up by that person all the same.
func TestPostThatWaitedMayBeRestored(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		_, err := s.Posts.DelayPost(t.Context(), p.ID, post.CodePaused, post.PausedReason(""), november.Add(time.Hour))
		require.NoError(t, err)
		giveUp(t, s, p)
		p, err = s.Posts.RestorePost(t.Context(), p.ID, false, november)
		require.NoError(t, err)
		require.Equal(t, post.StatusScheduled, p.Status)
	})
}

func TestRunThatCameTooLateDidNotCarryThePost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		_, err := s.Posts.BeginPost(t.Context(), p.ID, "run-1")
		require.NoError(t, err)
		giveUp(t, s, p)
		p, err = s.Posts.BeginPost(t.Context(), p.ID, "run-2")
		require.NoError(t, err)
		require.Equal(t, "run-1", p.RunID)
	})
}
