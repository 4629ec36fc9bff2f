// Package verification holds the rules of looking at our own site: what may be looked at, what
// is looked for, and what it comes to. Checks decide; a model's comment can lower a verdict and
// never raise it. It does no I/O.
package verification

import (
	"time"

	"customerzero/internal/domain/account"
)

// Stage is where a run stands.
type Stage string

// A run goes through them in this order; it may end from each.
const (
	Requested Stage = "requested" // written down
	Capturing Stage = "capturing" // endpoints are asked, the page is opened
	Comparing Stage = "comparing" // with the approved look
	Reviewing Stage = "reviewing" // a model, or the built-in analysis, says what it sees
	Ended     Stage = "ended"
)

// Verdict is what a run came to, and how the site stands.
type Verdict string

const (
	Active  Verdict = "active"  // every check passed
	Warning Verdict = "warning" // some failed
	Broken  Verdict = "error"   // the page could not be shown, or half of the endpoints failed
	// Unknown is the status before the first run. No run ends with it.
	Unknown Verdict = "unknown"
)

// Requester is who asked for a run.
type Requester string

const (
	Visitors Requester = "visitor"
	Members  Requester = "member"
	Founders Requester = "founder"
	Schedule Requester = "schedule"
)

// BySchedule is the OpenKey of the schedule's run.
const BySchedule = "schedule"

// Run is one verification: a page of our own, looked at in every theme and viewport.
type Run struct {
	ID            string
	URL           string // as it is opened
	Path          string // of it; approved looks are kept by path
	Prompt        string // what the asker wants to know of the page; empty: nothing in particular
	RequestedBy   Requester
	OpenKey       *string // whose it is until it has ended: one at a time for each
	WorkflowID    string
	RunID         string
	Stage         Stage
	ChecksVerdict Verdict // what the checks alone say; empty until it has ended
	Verdict       Verdict // what it came to; never better than Checked
	Reason        string  // a sentence about the verdict
	Code          string  // the problem's, when the page could not be looked at; like browser_missing
	Passed        int     // checks
	Failed        int
	Checks        []Check  `gorm:"serializer:json"`
	Comment       *Comment `gorm:"serializer:json"` // nil until there is one
	CallID        *string  // of the model; nil: the built-in analysis, or no comment yet
	RequestedAt   time.Time
	EndedAt       *time.Time
}

// TableName is where runs are kept.
func (Run) TableName() string { return "verifications" }

// Kept is how many runs are kept, with their pictures; approved looks stay for ever.
const Kept = 50

// Telling is how many runs tell how the site stands.
const Telling = 3

// Outcome is what a run came to.
type Outcome struct {
	ChecksVerdict, Verdict Verdict
	Reason, Code           string
	Checks                 []Check
}

// Day counts the runs of our own front page that ended on a day (UTC).
type Day struct {
	Day     string `gorm:"primaryKey"` // 2006-01-02
	Active  int
	Warning int
	Broken  int
}

// TableName is where days are kept.
func (Day) TableName() string { return "verification_days" }

// BrowserState is whether the worker's browser works, as last seen.
type BrowserState struct {
	ID      string     `gorm:"primaryKey"` // TheBrowser
	Ready   bool       // it can be started, or has been
	Message string     // why not; a sentence
	Version string     // like Chromium 156.0.8078.79; empty: not known yet
	SeenAt  *time.Time // nil: never
}

// TheBrowser is the ID of the one row.
const TheBrowser = "browser"

// TableName is where it is kept.
func (BrowserState) TableName() string { return "browsers" }

// How often a run may be asked for: each opens the page four times. Founders count overall
// only, the schedule nowhere.
var (
	PerVisitor = account.Limit{Name: "verification-visitor", Most: 30, Per: time.Hour, Doing: "verifications from your network"}
	Overall    = account.Limit{Name: "verification", Most: 120, Per: time.Hour, Doing: "verifications"}
)
