package verification

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSuccessRate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		passed, failed int
		rate           float64
	}{{0, 0, 0}, {27, 0, 100}, {0, 3, 0}, {26, 1, 96.3}, {25, 2, 92.6}, {1, 2, 33.3}, {99_999, 1, 99.9}, {1, 99_999, 0.1}, {-1, 0, 0}} {
		require.InDelta(t, tt.rate, SuccessRate(tt.passed, tt.failed), 1e-9, "%d %d", tt.passed, tt.failed)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		newest []Verdict
		status Verdict
		wavers bool
	}{
		"no run yet":                            {nil, Unknown, false},
		"one":                                   {[]Verdict{Broken}, Broken, false},
		"of two, the newest":                    {[]Verdict{Warning, Active}, Warning, false},
		"three that agree":                      {[]Verdict{Active, Active, Active}, Active, false},
		"the newest is alone":                   {[]Verdict{Broken, Active, Active}, Active, true},
		"two say so":                            {[]Verdict{Broken, Broken, Active}, Broken, true},
		"there and back":                        {[]Verdict{Active, Broken, Active}, Active, true},
		"it recovers":                           {[]Verdict{Active, Active, Broken}, Active, true},
		"three that differ":                     {[]Verdict{Active, Broken, Warning}, Warning, true},
		"what was earlier does not count":       {[]Verdict{Active, Active, Active, Broken, Broken, Broken}, Active, false},
		"what is no end does not count":         {[]Verdict{"", Unknown, Broken, Active, Active}, Active, true},
		"warnings, and one that is worse":       {[]Verdict{Warning, Broken, Warning}, Warning, true},
		"nothing but what is no end is unknown": {[]Verdict{"", Unknown}, Unknown, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := append([]Verdict(nil), tt.newest...)
			status, wavers := Status(tt.newest)
			require.Equal(t, []any{tt.status, tt.wavers}, []any{status, wavers})
			require.Equal(t, given, tt.newest, "the runs stay in their order")
		})
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	const every = 15 * time.Minute
	require.False(t, Stale(now.Add(-30*time.Minute), every, now), "on the dot")
	require.True(t, Stale(now.Add(-30*time.Minute-1), every, now))
	require.False(t, Stale(now.Add(time.Hour), every, now), "a clock was put back")
	require.False(t, Stale(now.AddDate(-9, 0, 0), 0, now), "without a schedule nothing is late")
	require.True(t, Stale(time.Time{}, every, now))
}

func TestFrameworkStatus(t *testing.T) {
	t.Parallel()
	for verdict, word := range map[Verdict]string{Active: "working", Warning: "degraded", Broken: "broken", Unknown: "unknown", "": "unknown"} {
		require.Equal(t, word, FrameworkStatus(verdict))
	}
}
