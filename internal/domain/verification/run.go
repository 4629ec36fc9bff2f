// Package verification holds the rules of checking our own site: which pages may be checked, the checks,
// and their verdict. Checks decide; an AI review can only lower a verdict. It does no I/O.
package verification

import (
	"time"

	"customerzero/internal/domain/account"
)

// Stage is the progress of a run. A run passes through the stages in order and may end from each.
type Stage string

const (
	Requested Stage = "requested" // stored
	Capturing Stage = "capturing" // endpoints are requested and the page is captured
	Comparing Stage = "comparing" // with the baselines
	Reviewing Stage = "reviewing" // by a model or the built-in analysis
	Ended     Stage = "ended"
)

// Verdict is the result of a run, and the status of the site.
type Verdict string

const (
	Active  Verdict = "active"  // every check passed
	Warning Verdict = "warning" // some failed
	Broken  Verdict = "error"   // the page failed, or at least half of the endpoints
	// Unknown is the status before the first run. No run ends with it.
	Unknown Verdict = "unknown"
)

// Requester is the kind of caller that started a run.
type Requester string

const (
	Visitors Requester = "visitor"
	Members  Requester = "member"
	Founders Requester = "founder"
	Schedule Requester = "schedule"
)

// BySchedule is the OpenKey of scheduled runs.
const BySchedule = "schedule"

// Run is one verification: a page of our site, captured in every view.
type Run struct {
	ID            string
	URL           string // as opened
	Path          string // of the URL; baselines are stored by path
	Prompt        string // criteria to check, or empty
	RequestedBy   Requester
	OpenKey       *string // the requester until the run ends; unique
	WorkflowID    string
	RunID         string
	Stage         Stage
	ChecksVerdict Verdict // of the checks alone; empty until the end
	Verdict       Verdict // never better than ChecksVerdict
	Reason        string  // a sentence
	Code          string  // problem code such as browser_missing
	Passed        int     // checks
	Failed        int
	Checks        []Check  `gorm:"serializer:json"`
	Comment       *Comment `gorm:"serializer:json"` // nil until reviewed
	CallID        *string  // model call; nil: built-in analysis, or not reviewed yet
	RequestedAt   time.Time
	EndedAt       *time.Time
}

// TableName is the GORM table name.
func (Run) TableName() string { return "verifications" }

// Kept is the number of runs kept with their screenshots. Baselines are kept forever.
const Kept = 50

// StatusRuns is the number of runs that determine the site's status.
const StatusRuns = 3

// Outcome is the result of a run.
type Outcome struct {
	ChecksVerdict, Verdict Verdict
	Reason, Code           string
	Checks                 []Check
}

// Day counts the runs of our front page that ended on a day in UTC.
type Day struct {
	Day     string `gorm:"primaryKey"` // 2006-01-02
	Active  int
	Warning int
	Broken  int
}

// TableName is the GORM table name.
func (Day) TableName() string { return "verification_days" }

// BrowserState is the last known state of the worker's browser.
type BrowserState struct {
	ID      string     `gorm:"primaryKey"` // TheBrowser
	Ready   bool       // it can be started
	Message string     // why it cannot; a sentence
	Version string     // such as Chromium 156.0.8078.79; empty: unknown
	SeenAt  *time.Time // nil: never
}

// TheBrowser is the ID of the only row.
const TheBrowser = "browser"

// TableName is the GORM table name.
func (BrowserState) TableName() string { return "browsers" }

// Limits of runs by callers; each run opens the page four times. Scheduled runs are not limited.
var Limits = account.Shared{
	PerVisitor: account.Limit{Name: "verification-visitor", Most: 30, Per: time.Hour, Doing: "verifications"},
	PerNetwork: account.Limit{Name: "verification-network", Most: 60, Per: time.Hour, Doing: "verifications from your network"},
	PerMember:  account.Limit{Name: "verification-member", Most: 30, Per: time.Hour, Doing: "verifications"},
	Overall:    account.Limit{Name: "verification", Most: 120, Per: time.Hour, Doing: "verifications"},
}
