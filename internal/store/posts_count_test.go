package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// requireTallied holds what is told without counting against what there is.
func requireTallied(t *testing.T, s *store.DB) {
	t.Helper()
	counts, err := s.Posts.CountByStatus(t.Context(), nil)
	require.NoError(t, err)
	for _, status := range statuses {
		require.Equal(t, s.Number(t, "SELECT count(*) FROM posts WHERE status = ?", status), counts[status], status)
		_, total, err := s.Posts.Posts(t.Context(), post.Filter{Statuses: []post.Status{status}, Limit: 1})
		require.NoError(t, err)
		require.Equal(t, counts[status], total)
	}
	for _, review := range []post.Review{post.ReviewAsked, post.ReviewSuggested, post.ReviewRejected} {
		_, total, err := s.Posts.Posts(t.Context(), post.Filter{Reviews: []post.Review{review}, Limit: 1})
		require.NoError(t, err)
		require.Equal(t, s.Number(t, "SELECT count(*) FROM posts WHERE status = 'draft' AND review = ?", review), total)
	}
	sponsored, err := s.Posts.SponsoredPublished(t.Context())
	require.NoError(t, err)
	require.Equal(t, s.Number(t, "SELECT count(*) FROM posts WHERE status = 'published' AND member_id IS NOT NULL"), sponsored)
}

func TestPostsAreTalliedWhateverChangesThem(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		requireTallied(t, s)
		went := conclude(t, s, arm(t, s, ada), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		giveUp(t, s, create(t, s, nil, november))
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomeRefused, Code: "x_refused"})
		asked := ask(t, s, ada, november)
		requireTallied(t, s)
		review(t, s, asked, post.Decision{Review: post.ReviewRejected, Reason: "Not now.", Reviewer: "founder_one"})
		requireTallied(t, s)
		require.NoError(t, s.Exec("UPDATE posts SET member_id = NULL WHERE id = ?", went.ID))
		requireTallied(t, s)
		require.NoError(t, s.Exec("DELETE FROM posts WHERE id = ?", asked.ID))
		requireTallied(t, s)
		require.Error(t, s.Exec("UPDATE posts SET status = 'nonsense'"))
		requireTallied(t, s)
	})
}

// Nobody waits for those who change other posts, and nothing is lost when many do: also while what
// they have added is put together.
func TestPostsAreTalliedWhileManyChangeThem(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		const authors, each = 12, 40
		var all sync.WaitGroup
		failures := make([]error, authors)
		for i := range authors {
			all.Go(func() {
				for n := range each {
					p := draft(nil, november.Add(time.Hour))
					p.Text = fmt.Sprintf("post %d of %d", n, i)
					if _, err := s.Posts.CreatePost(t.Context(), p, november); err != nil {
						failures[i] = err
						return
					}
					if _, err := s.Posts.CancelPost(t.Context(), p.ID, november); err != nil {
						failures[i] = err
						return
					}
				}
			})
		}
		all.Wait()
		for _, err := range failures {
			require.NoError(t, err)
		}
		requireTallied(t, s)
		require.Less(t, s.Count(t, "post_tallies"), 250, "they are put together")
		require.Equal(t, authors*each, s.Number(t, "SELECT COALESCE(SUM(n), 0) FROM post_tallies WHERE status = 'cancelled'"))
	})
}
