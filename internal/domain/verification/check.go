package verification

import (
	"fmt"
	"slices"
	"strings"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// CheckKind is the subject of a check.
type CheckKind string

const (
	CheckEndpoint  CheckKind = "endpoint"      // status, content type and response time of a public endpoint
	CheckPage      CheckKind = "page"          // the page opened with a 2xx status
	CheckLandmarks CheckKind = "landmarks"     // all landmarks and exactly one h1
	CheckConsole   CheckKind = "console"       // no console errors
	CheckRequests  CheckKind = "requests"      // no failed requests
	CheckAxe       CheckKind = "accessibility" // no axe violations
	CheckBaseline  CheckKind = "look"          // same as the baseline
)

// CheckState is the result of a check.
type CheckState string

const (
	Pass CheckState = "pass"
	Fail CheckState = "fail"
	Skip CheckState = "skip" // it could not run; Message has the reason
)

// Check is one check with its result.
type Check struct {
	Kind    CheckKind  `json:"kind" doc:"Kind of check"`
	Subject string     `json:"subject" doc:"Endpoint, or theme and viewport, that was checked"` // "GET /api/stats", or a view such as "light wide"
	State   CheckState `json:"state" doc:"Result of the check; skip if it could not run"`
	Message string     `json:"message" doc:"Human-readable result"` // a sentence
	Details []string   `json:"details,omitempty" doc:"Individual findings"`
}

// Endpoint is a public endpoint that is requested in every run.
type Endpoint struct {
	Path        string
	ContentType string // expected, without parameters
}

// Endpoints are the 6 public endpoints.
var Endpoints = []Endpoint{
	{"/", "text/html"},
	{"/healthz", "application/json"},
	{"/api/bot-status", "application/json"},
	{"/api/bot-posts?limit=10", "application/json"},
	{"/api/chaos/recent", "application/json"},
	{"/api/stats", "application/json"},
}

// Answer is the response of an endpoint.
type Answer struct {
	Path        string
	Status      int // 0: no response
	ContentType string
	TookMS      int
	Error       string // why there was no response; a sentence
}

// slowest is the maximum response time of an endpoint, and of a page in criteria about speed.
const slowest = 2000 // ms

const statusOK = 200

// EndpointCheck evaluates the response of an endpoint.
func EndpointCheck(e Endpoint, a Answer) Check {
	c := Check{Kind: CheckEndpoint, Subject: "GET " + e.Path, State: Fail}
	switch troubles := endpointTroubles(e, a); {
	case a.Status == 0 && a.Error == "":
		c.Message = "No response."
	case a.Status == 0:
		c.Message = sentence("No response: " + tidy(a.Error, 200))
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
	case a.Status != statusOK: // errors may have any content type
	case kind == "":
		troubles = append(troubles, "The content type is missing instead of "+e.ContentType+".")
	case !strings.EqualFold(kind, e.ContentType):
		troubles = append(troubles, "The content type is "+kind+" instead of "+e.ContentType+".")
	}
	if a.TookMS > slowest {
		troubles = append(troubles, "It took "+took(a.TookMS)+".")
	}
	return troubles
}

// ShotChecks evaluates one view: page, landmarks, console, requests, accessibility and baseline. A page
// that was not captured has the page check only.
func ShotChecks(s Shot) []Check {
	view := ViewName(s.Theme, s.Viewport)
	if s.Facts == nil {
		return []Check{unseen(view, s)}
	}
	checks := []Check{
		opened(view, s), landmarks(view, *s.Facts),
		failures(CheckConsole, view, "No console errors.", count(len(s.Facts.Console), "error"), s.Facts.Console),
		failures(CheckRequests, view, "All requests succeeded.", count(len(s.Facts.Failed), "request")+" failed", s.Facts.Failed),
	}
	if s.Facts.Axe != nil {
		checks = append(checks, axe(view, s.Facts.Axe))
	}
	return append(checks, compared(view, s))
}

func unseen(view string, s Shot) Check {
	c := Check{Kind: CheckPage, Subject: view, State: Fail, Message: "The page was not captured."}
	if s.Error != "" {
		c.Message = sentence(tidy(s.Error, 300))
	}
	if s.Retried {
		c.Message += " The first attempt timed out, too."
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
		c.Message = "No response."
	case status < 200 || status > 299:
		c.Message = fmt.Sprintf("It answered %d.", status)
	case s.Error != "":
		c.Message = sentence(tidy(s.Error, 300))
	default:
		c.State, c.Message = Pass, "It opened in "+took(s.Facts.LoadMS)+"."
	}
	if s.Retried {
		c.Message += " The first attempt timed out."
	}
	return c
}

// parts maps landmarks to display names.
var parts = map[string]string{"banner": "header", "navigation": "navigation", "main": "main part", "contentinfo": "footer"}

// topHeading is the detail of the landmarks check for the h1.
const topHeading = "h1"

func landmarks(view string, f Facts) Check {
	c := Check{Kind: CheckLandmarks, Subject: view, State: Pass, Message: "All landmarks and one h1 heading found."}
	var missing, trouble []string
	for _, landmark := range Landmarks {
		if !slices.Contains(f.Landmarks, landmark) {
			c.Details = append(c.Details, landmark)
			missing = append(missing, parts[landmark])
		}
	}
	if len(missing) > 0 {
		trouble = append(trouble, "Missing: "+target.List(missing)+".")
	}
	if f.Headings != 1 {
		c.Details = append(c.Details, topHeading)
		trouble = append(trouble, fmt.Sprintf("The page has %d h1 headings instead of 1.", f.Headings))
	}
	if len(trouble) > 0 {
		c.State, c.Message = Fail, strings.Join(trouble, " ")
	}
	return c
}

// mostDetails is the maximum number of details of a check.
const mostDetails = 20

// failures is a check that passes without lines from the browser.
func failures(kind CheckKind, view, passed, things string, lines []string) Check {
	if len(lines) == 0 {
		return Check{Kind: kind, Subject: view, State: Pass, Message: passed}
	}
	return Check{Kind: kind, Subject: view, State: Fail, Message: things + first(lines), Details: details(lines)}
}

// first quotes the first of several lines.
func first(lines []string) string {
	separator := ": "
	if len(lines) > 1 {
		separator = ", the first: "
	}
	return separator + sentence(tidy(lines[0], 160))
}

func axe(view string, violations []Violation) Check {
	c := Check{Kind: CheckAxe, Subject: view, State: Pass, Message: "No accessibility violations."}
	if len(violations) == 0 {
		return c
	}
	var rules []string
	for _, v := range violations {
		rule := tidy(v.Rule, 60)
		rules = append(rules, fmt.Sprintf("%s (%s, %s)", rule, tidy(v.Impact, 20), count(v.Count, "place")))
		c.Details = append(c.Details, tidy(rule+": "+v.Help+" At: "+strings.Join(v.Targets, ", "), 400))
	}
	verb := " is violated: "
	if len(violations) > 1 {
		verb = " are violated: "
	}
	c.State, c.Details = Fail, details(c.Details)
	c.Message = count(len(violations), "rule") + verb + some(rules, 5) + "."
	return c
}

// details bounds the number and length of lines from the page.
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

// Tolerated is the share of a picture that may differ from the baseline, such as a caret or a letter
// drawn differently by another browser version.
const Tolerated = 0.001

func compared(view string, s Shot) Check {
	c := Check{Kind: CheckBaseline, Subject: view, State: Pass}
	switch {
	case s.BaselineID == nil:
		c.State, c.Message = Skip, "No baseline is approved for this view yet."
	case s.ChangedShare == nil:
		c.State, c.Message = Skip, "It could not be compared with the baseline."
	case *s.ChangedShare > Tolerated:
		c.State, c.Message = Fail, percent(*s.ChangedShare)+" of the picture changed."
	case *s.ChangedShare > 0:
		c.Message = "It matches the baseline: " + percent(*s.ChangedShare) + " of the picture changed."
	default:
		c.Message = "It matches the baseline."
	}
	return c
}
