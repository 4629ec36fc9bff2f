// Package chaos answers for chaos runs and for the health of the chaos target.
package chaos

import (
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/heal"
)

// API answers every operation of this feature.
type API struct{ httpapi.Deps }

// ChaosEvent is a chaos run, in short.
type ChaosEvent struct {
	httpapi.RunRef
	ID          string     `json:"id"`
	Type        string     `json:"type" doc:"The fault"`
	Source      string     `json:"source" doc:"Where it was asked for"`
	RequestedBy string     `json:"requestedBy" enum:"visitor,member,founder,schedule"`
	Restored    bool       `json:"restored" doc:"The chaos target was well when the run ended"`
	Timestamp   time.Time  `json:"timestamp" doc:"When it was asked for"`
	Stage       string     `json:"stage" enum:"requested,checking,breaking,watching,ended"`
	Verdict     string     `json:"verdict,omitempty" enum:"healed,healed_late,failed,aborted" doc:"Absent until it has ended"`
	Reason      string     `json:"reason,omitempty" doc:"A sentence about the verdict"`
	PromiseMS   int        `json:"promiseMs" doc:"Within which time to heal it counts as healed in time"`
	DetectMS    *int       `json:"detectMs,omitempty" doc:"From the injection to the answer of the first probe that failed"`
	HealMS      *int       `json:"healMs,omitempty" doc:"From the injection to the answer of the first of the probes that stayed well"`
	InjectedAt  *time.Time `json:"injectedAt,omitempty"`
	EndedAt     *time.Time `json:"endedAt,omitempty"`
	ReplayOf    string     `json:"replayOf,omitempty" doc:"The run that this one repeats"`
}

// RecentChaos is the event log.
type RecentChaos struct {
	Events []ChaosEvent `json:"events"`
}

// NewChaos asks for a fault.
type NewChaos struct {
	Type   string `json:"type" doc:"The name of a fault; see getChaosTarget" maxLength:"100"`
	Source string `json:"source" doc:"Where it was asked for, like dashboard" minLength:"1" maxLength:"40" pattern:"^[a-z0-9][a-z0-9_-]*$" patternDescription:"small letters, digits, - and _"`
}

// ChaosStarted says that a run has begun.
type ChaosStarted struct {
	ChaosEvent
	Success bool   `json:"success"`
	Message string `json:"message"`
}

// ChaosRuns is a page of runs.
type ChaosRuns struct {
	Runs       []ChaosEvent       `json:"runs"`
	Pagination httpapi.Pagination `json:"pagination"`
}

// ChaosRun is one run with all that is known of it.
type ChaosRun struct {
	Event    ChaosEvent      `json:"event"`
	LeaseMS  int             `json:"leaseMs" doc:"How long the fault could have stayed at most"`
	Timeline []ChaosMoment   `json:"timeline" doc:"What happened, in order"`
	Probes   ProbeList       `json:"probes"`
	Incident *Incident       `json:"incident,omitempty" doc:"What the healer did meanwhile"`
	Replays  []string        `json:"replays" doc:"Runs that repeat this one, newest first"`
	Check    *HistoryCheck   `json:"check,omitempty" doc:"The last check of its history"`
	Captures []TargetCapture `json:"captures" doc:"Pictures of the chaos target: before, broken, healed"`
}

// ChaosMoment is one thing that happened.
type ChaosMoment struct {
	At   time.Time `json:"at"`
	MS   *int      `json:"ms,omitempty" doc:"Since the injection; negative before it"`
	Kind string    `json:"kind" enum:"requested,injected,detected,unhealthy,repaired,repair_failed,alarm,healed,lease_ended,ended"`
	Text string    `json:"text" doc:"A sentence"`
}

// ProbeList is what probes saw, one about every 250 ms.
type ProbeList struct {
	Checks  []string `json:"checks" doc:"What a probe looks at; samples name them by their place"`
	Samples []Probe  `json:"samples"`
}

// Probe is what one probe saw.
type Probe struct {
	MS      int   `json:"ms" doc:"Since the injection, or since the first probe where nothing was injected; negative before it"`
	TookMS  int   `json:"tookMs"`
	Failing []int `json:"failing" doc:"Places in checks; empty: the chaos target was well"`
	Process int   `json:"process" doc:"The process ID of the replica; 0: there was none"`
}

// HistoryCheck says whether a stored history still replays with today's code.
type HistoryCheck struct {
	Passed    bool      `json:"passed"`
	Events    int       `json:"events"`
	Message   string    `json:"message,omitempty" doc:"Why it did not pass"`
	Build     string    `json:"build" doc:"Of the code that was tried"`
	CheckedAt time.Time `json:"checkedAt"`
}

// ChaosScore is the runs of 30 days, counted.
type ChaosScore struct {
	Since   time.Time    `json:"since"`
	Score   *float64     `json:"score,omitempty" doc:"0 to 100; absent while no run has a verdict"`
	Formula string       `json:"formula" doc:"How it is worked out, in words"`
	Runs    int          `json:"runs" doc:"With a verdict other than aborted"`
	Faults  []FaultScore `json:"faults" doc:"Every fault, in the order of the buttons"`
}

