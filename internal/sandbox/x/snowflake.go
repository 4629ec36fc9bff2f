package x

import (
	"strconv"
	"time"
)

const (
	snowflakeEpoch = 1288834974657 // milliseconds; 4 November 2010, when X began to number this way
	snowflakeShift = 22
)

// nextID gives an ID in X's manner: it grows with time, and is above last even when the
// clock stands still, runs back, or the sandbox was started again.
func nextID(now time.Time, last int64) int64 {
	return max((now.UnixMilli()-snowflakeEpoch)<<snowflakeShift, last+1)
}

func formatID(id int64) string { return strconv.FormatInt(id, 10) }
