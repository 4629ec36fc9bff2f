package verification

import (
	"fmt"
	"strings"

	"customerzero/internal/domain/target"
)

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
