package workflows_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
)

// skews are how far the clock of a worker may be from everybody else's. X takes no call of one that
// is off by more than five minutes; the others are of a clock that is put right meanwhile.
var skews = map[string]time.Duration{
	"an hour behind":      -time.Hour,
	"four minutes behind": -4 * time.Minute,
	"ten seconds behind":  -10 * time.Second,
	"right":               0,
	"ten seconds ahead":   10 * time.Second,
	"four minutes ahead":  4 * time.Minute,
}

// The waits before we look are ours and X's: a worker whose clock is wrong neither shortens them,
// so that a post goes out twice, nor overlooks what went out by X's clock.
// Proves: F25
func TestAWorkersClockDecidesNothing(t *testing.T) {
	t.Parallel()
	for name, off := range skews {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &shyX{hides: 24 * time.Second, takes: true} // a little less than we wait
			w := newShyWorld(t, x, off)
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.Equal(t, 1, x.calls)
			require.Len(t, x.tweets, 1)
			require.WithinDuration(t, w.post.ScheduledAt, *w.post.PublishedAt, time.Second, "X knows when")
			require.WithinDuration(t, w.post.ScheduledAt, w.env.Now(), time.Minute, "nobody waits for a clock that is wrong")
		})
	}
}

// While X cannot be reached it is asked less and less often, whatever the worker's clock says.
// Proves: F25
func TestAWorkerWhoseClockIsBehindDoesNotHurry(t *testing.T) {
	t.Parallel()
	for name, off := range skews {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &shyX{fails: slices.Repeat([]error{notReached}, 20)}
			w := newShyWorld(t, x, off)
			require.Equal(t, post.StatusPublished, w.run(t).Status)
			require.Equal(t, 21, x.calls)
			waited := w.env.Now().Sub(w.post.ScheduledAt)
			require.Greater(t, waited, 10*time.Minute, "twenty tries, and less and less often")
			require.Less(t, waited, 2*time.Hour+20*max(off, 0))
		})
	}
}
