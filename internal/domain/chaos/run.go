// Package chaos holds the rules of chaos runs: who may start one, how its probes are kept, what
// verdict they come to, and the score of many runs. Values in, values out.
package chaos

import (
	"time"

	"customerzero/internal/domain/account"
)

// Stage is where a run stands.
type Stage string

// A run goes through them in this order; it may end from each.
const (
	Requested Stage = "requested" // written down
	Checking  Stage = "checking"  // is the chaos target well enough to be broken?
	Breaking  Stage = "breaking"  // a lease is held, the supervisor is being told
	Watching  Stage = "watching"  // broken; probes are made until it is well again
	Ended     Stage = "ended"
)

// Verdict is what came of a run. It has one when it has ended.
type Verdict string

const (
	Healed     Verdict = "healed"      // by the healer, within the promise of the fault
	HealedLate Verdict = "healed_late" // by the healer, later, within the lease
	Failed     Verdict = "failed"      // not healed before the lease ended
	Aborted    Verdict = "aborted"     // nothing was broken, or nobody can say
)

// Verdicts are all of them.
var Verdicts = []Verdict{Healed, HealedLate, Failed, Aborted}

// Run is one chaos run: a fault in the chaos target, and how it was healed.
type Run struct {
	ID          string
	Fault       string
	Source      string // where it was asked for, as the caller said
	RequestedBy Requester
	ReplayOf    *string // the run whose input this one repeats
	OpenKey     *string // theTarget until it has ended: one at a time
	WorkflowID  string
	RunID       string
	Stage       Stage
	Verdict     Verdict // empty until it has ended
	Reason      string  // a sentence about the verdict; empty when healed in time
	Restored    bool    // the chaos target was well when it ended
	PromiseMS   int     // within which time to heal it counts as healed
	LeaseMS     int
	DetectMS    *int // from the injection to the answer of the first probe that failed; as Judge says
	HealMS      *int // from the injection to the answer of the first of the probes that stayed well
	RequestedAt time.Time
	InjectedAt  *time.Time // as the supervisor said
	LeaseUntil  *time.Time
	EndedAt     *time.Time
}

// TableName is where runs are kept.
func (Run) TableName() string { return "chaos_runs" }

// Requester is who asked for a run.
type Requester string

const (
	Visitors Requester = "visitor"
	Members  Requester = "member"
	Founders Requester = "founder"
	Schedule Requester = "schedule" // the game day
)

// TargetKey is the OpenKey of a run that has not ended, and the ID of the chaos target's row.
const TargetKey = "chaos_target"

// Part is a stretch of a run's probes, encoded by Encode.
type Part struct {
	RunID string `gorm:"primaryKey"`
	Part  int    `gorm:"primaryKey"` // from 0
	Data  []byte
}

// TableName is where probes are kept.
func (Part) TableName() string { return "chaos_probes" }

// KillSwitch is the founders' kill switch.
type KillSwitch struct {
	On     bool // chaos may begin
	By     string
	Reason string
	At     *time.Time
}

// HistoryCheck says whether a run's stored history still replays with today's code.
type HistoryCheck struct {
	WorkflowID string `gorm:"primaryKey"`
	RunID      string `gorm:"primaryKey"`
	Passed     bool
	Events     int
	Message    string // why it did not pass
	Build      string // of the code that was tried
	CheckedAt  time.Time
}

// Fault describes one way to break a chaos target; what does it lies with the supervisor.
type Fault struct {
	Name    string // as callers ask for it
	Title   string
	About   string        // what it really does, in a sentence
	Promise time.Duration // within which time to heal it counts as healed in time
	Weight  int           // in the score
}

// The times to heal that are promised.
const (
	QuickPromise = 2 * time.Second
	SlowPromise  = 5 * time.Second
)

// DefaultLease is how long a fault may stay at most.
const DefaultLease = 30 * time.Second

// PageOf is the page of the chaos target on which a fault can be seen.
func PageOf(fault string) string {
	switch fault {
	case "break-database":
		return "/posts"
	case "corrupt-worker":
		return "/status"
	}
	return "/"
}

// Replay is a new run with the same input.
func (r Run) Replay(id, source string, by Requester, at time.Time) Run {
	return Run{
		ID: id, Fault: r.Fault, Source: source, RequestedBy: by, ReplayOf: &r.ID,
		Stage: Requested, PromiseMS: r.PromiseMS, LeaseMS: r.LeaseMS, RequestedAt: at,
	}
}

// How often a run may be asked for. Founders count overall only, the game day nowhere.
var (
	PerVisitor = account.Limit{Name: "chaos-visitor", Most: 3, Per: time.Hour, Doing: "chaos runs from your network"}
	Overall    = account.Limit{Name: "chaos", Most: 30, Per: time.Hour, Doing: "chaos runs"}
)

// Filter narrows a list of runs down; what is empty narrows nothing.
type Filter struct {
	Fault   string
	Verdict Verdict
}
