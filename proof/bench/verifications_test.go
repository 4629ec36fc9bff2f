package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestVerificationsAreHeldAgainstPlainPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		looks  looks
		missed int
	}{
		"as fast, and no larger": {looks{ours: seconds(2, 2, 2), plain: seconds(2, 2, 2), before: 1000, after: 1100}, 0},
		"too slow":               {looks{ours: seconds(3, 3), plain: seconds(2, 2), before: 1000, after: 1000}, 1},
		"slow once, and in sum":  {looks{ours: seconds(2, 2, 9), plain: seconds(2, 2, 2), before: 1000, after: 1000}, 1},
		"too large":              {looks{ours: seconds(2), plain: seconds(2), before: 1000, after: 1200}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Len(t, missed(c.looks.figures()), c.missed)
		})
	}
}

func seconds(all ...int) (times []time.Duration) {
	for _, one := range all {
		times = append(times, time.Duration(one)*time.Second)
	}
	return times
}
