package launcher

import "time"

// A server that dies again and again has a reason that a restart does not cure.
const (
	restartLimit  = 5
	restartWindow = time.Minute
	firstPause    = 50 * time.Millisecond
)

// budget decides whether and when the next restart may be. Its zero value is full.
type budget struct {
	spent []time.Time // within the window, oldest first
}

// next spends a restart and says how long to pause before it, doubling with each one in the
// window, or that none is left.
func (b *budget) next(now time.Time) (pause time.Duration, ok bool) {
	for len(b.spent) > 0 && now.Sub(b.spent[0]) >= restartWindow {
		b.spent = b.spent[1:]
	}
	if len(b.spent) == restartLimit {
		return 0, false
	}
	pause = firstPause << len(b.spent)
	b.spent = append(b.spent, now)
	return pause, true
}
