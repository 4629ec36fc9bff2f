package verification

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// Judge combines checks and the AI review into a verdict. The review can lower active to warning if it has
// doubts or a criterion fails; it never raises a verdict. The built-in analysis counts only by its criteria.
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

// checked is the verdict of the checks alone. Without a passed check it is not active.
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

// unseenViews returns the checks of views that were not opened because the browser is missing.
func unseenViews(checks []Check) []Check {
	return slices.DeleteFunc(of(CheckPage, checks), func(c Check) bool { return c.State != Skip })
}

func of(kind CheckKind, checks []Check) []Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return c.Kind != kind })
}

// Count counts checks by state.
func Count(checks []Check) (passed, failed, skipped int) {
	counts := map[CheckState]int{}
	for _, check := range checks {
		counts[check.State]++
	}
	return counts[Pass], counts[Fail], counts[Skip]
}

// reason summarizes the checks in a sentence.
func reason(checks []Check) string {
	unseen := len(unseenViews(checks))
	if unseen == 0 {
		return summary(checks) + "."
	}
	text := fmt.Sprintf("The browser is missing, so %s of the page could not be captured", count(unseen, "view"))
	if passed, failed, _ := Count(checks); passed+failed > 0 {
		text += ": " + lowered(summary(checks))
	}
	return text + "."
}

// summary counts the checks and names those that failed, without a full stop. Skipped checks are not
// mentioned.
func summary(checks []Check) string {
	passed, failed, _ := Count(checks)
	switch made := passed + failed; {
	case made == 0:
		return "Nothing could be checked"
	case failed > 0:
		return fmt.Sprintf("%d of %s failed: %s", failed, count(made, "check"), some(named(checks), 4))
	case made == 1:
		return "The only check passed"
	default:
		return fmt.Sprintf("All %d checks passed", made)
	}
}

// named lists the failed checks; several views of one kind are listed together.
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

// objection is the reason why the review does not confirm active, or "". It does not repeat a visitor's
// criteria because the reason is public.
func objection(c *Comment) string {
	if c == nil {
		return ""
	}
	var why []string
	if c.Doubts && !c.BuiltIn {
		why = append(why, "the AI review has doubts")
	}
	failed := 0
	for _, criterion := range c.Criteria {
		if criterion.Verdict == CriterionFail {
			failed++
		}
	}
	switch {
	case failed == 0:
	case len(c.Criteria) == 1:
		why = append(why, "the requested criterion failed")
	default:
		why = append(why, fmt.Sprintf("%d of %d requested criteria failed", failed, len(c.Criteria)))
	}
	return strings.Join(why, ", and ")
}

// SuccessRate is the percentage of checks that passed, with one decimal; 0 if none passed. It is 100 only
// if none failed.
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

// ranks orders the verdicts, best first.
var ranks = []Verdict{Active, Warning, Broken}

// Status is the state of the site by the last runs of its front page, newest first: the median of the
// last three, or the newest if there are fewer. wavers reports whether these differ.
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
		return ended[0], ended[0] != ended[len(ended)-1]
	}
	last := ended[:3]
	slices.SortFunc(last, func(a, b Verdict) int { return slices.Index(ranks, a) - slices.Index(ranks, b) })
	return last[1], last[0] != last[2]
}

// Stale reports whether a run is more than two intervals old. Without a schedule no run is stale.
func Stale(last time.Time, every time.Duration, now time.Time) bool {
	return every > 0 && now.Sub(last) > 2*every
}

// FrameworkStatus translates a verdict into the terms of other status tools.
func FrameworkStatus(v Verdict) string {
	return cmp.Or(map[Verdict]string{Active: "working", Warning: "degraded", Broken: "broken"}[v], "unknown")
}

// ForEverybody is the verdict that counts for the site's status. The AI review counts only in scheduled
// runs; otherwise a visitor's prompt could lower the public status.
func (r Run) ForEverybody() Verdict {
	if r.RequestedBy == Schedule {
		return r.Verdict
	}
	return r.ChecksVerdict
}
