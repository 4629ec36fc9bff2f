package post_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
)

func TestWhenAMonthIsUsedUp(t *testing.T) {
	t.Parallel()
	on := func(day, hour int) time.Time { return time.Date(2026, time.November, day, hour, 0, 0, 0, time.UTC) }
	for name, tt := range map[string]struct {
		spent int
		month post.Month
		now   time.Time
		empty time.Time // zero: nobody says
	}{
		"as many as days pass":           {250, "2026-11", on(11, 0), on(21, 0)},
		"at a tenth of the pace":         {25, "2026-11", on(11, 0), time.Time{}},
		"just enough for the month":      {100, "2026-11", on(7, 0), time.Time{}},
		"all gone":                       {500, "2026-11", on(11, 0), on(11, 0)},
		"on the second day: too early":   {400, "2026-11", on(2, 23), time.Time{}},
		"on the third":                   {400, "2026-11", on(3, 0), on(3, 12)},
		"nothing went out":               {0, "2026-11", on(11, 0), time.Time{}},
		"another month":                  {250, "2026-12", on(11, 0), time.Time{}},
		"the month before, that is over": {250, "2026-10", on(11, 0), time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			empty := post.MonthUsage{Spent: tt.spent}.EmptyOn(tt.month, tt.now)
			if tt.empty.IsZero() {
				require.Nil(t, empty)
				return
			}
			require.NotNil(t, empty)
			require.WithinDuration(t, tt.empty, *empty, time.Second)
		})
	}
}
