package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestVerificationsAreHeldAgainstPlainPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		looks looks
		met   bool
		says  string
	}{
		"as fast, and no larger": {looks{ours: seconds(2, 2, 2), plain: seconds(2, 2, 2), before: 1000, after: 1100}, true, "1.00"},
		"too slow":               {looks{ours: seconds(3, 3), plain: seconds(2, 2), before: 1000, after: 1000}, false, "1.50"},
		"too large":              {looks{ours: seconds(2), plain: seconds(2), before: 1000, after: 1200}, false, "ratio 1.20"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.Equal(t, c.met, c.looks.report(&out))
			require.Contains(t, out.String(), c.says)
			if !c.met {
				require.Contains(t, out.String(), "MISSED")
			}
		})
	}
}

func seconds(all ...int) (times []time.Duration) {
	for _, one := range all {
		times = append(times, time.Duration(one)*time.Second)
	}
	return times
}
