package verification

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
