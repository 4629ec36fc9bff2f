package verification

import (
	"fmt"
	"strings"
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
	CheckLook      CheckKind = "look"          // it looks as it was approved
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
