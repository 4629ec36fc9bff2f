package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
)

// A connection that ends between a COMMIT and its answer leaves open what came of it. Who then did the
// change anew would do it twice, or be refused by their own first try.
func TestAChangeIsNotDoneAgainWhenItMayBeDone(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	luck, done := testseed.New(t), make(chan struct{})
	var cutting sync.WaitGroup
	defer cutting.Wait()
	defer close(done)
	cutting.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(luck.IntN(25)) * time.Millisecond):
				assert.NoError(t, way.Reset())
			}
		}
	})
	const enough = 20
	for n, open := 0, 0; open < enough; n++ {
		p := post.Post{ID: fmt.Sprintf("p%d", n), Text: fmt.Sprintf("number %d", n), Status: post.StatusDraft, ScheduledAt: november}
		if _, err := s.Posts.CreatePost(t.Context(), p, november); err != nil {
			require.ErrorIs(t, err, problem.ErrAway)
			open++
		}
	}
}
