package verification

import (
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/target"
)

// finding is what is known of a topic. It says nothing when no check is about it.
func finding(t topic, checks []Check, pictures map[string]Measured) (CriterionVerdict, string) {
	if t.kind == aboutBlank {
		return findingBlank(pictures)
	}
	if t.kind == aboutTime {
		return findingTime(checks)
	}
	var failed, fine, skipped []Check
	for _, check := range of(t.kind, checks) {
		switch {
		case t.kind == CheckEndpoint && !strings.HasPrefix(check.Subject, t.detail): // another one
		case check.State == Skip:
			skipped = append(skipped, check)
		case check.State == Fail && t.in(check):
			failed = append(failed, check)
		default:
			fine = append(fine, check)
		}
	}
	switch {
	case len(failed) > 0:
		return CriterionFail, "The check " + where(failed) + " failed: " + failed[0].Message
	case len(fine) > 0:
		return CriterionPass, "No trouble was found there by the check " + where(fine) + "."
	case len(skipped) > 0:
		return CriterionUnclear, "The check " + where(skipped) + " could not be made: " + skipped[0].Message
	default:
		return CriterionUnclear, ""
	}
}

// in says whether what a check complains of is the topic, or something else of its kind.
func (t topic) in(failed Check) bool {
	if t.detail == "" || t.kind == CheckEndpoint {
		return true
	}
	return slices.ContainsFunc(failed.Details, func(detail string) bool {
		return detail == t.detail || strings.HasPrefix(detail, t.detail+":")
	})
}

// where names a check and what it was made of.
func where(checks []Check) string {
	var subjects []string
	for _, check := range checks {
		subjects = append(subjects, check.Subject)
	}
	if kind := checks[0].Kind; kind != CheckEndpoint {
		return string(kind) + " (" + inViews(subjects) + ")"
	}
	return some(subjects, len(Endpoints))
}

func findingBlank(pictures map[string]Measured) (CriterionVerdict, string) {
	views := viewsOf(pictures)
	switch empty := blanks(views, pictures); {
	case len(views) == 0:
		return CriterionUnclear, ""
	case len(empty) > 0:
		return CriterionFail, "Nearly all of the picture is one colour (" + inViews(empty) + ")."
	default:
		return CriterionPass, "No picture is nearly all of one colour: " + count(len(views), "view") + " measured."
	}
}

// findingTime reads the times in the messages of checks: nothing else that is kept has them.
func findingTime(checks []Check) (CriterionVerdict, string) {
	var slow, fine []string
	for _, check := range append(of(CheckEndpoint, checks), of(CheckPage, checks)...) {
		took, told := tookIn(check.Message)
		switch {
		case !told:
		case took > slowest*time.Millisecond:
			slow = append(slow, check.Subject+": "+check.Message)
		default:
			fine = append(fine, check.Subject)
		}
	}
	limit := took(slowest)
	switch {
	case len(slow) > 0:
		return CriterionFail, "More than " + limit + " is slow. " + some(slow, 3)
	case len(fine) > 0:
		return CriterionPass, "By the checks, " + target.List(fine) + " took " + limit + " at most."
	default:
		return CriterionUnclear, ""
	}
}

// tookIn reads what took wrote.
func tookIn(message string) (time.Duration, bool) {
	_, rest, found := strings.Cut(message, " in ")
	if !found {
		_, rest, found = strings.Cut(message, "It took ")
	}
	number, unit, spaced := strings.Cut(strings.TrimSuffix(rest, "."), " ")
	if !found || !spaced {
		return 0, false
	}
	span, err := time.ParseDuration(number + unit)
	return span, err == nil
}
