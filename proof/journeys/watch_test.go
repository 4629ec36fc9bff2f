package journeys_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/workflows"
)

// row reads a post.
func (w *world) row(t *testing.T, id string) post.Post {
	t.Helper()
	p, err := w.db.Posts.Post(t.Context(), id)
	require.NoError(t, err)
	return p
}

// becomes waits until a post has a status.
func (w *world) becomes(t *testing.T, id string, status post.Status) post.Post {
	t.Helper()
	eventually(t, func(c *assert.CollectT) {
		p, err := w.db.Posts.Post(t.Context(), id)
		require.NoError(c, err)
		require.Equal(c, status, p.Status, p.Reason)
	})
	return w.row(t, id)
}

// ends waits for a post's run, and sees that it tells the same as the row.
func (w *world) ends(t *testing.T, id string, status post.Status) post.Post {
	t.Helper()
	var result workflows.PostResult
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflows.PostID(id), "").Get(t.Context(), &result))
	p := w.row(t, id)
	require.Equal(t, status, p.Status, p.Reason)
	require.Equal(t, status, result.Status)
	require.Equal(t, p.Attempt, result.Attempts)
	if p.TweetID != nil {
		require.Equal(t, *p.TweetID, result.TweetID)
	}
	return p
}

// isPublic sees that just this text went out, that X was asked so many times, and that one
// slot was spent on it.
func (w *world) isPublic(t *testing.T, text string, sends int) {
	t.Helper()
	require.EqualValues(t, sends, w.sends.Load(), "calls that reached X")
	tweets := w.x.Tweets()
	require.Len(t, tweets, 1)
	require.Equal(t, text, tweets[0].Text)
	w.holds(t, 1, 0)
}

// holds counts slots. The month may turn between the first journey's step and the last.
func (w *world) holds(t *testing.T, spent, reserved int) {
	t.Helper()
	now := time.Now()
	months := []post.Month{post.MonthOf(now.Add(-time.Hour)), post.MonthOf(now), post.MonthOf(now.Add(2 * time.Hour))}
	var have post.MonthUsage
	for _, month := range slices.Compact(months) {
		usage, err := w.db.Posts.MonthUsage(t.Context(), month)
		require.NoError(t, err)
		have.Spent += usage.Spent
		have.Reserved += usage.Reserved
	}
	require.Equal(t, spent, have.Spent, "slots spent")
	require.Equal(t, reserved, have.Reserved, "slots reserved")
}
