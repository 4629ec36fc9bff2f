package x

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMetricsGrowAndNeverShrink(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		id := fmt.Sprint(1_900_000_000_000_000_000 + i)
		before := Metrics{}
		require.Equal(t, before, metricsAt(id, -time.Minute))
		require.Equal(t, before, metricsAt(id, 0))
		for _, age := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 10 * 365 * 24 * time.Hour} {
			m := metricsAt(id, age)
			require.GreaterOrEqual(t, m.Impressions, before.Impressions)
			require.GreaterOrEqual(t, m.Likes, before.Likes)
			require.GreaterOrEqual(t, m.Reposts, before.Reposts)
			require.GreaterOrEqual(t, m.Replies, before.Replies)
			require.LessOrEqual(t, m.Likes, m.Impressions)
			before = m
		}
		require.Positive(t, before.Likes)
		require.LessOrEqual(t, before.Impressions, 4200)
	}
}

// These numbers are a promise: tests elsewhere may name them.
func TestMetricsOfOneTweet(t *testing.T) {
	t.Parallel()
	require.Equal(t, Metrics{Impressions: 3553, Likes: 67, Replies: 10, Reposts: 6, Bookmarks: 4},
		metricsAt("1900000000000000000", 24*time.Hour))
	require.NotEqual(t, metricsAt("1900000000000000000", 24*time.Hour), metricsAt("1900000000000000001", 24*time.Hour))
}

func TestIDsGrow(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_780_000_000_123)
	id := nextID(now, 0)
	require.Equal(t, now.UnixMilli(), id>>snowflakeShift+snowflakeEpoch, "an ID tells its time")
	require.Equal(t, id+1, nextID(now, id), "the clock stands still")
	require.Equal(t, id+1, nextID(now.Add(-time.Hour), id), "the clock runs back")
	require.Greater(t, nextID(now.Add(time.Millisecond), id), id+1)
	require.Positive(t, nextID(time.Unix(0, 0), 0))
}

func TestCompareIDs(t *testing.T) {
	t.Parallel()
	require.Negative(t, compareIDs("9", "10"))
	require.Positive(t, compareIDs("11", "10"))
	require.Zero(t, compareIDs("010", "10"))
}
