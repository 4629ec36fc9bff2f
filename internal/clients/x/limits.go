package x

import (
	"net/http"
	"strconv"
	"time"
)

// limitHeaders begin the headers of X's limits. The first is the usual one; the others cap
// a day, and come only where there is such a cap.
var limitHeaders = []string{"x-rate-limit", "x-app-limit-24hour", "x-user-limit-24hour"}

const (
	usualWait = time.Minute // when X does not say
	leastWait = time.Second // when its clock is ahead of ours

	// longestWait is a little more than the longest of X's limits, which is that of a day. A time
	// beyond it is none: somebody between us writes milliseconds, say.
	longestWait = 25 * time.Hour
)

// retryAt is when a call may be made again: when the last of the used-up limits is renewed.
func retryAt(header http.Header, now time.Time) time.Time {
	var latest time.Time
	for _, name := range limitHeaders {
		reset, ok := resetOf(header, name)
		if ok && header.Get(name+"-remaining") == "0" && reset.After(latest) {
			latest = reset
		}
	}
	if latest.IsZero() {
		var ok bool
		if latest, ok = resetOf(header, limitHeaders[0]); !ok {
			return now.Add(usualWait)
		}
	}
	return now.Add(min(max(latest.Sub(now), leastWait), longestWait))
}

func resetOf(header http.Header, name string) (time.Time, bool) {
	seconds, err := strconv.ParseInt(header.Get(name+"-reset"), 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}, false
	}
	return time.Unix(seconds, 0), true
}
