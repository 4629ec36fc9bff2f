package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
)

// failingReads fails at the n-th save.
type failingReads struct {
	PostStore
	left int
}

func (b *failingReads) SaveMetrics(ctx context.Context, r post.Reading, m *post.Metrics, now time.Time) error {
	if b.left == 0 {
		return errors.New("no database")
	}
	b.left--
	return b.PostStore.SaveMetrics(ctx, r, m, now)
}

// newReader has three due posts, newest first: 3, 2 and 1. X no longer has the second.
func newReader(t *testing.T) *postWorld {
	d := newPostWorld(t)
	for i, id := range []string{"1", "2", "3"} {
		d.publish(t, "p"+id, id, noon.Add(time.Duration(i-5)*time.Hour))
	}
	d.x.metrics = map[string]post.Metrics{"1": {Likes: 10}, "3": {Likes: 30, Reposts: 3, Replies: 2, Quotes: 1}}
	return d
}

func (d *postWorld) used(t *testing.T) int {
	return must(d.db.Posts.ReadUsage(t.Context(), "2026-11")).Used
}

func TestReadEngagement(t *testing.T) {
	t.Parallel()
	d := newReader(t)
	require.Equal(t, ReadEngagementResult{Due: 3, Measured: 2}, must(d.ReadEngagement(t.Context(), NoInput{})))
	require.Equal(t, [][]string{{"3", "2", "1"}}, d.x.asked, "all at once, the newest first")
	require.Equal(t, 41, must(d.db.Posts.Post(t.Context(), "p3")).Engagement(), "likes + 2·reposts + 2·replies + quotes")

	require.Zero(t, must(d.ReadEngagement(t.Context(), NoInput{})))
	require.Len(t, d.x.asked, 1, "nothing is due, so X is not called")
	require.Equal(t, 3, d.used(t))
}

func TestReadEngagementCountsAReadingOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		harm  func(*postWorld)
		again []string // requested the second time
	}{
		"X did not answer":             {func(d *postWorld) { d.x.err = saying(post.Unclear) }, []string{"3", "2", "1"}},
		"the worker was lost half-way": {func(d *postWorld) { d.Posts = &failingReads{d.db.Posts, 1} }, []string{"2", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newReader(t)
			tt.harm(d)
			_, err := d.ReadEngagement(t.Context(), NoInput{})
			require.Error(t, err)
			require.Equal(t, 3, d.used(t))
			d.x.err, d.Posts = nil, d.db.Posts
			must(d.ReadEngagement(t.Context(), NoInput{}))
			require.Equal(t, [][]string{{"3", "2", "1"}, tt.again}, d.x.asked)
			require.Equal(t, 3, d.used(t), "counted when it was reserved, and not again")
		})
	}
}
