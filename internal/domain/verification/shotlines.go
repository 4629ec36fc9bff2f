package verification

import (
	"fmt"
	"strings"
)

// mostDetails is how many lines a check keeps: the contract is for people.
const mostDetails = 20

func console(view string, complaints []string) Check {
	c := Check{Kind: CheckConsole, Subject: view, State: Pass, Message: "No script complained."}
	if len(complaints) > 0 {
		c.State, c.Details = Fail, details(complaints)
		c.Message = count(len(complaints), "error") + first(complaints)
	}
	return c
}

func requests(view string, failed []string) Check {
	c := Check{Kind: CheckRequests, Subject: view, State: Pass, Message: "Everything it asked for came."}
	if len(failed) > 0 {
		c.State, c.Details = Fail, details(failed)
		c.Message = count(len(failed), "request") + " failed" + first(failed)
	}
	return c
}

// first names the first of some lines, so that one trouble can be told from another.
func first(lines []string) string {
	separator := ": "
	if len(lines) > 1 {
		separator = ", the first: "
	}
	return separator + sentence(tidy(lines[0], 160))
}

func axe(view string, violations []Violation) Check {
	c := Check{Kind: CheckAxe, Subject: view, State: Pass, Message: "No rule of accessibility is broken."}
	if len(violations) == 0 {
		return c
	}
	var rules []string
	for _, v := range violations {
		rule := tidy(v.Rule, 60)
		rules = append(rules, fmt.Sprintf("%s (%s, %s)", rule, tidy(v.Impact, 20), count(v.Count, "place")))
		c.Details = append(c.Details, tidy(rule+": "+v.Help+" At: "+strings.Join(v.Targets, ", "), 400))
	}
	verb := " is broken: "
	if len(violations) > 1 {
		verb = " are broken: "
	}
	c.State, c.Details = Fail, details(c.Details)
	c.Message = count(len(violations), "rule") + verb + some(rules, 5) + "."
	return c
}

// details bounds what a page says of itself.
func details(lines []string) []string {
	var kept []string
	for _, line := range lines[:min(len(lines), mostDetails)] {
		kept = append(kept, tidy(line, 400))
	}
	if more := len(lines) - mostDetails; more > 0 {
		kept = append(kept, fmt.Sprintf("… and %d more", more))
	}
	return kept
}

// Tolerated is the share of a picture that may differ from the approved look: a caret, or a
// letter that another version of the browser draws in another way.
const Tolerated = 0.001

func look(view string, s Shot) Check {
	c := Check{Kind: CheckLook, Subject: view, State: Pass}
	switch {
	case s.BaselineID == nil:
		c.State, c.Message = Skip, "No look of this view is approved yet: founders approve one."
	case s.Changed == nil:
		c.State, c.Message = Skip, "It could not be compared with the approved look."
	case *s.Changed > Tolerated:
		c.State, c.Message = Fail, percent(*s.Changed)+" of the picture changed."
	case *s.Changed > 0:
		c.Message = "It looks as it was approved: " + percent(*s.Changed) + " of the picture changed."
	default:
		c.Message = "It looks as it was approved."
	}
	return c
}
