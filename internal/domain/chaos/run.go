// Package chaos holds the rules of chaos runs: requesters, probe encoding, verdicts and scores. Pure
// functions: no clock, no I/O.
package chaos

import (
	"time"

	"customerzero/internal/domain/account"
)

// Stage is the progress of a run. A run passes through the stages in order and may end from each.
type Stage string

const (
	Requested Stage = "requested" // stored
	Checking  Stage = "checking"  // the chaos target must be healthy
	Breaking  Stage = "breaking"  // a lease is held, the supervisor injects the fault
	Watching  Stage = "watching"  // broken; probed until it recovers
	Ended     Stage = "ended"
)

// Verdict is the result of an ended run.
type Verdict string

const (
	Healed     Verdict = "healed"      // by the healer, within the fault's promise
	HealedLate Verdict = "healed_late" // by the healer, later but within the lease
	Failed     Verdict = "failed"      // not healed before the lease ended
	Aborted    Verdict = "aborted"     // no fault was injected, or the outcome is unknown
)

// Verdicts lists all verdicts.
var Verdicts = []Verdict{Healed, HealedLate, Failed, Aborted}

// Run is one chaos run: a fault in the chaos target and its recovery.
type Run struct {
	ID          string
	Fault       string
	Source      string // origin of the request, as given by the caller
	RequestedBy Requester
	ReplayOf    *string // the run that this one repeats
	OpenKey     *string // TargetKey until the run ends; unique
	WorkflowID  string
	RunID       string
	Stage       Stage
	Verdict     Verdict // empty until the end
	Reason      string  // a sentence; empty if healed in time
	Restored    bool    // the chaos target was healthy at the end
	PromiseMS   int     // time to heal that counts as in time
	LeaseMS     int
	DetectMS    *int // from the injection to the response of the first failed probe; see Judge
	HealMS      *int // from the injection to the response of the first lasting healthy probe
	RequestedAt time.Time
	InjectedAt  *time.Time // as reported by the supervisor
	LeaseUntil  *time.Time
	EndedAt     *time.Time
}

// TableName is the GORM table name.
func (Run) TableName() string { return "chaos_runs" }

// Requester is the kind of caller that started a run.
type Requester string

const (
	Visitors Requester = "visitor"
	Members  Requester = "member"
	Founders Requester = "founder"
	Schedule Requester = "schedule" // the game day
)

// TargetKey is the OpenKey of a running chaos run and the ID of the chaos target's row.
const TargetKey = "chaos_target"

// Part is a section of a run's probes, encoded by Encode.
type Part struct {
	RunID string `gorm:"primaryKey"`
	Part  int    `gorm:"primaryKey"` // from 0
	Data  []byte
}

// TableName is the GORM table name.
func (Part) TableName() string { return "chaos_probes" }

// KillSwitch is the founders' switch for chaos runs.
type KillSwitch struct {
	On     bool // runs may start
	By     string
	Reason string
	At     *time.Time
}

// HistoryCheck is the result of replaying a run's stored history with the current code.
type HistoryCheck struct {
	WorkflowID string `gorm:"primaryKey"`
	RunID      string `gorm:"primaryKey"`
	Passed     bool
	Events     int
	Message    string // the error, if it failed
	Build      string // of the current code
	CheckedAt  time.Time
}

// Fault describes a fault; the supervisor implements it.
type Fault struct {
	Name    string // ID in requests
	Title   string
	About   string        // what it does; a sentence
	Promise time.Duration // time to heal that counts as in time
	Weight  int           // in the score
}

// Promised times to heal.
const (
	QuickPromise = 2 * time.Second
	SlowPromise  = 5 * time.Second
)

// DefaultLease is the maximum duration of a fault.
const DefaultLease = 30 * time.Second

// PageOf returns the page of the chaos target on which a fault is visible.
func PageOf(fault string) string {
	switch fault {
	case "break-database":
		return "/posts"
	case "corrupt-worker":
		return "/status"
	}
	return "/"
}

// Replay returns a new run with the same input.
func (r Run) Replay(id, source string, by Requester, at time.Time) Run {
	return Run{
		ID: id, Fault: r.Fault, Source: source, RequestedBy: by, ReplayOf: &r.ID,
		Stage: Requested, PromiseMS: r.PromiseMS, LeaseMS: r.LeaseMS, RequestedAt: at,
	}
}

// Limits of runs by callers. Game days are not limited.
var Limits = account.Shared{
	PerVisitor: account.Limit{Name: "chaos-visitor", Most: 3, Per: time.Hour, Doing: "chaos runs"},
	PerNetwork: account.Limit{Name: "chaos-network", Most: 12, Per: time.Hour, Doing: "chaos runs from your network"},
	PerMember:  account.Limit{Name: "chaos-member", Most: 6, Per: time.Hour, Doing: "chaos runs"},
	Overall:    account.Limit{Name: "chaos", Most: 30, Per: time.Hour, Doing: "chaos runs"},
}

// Filter restricts a list of runs. Empty fields match everything.
type Filter struct {
	Fault   string
	Verdict Verdict
}
