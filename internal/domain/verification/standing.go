package verification

import (
	"math"
	"slices"
	"time"
)

// SuccessRate is the share of the checks that passed, of those that could be made, in percent
// with one decimal; 0 when none could. It is 100 only when none failed.
func SuccessRate(passed, failed int) float64 {
	if passed <= 0 {
		return 0
	}
	if failed <= 0 {
		return 100
	}
	rate := math.Round(1000*float64(passed)/float64(passed+failed)) / 10
	return min(max(rate, 0.1), 99.9)
}

// ranks order verdicts, the best first.
var ranks = []Verdict{Active, Warning, Broken}

// Status is how the site stands, by the last runs of its front page, newest first. Of three, it
// is the one in the middle, so that two runs agree that it is no better, and two that it is no
// worse; of fewer, the newest counts. It wavers when the last three are not the same.
func Status(newest []Verdict) (v Verdict, wavers bool) {
	var ended []Verdict
	for _, verdict := range newest {
		if slices.Contains(ranks, verdict) {
			ended = append(ended, verdict)
		}
	}
	switch {
	case len(ended) == 0:
		return Unknown, false
	case len(ended) < 3:
		return ended[0], false
	}
	last := ended[:3]
	slices.SortFunc(last, func(a, b Verdict) int { return slices.Index(ranks, a) - slices.Index(ranks, b) })
	return last[1], last[0] != last[2]
}

// Stale says whether a run is too old to tell how the site stands: more than two intervals.
// Without a schedule no run is.
func Stale(last time.Time, every time.Duration, now time.Time) bool {
	return every > 0 && now.Sub(last) > 2*every
}

// FrameworkStatus says a verdict in the word that other tools of the trade use.
func FrameworkStatus(v Verdict) string {
	switch v {
	case Active:
		return "working"
	case Warning:
		return "degraded"
	case Broken:
		return "broken"
	default:
		return "unknown"
	}
}

// ForEverybody is what a run says of the site. A comment counts where the schedule asked for
// it: the answer to somebody's question must not lower how the site stands, or anybody could
// ask it down.
func (r Run) ForEverybody() Verdict {
	if r.RequestedBy == Schedule {
		return r.Verdict
	}
	return r.Checked
}