// FaultScore is the runs of one fault, counted.
type FaultScore struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Weight      int      `json:"weight"`
	PromiseMS   int      `json:"promiseMs"`
	Runs        int      `json:"runs" doc:"With a verdict other than aborted"`
	Healed      int      `json:"healed" doc:"In time"`
	HealedLate  int      `json:"healedLate"`
	Failed      int      `json:"failed"`
	Aborted     int      `json:"aborted"`
	HealedShare *float64 `json:"healedShare,omitempty" doc:"0 to 1: healed + half of healed late, of runs"`
	DetectP50MS *int     `json:"detectP50Ms,omitempty"`
	DetectP95MS *int     `json:"detectP95Ms,omitempty"`
	HealP50MS   *int     `json:"healP50Ms,omitempty"`
	HealP95MS   *int     `json:"healP95Ms,omitempty"`
}

// Incidents is a page of what the healer found.
type Incidents struct {
	Incidents  []Incident         `json:"incidents"`
	Pagination httpapi.Pagination `json:"pagination"`
}

// Incident is a time in which the chaos target was sick.
type Incident struct {
	httpapi.RunRef
	ID          string     `json:"id"`
	OpenedAt    time.Time  `json:"openedAt" doc:"The first probe that failed"`
	UnhealthyAt time.Time  `json:"unhealthyAt" doc:"When the healer called it sick: two misses of three"`
	EndedAt     *time.Time `json:"endedAt,omitempty"`
	Failing     []string   `json:"failing" doc:"All checks that failed meanwhile"`
	Steps       []Repaired `json:"steps"`
	Alarm       string     `json:"alarm,omitempty" doc:"Why the healer needs help"`
	ChaosID     string     `json:"chaosId,omitempty" doc:"The chaos run that ran then; found by time, the healer is not told"`
}

// Repaired is one step of the healer.
type Repaired struct {
	Kind  heal.Kind `json:"kind" enum:"restore_files,restore_database,restart"`
	Files []string  `json:"files,omitempty"`
	At    time.Time `json:"at"`
	MS    int       `json:"ms" doc:"How long it took"`
	Error string    `json:"error,omitempty"`
}

// TargetReport is the chaos target as last seen.
type TargetReport struct {
	Status    string       `json:"status" enum:"healthy,broken,unseen" doc:"unseen: no probe of the last ten seconds"`
	URL       string       `json:"url" doc:"Where anybody may look at it; empty: nowhere public"`
	SeenAt    *time.Time   `json:"seenAt,omitempty"`
	Failing   []string     `json:"failing"`
	Process   int          `json:"process"`
	StartedAt *time.Time   `json:"startedAt,omitempty" doc:"The process"`
	Files     []TargetFile `json:"files" doc:"The 13 critical files"`
	Manifest  string       `json:"manifest" doc:"The signed text that lists them"`
	Verifier  string       `json:"verifier" doc:"The key that verifies it"`
	Faults    []ChaosFault `json:"faults" doc:"How it can be broken, in the order of the buttons"`
	Running   *ChaosEvent  `json:"running,omitempty" doc:"The run that is under way"`
	Incident  *Incident    `json:"incident,omitempty" doc:"The incident that is open"`
	Switch    ChaosSwitch  `json:"switch"`
	Limits    ChaosLimits  `json:"limits"`
}

// TargetFile is a line of the manifest, and whether the file is as it says.
type TargetFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	OK     bool   `json:"ok"`
}

// ChaosFault is a way to break the chaos target.
type ChaosFault struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	About     string `json:"about" doc:"What it really does"`
	PromiseMS int    `json:"promiseMs"`
	Weight    int    `json:"weight"`
}

// ChaosSwitch is the founders' kill switch.
type ChaosSwitch struct {
	On     bool       `json:"on" doc:"Chaos may begin"`
	By     string     `json:"by,omitempty"`
	Reason string     `json:"reason,omitempty"`
	At     *time.Time `json:"at,omitempty"`
}

// ChaosSwitchChange turns chaos on or off.
type ChaosSwitchChange struct {
	On     bool   `json:"on"`
	Reason string `json:"reason,omitempty" maxLength:"200" doc:"Why, for everybody to read"`
}

// ChaosLimits is how many runs may begin in an hour.
type ChaosLimits struct {
	PerVisitor int `json:"perVisitor"`
	Overall    int `json:"overall"`
}

type listChaosRunsRequest struct {
	Fault   string `query:"type" maxLength:"100" doc:"Only this fault"`
	Verdict string `query:"verdict" enum:"healed,healed_late,failed,aborted"`
	httpapi.PageQuery
}

// TargetCapture is a picture of the chaos target in a chaos run.
type TargetCapture struct {
	Moment  string    `json:"moment" enum:"before,broken,healed"`
	Path    string    `json:"path" doc:"Of the chaos target's page"`
	Picture string    `json:"picture,omitempty" doc:"Its path"`
	Width   int       `json:"width"`
	Height  int       `json:"height"`
	Error   string    `json:"error,omitempty" doc:"Why there is no picture"`
	Failing []string  `json:"failing" doc:"Checks that failed at that moment"`
	Steady  bool      `json:"steady" doc:"Checks said the same before and after it; only then it is counted"`
	Opinion string    `json:"opinion" enum:"healthy,broken,unclear" doc:"What the comment says, by the picture alone"`
	Says    string    `json:"says" doc:"The comment"`
	Analyst string    `json:"analyst"`
	TakenAt time.Time `json:"takenAt"`
}
