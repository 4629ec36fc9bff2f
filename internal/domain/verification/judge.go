package verification

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// Judge says what the checks come to, and how a comment changes that: it may lower active to
// warning when it doubts, or when something that was asked is not so. It never raises. The
// built-in analysis has no doubts of its own, only what the checks answer.
func Judge(checks []Check, c *Comment) Outcome {
	o := Outcome{ChecksVerdict: checked(checks), Reason: reason(checks), Checks: checks}
	o.Verdict = o.ChecksVerdict
	if len(unseenViews(checks)) > 0 {
		o.Code = string(problem.BrowserMissing)
	}
	if objection := objection(c); objection != "" && o.ChecksVerdict == Active {
		o.Verdict = Warning
		o.Reason = o.Reason[:len(o.Reason)-1] + ", but " + objection + "."
	}
	return o
}

// checked is what the checks alone say. What passed nothing is not active.
func checked(checks []Check) Verdict {
	passed, failed, _ := Count(checks)
	endpointsPassed, endpointsFailed, _ := Count(of(CheckEndpoint, checks))
	_, pagesFailed, _ := Count(of(CheckPage, checks))
	switch {
	case pagesFailed > 0, endpointsFailed > 0 && endpointsFailed >= endpointsPassed:
		return Broken
	case failed > 0, passed == 0, len(unseenViews(checks)) > 0:
		return Warning
	default:
		return Active
	}
}

// unseenViews are the checks of views that could not be opened, for want of a browser.
func unseenViews(checks []Check) (unseen []Check) {
	for _, check := range of(CheckPage, checks) {
		if check.State == Skip {
			unseen = append(unseen, check)
		}
	}
	return unseen
}

func of(kind CheckKind, checks []Check) (some []Check) {
	for _, check := range checks {
		if check.Kind == kind {
			some = append(some, check)
		}
	}
	return some
}

// Count tells checks by how they ended.
func Count(checks []Check) (passed, failed, skipped int) {
	for _, check := range checks {
		switch check.State {
		case Pass:
			passed++
		case Fail:
			failed++
		default:
			skipped++
		}
	}
	return passed, failed, skipped
}

// reason says in a sentence what the checks came to.
func reason(checks []Check) string {
	unseen := len(unseenViews(checks))
	if unseen == 0 {
		return tally(checks) + "."
	}
	said := fmt.Sprintf("The browser is missing, so %s of the page could not be looked at", count(unseen, "view"))
	if passed, failed, _ := Count(checks); passed+failed > 0 {
		said += ": " + lowered(tally(checks))
	}
	return said + "."
}

// tally counts checks and names those that failed, without a full stop. The looks that nobody
// approved yet are no news: only whoever reads the checks sees them.
func tally(checks []Check) string {
	passed, failed, _ := Count(checks)
	switch made := passed + failed; {
	case made == 0:
		return "Nothing could be checked"
	case failed > 0:
		return fmt.Sprintf("%d of %s failed: %s", failed, count(made, "check"), some(named(checks), 4))
	case made == 1:
		return "The one check that could be made passed"
	default:
		return fmt.Sprintf("All %d checks passed", made)
	}
}

// named are the names of what failed, a kind of check for several views once.
func named(checks []Check) (names []string) {
	views := map[CheckKind][]string{}
	var kinds []CheckKind
	for _, check := range checks {
		switch {
		case check.State != Fail:
		case check.Kind == CheckEndpoint:
			names = append(names, check.Subject)
		default:
			if views[check.Kind] == nil {
				kinds = append(kinds, check.Kind)
			}
			views[check.Kind] = append(views[check.Kind], check.Subject)
		}
	}
	for _, kind := range kinds {
		names = append(names, string(kind)+" ("+inViews(views[kind])+")")
	}
	return names
}

func inViews(views []string) string {
	if len(views) > 2 {
		return count(len(views), "view")
	}
	return target.List(views)
}

func lowered(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// objection is why a comment does not let active stand; empty: it does. What was asked is a
// visitor's text, and is not repeated: the reason stands on public pages.
func objection(c *Comment) string {
	if c == nil {
		return ""
	}
	var why []string
	if c.Doubts && !c.BuiltIn {
		why = append(why, "the comment has doubts")
	}
	failed := 0
	for _, criterion := range c.Criteria {
		if criterion.Verdict == CriterionFail {
			failed++
		}
	}
	if asked := len(c.Criteria); failed > 0 && asked == 1 {
		why = append(why, "what was asked is not so")
	} else if failed == 1 {
		why = append(why, fmt.Sprintf("1 of %d things that were asked is not so", asked))
	} else if failed > 1 {
		why = append(why, fmt.Sprintf("%d of %d things that were asked are not so", failed, asked))
	}
	return strings.Join(why, ", and ")
}

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
	return r.ChecksVerdict
}
