package verification

import (
	"fmt"
	"slices"
	"strings"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// CheckKind is what a check is about.
type CheckKind string

const (
	CheckEndpoint  CheckKind = "endpoint"      // status, content type and time of a public address
	CheckPage      CheckKind = "page"          // it was opened, and answered well
	CheckLandmarks CheckKind = "landmarks"     // its parts and its one heading are there
	CheckConsole   CheckKind = "console"       // no script complained
	CheckRequests  CheckKind = "requests"      // everything it asked for came
	CheckAxe       CheckKind = "accessibility" // axe found nothing
	CheckBaseline  CheckKind = "look"          // it looks as it was approved
)

// CheckState is how a check ended.
type CheckState string

const (
	Pass CheckState = "pass"
	Fail CheckState = "fail"
	Skip CheckState = "skip" // it could not be made; Message says why
)

// Check is one thing that was looked at.
type Check struct {
	Kind    CheckKind  `json:"kind"`
	Subject string     `json:"subject"` // "GET /api/stats", or the view: "light wide"
	State   CheckState `json:"state"`
	Message string     `json:"message"` // a sentence
	Details []string   `json:"details,omitempty"`
}

// Endpoint is a public address that is asked in every run.
type Endpoint struct {
	Path        string
	ContentType string // that it must answer, without parameters
}

// Endpoints are the six public endpoints.
var Endpoints = []Endpoint{
	{"/", "text/html"},
	{"/healthz", "application/json"},
	{"/api/bot-status", "application/json"},
	{"/api/bot-posts?limit=10", "application/json"},
	{"/api/chaos/recent", "application/json"},
	{"/api/stats", "application/json"},
}

// Answer is what an endpoint said.
type Answer struct {
	Path        string
	Status      int // 0: none
	ContentType string
	TookMS      int
	Error       string // why there was no answer; a sentence
}

// slowest is how long an endpoint may take, and the page when somebody asks whether it is fast.
const slowest = 2000 // ms

const statusOK = 200

// EndpointCheck judges what an endpoint said.
func EndpointCheck(e Endpoint, a Answer) Check {
	c := Check{Kind: CheckEndpoint, Subject: "GET " + e.Path, State: Fail}
	switch troubles := endpointTroubles(e, a); {
	case a.Status == 0 && a.Error == "":
		c.Message = "There was no answer."
	case a.Status == 0:
		c.Message = sentence("No answer: " + tidy(a.Error, 200))
	case len(troubles) > 0:
		c.Message = strings.Join(troubles, " ")
	default:
		c.State, c.Message = Pass, fmt.Sprintf("It answered %d in %s.", a.Status, took(a.TookMS))
	}
	return c
}

func endpointTroubles(e Endpoint, a Answer) (troubles []string) {
	if a.Status != statusOK {
		troubles = append(troubles, fmt.Sprintf("It answered %d.", a.Status))
	}
	kind, _, _ := strings.Cut(a.ContentType, ";")
	switch kind = tidy(kind, 80); {
	case a.Status != statusOK: // an error may be written in any way
	case kind == "":
		troubles = append(troubles, "It named no content type, not "+e.ContentType+".")
	case !strings.EqualFold(kind, e.ContentType):
		troubles = append(troubles, "It answered "+kind+", not "+e.ContentType+".")
	}
	if a.TookMS > slowest {
		troubles = append(troubles, "It took "+took(a.TookMS)+".")
	}
	return troubles
}

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
	c := Check{Kind: CheckBaseline, Subject: view, State: Pass}
	switch {
	case s.BaselineID == nil:
		c.State, c.Message = Skip, "No look of this view is approved yet: founders approve one."
	case s.ChangedShare == nil:
		c.State, c.Message = Skip, "It could not be compared with the approved look."
	case *s.ChangedShare > Tolerated:
		c.State, c.Message = Fail, percent(*s.ChangedShare)+" of the picture changed."
	case *s.ChangedShare > 0:
		c.Message = "It looks as it was approved: " + percent(*s.ChangedShare) + " of the picture changed."
	default:
		c.Message = "It looks as it was approved."
	}
	return c
}
