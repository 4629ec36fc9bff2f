package verification

import (
	"fmt"
	"slices"
	"strings"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// ShotChecks judges one view: that it was opened, its landmarks, console, requests,
// accessibility, and its look against the approved one. Of a page that was not seen, there is
// nothing more to say than that.
func ShotChecks(s Shot) []Check {
	view := ViewName(s.Theme, s.Viewport)
	if s.Facts == nil {
		return []Check{unseen(view, s)}
	}
	checks := []Check{
		opened(view, s), landmarks(view, *s.Facts),
		console(view, s.Facts.Console), requests(view, s.Facts.Failed),
	}
	if s.Facts.Axe != nil {
		checks = append(checks, axe(view, s.Facts.Axe))
	}
	return append(checks, look(view, s))
}

func unseen(view string, s Shot) Check {
	c := Check{Kind: CheckPage, Subject: view, State: Fail, Message: "It was not seen."}
	if s.Error != "" {
		c.Message = sentence(tidy(s.Error, 300))
	}
	if s.Code == string(problem.BrowserMissing) {
		c.State = Skip
	}
	return c
}

func opened(view string, s Shot) Check {
	c := Check{Kind: CheckPage, Subject: view, State: Fail}
	switch status := s.Facts.Status; {
	case status == 0:
		c.Message = "It answered nothing."
	case status < 200 || status > 299:
		c.Message = fmt.Sprintf("It answered %d.", status)
	case s.Error != "":
		c.Message = sentence(tidy(s.Error, 300))
	default:
		c.State, c.Message = Pass, "It opened in "+took(s.Facts.LoadMS)+"."
	}
	return c
}

// parts name landmarks for people.
var parts = map[string]string{"banner": "header", "navigation": "navigation", "main": "main part", "contentinfo": "footer"}

// topHeading is how the details of a check name the heading of the first level.
const topHeading = "h1"

func landmarks(view string, f Facts) Check {
	c := Check{Kind: CheckLandmarks, Subject: view, State: Pass, Message: "Its parts and its one heading are there."}
	var missing []string
	for _, landmark := range Landmarks {
		if !slices.Contains(f.Landmarks, landmark) {
			c.Details = append(c.Details, landmark)
			missing = append(missing, parts[landmark])
		}
	}
	trouble := missingParts(missing)
	if f.Headings != 1 {
		c.Details = append(c.Details, topHeading)
		trouble = append(trouble, wrongHeadings(f.Headings))
	}
	if len(trouble) > 0 {
		c.State, c.Message = Fail, strings.Join(trouble, " ")
	}
	return c
}

func missingParts(missing []string) []string {
	switch len(missing) {
	case 0:
		return nil
	case 1:
		return []string{"The " + missing[0] + " is missing."}
	default:
		return []string{"The " + target.List(missing) + " are missing."}
	}
}

func wrongHeadings(n int) string {
	if n == 0 {
		return "There is no heading of the first level."
	}
	return fmt.Sprintf("There are %d headings of the first level, not one.", n)
}
